"""Creation of the registry: device, models, galleries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache as remembered
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.galleries.cache import default_cache
from demo.galleries.examples import examples_gallery
from demo.galleries.index import IndexedGallery, index_gallery
from demo.galleries.moving import MOVING, create_moving_gallery
from demo.galleries.open_photos import open_photos_gallery, why_closed
from demo.galleries.scenes import SCENES, scenes_gallery
from demo.galleries.video import VIDEO, read_video
from demo.service.generating.precomputed import PrecomputedDrawing, read_precomputed, weights_digest
from demo.service.generating.service import GeneratingService, captioner_ships, generator_ships
from demo.service.gpu import best_device, lease_encoder, zero_gpu
from demo.service.judging import JudgingService, judge_ships
from demo.service.own_models import assign_names, check_model
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.stored import open_folder
from seps import load_model
from seps.models.hub import shipped_models
from seps.models.known_captions import read_known_captions
from seps.models.unmatched_words import read_rule
from seps.progress import Progress, finish

if TYPE_CHECKING:
    from seps.generator import ImageTextGenerator
    from seps.judge import Judge

MODEL = "photos"
OPEN_PHOTOS = "open-photos"
SCENES_ENCODER = "seps:scenes"  # the text encoder of models that only read captions of scenes


def open_model(name_or_folder: str = MODEL) -> RetrievalService:
    """Load a model without galleries: a shipped name, a folder, or a hub repo; ValueError if it is not found."""
    check_model(name_or_folder)
    shipped = shipped_models()
    name = name_or_folder if name_or_folder in shipped else next(iter(assign_names([name_or_folder])))
    model = load_model(shipped.get(name_or_folder, name_or_folder)).to(best_device())
    return RetrievalService(
        model, name, unmatched_rule=read_rule(model.folder), known=read_known_captions(model.folder)
    )


def open_own(
    name_or_folder: str,
    name: str,
    photos: Path | None = None,
    cache: Path | None = None,
    progress: Progress = False,
    notify: Callable[[str], Any] = lambda line: None,
    recursive: bool = False,
) -> RetrievalService:
    """Load a user-supplied model with a gallery of its name: the examples, or for a model of scenes the drawn ones.

    Args:
        name_or_folder: a folder, or a hub repo; name: of the model and its gallery.
        photos, recursive: an optional folder of photographs that comes first, as for `open_service`.
        cache, progress, notify: as for `open_service`.

    Raises:
        ValueError: unknown model; as `open_service`.
    """
    place = cache or default_cache()
    model = load_model(name_or_folder).to(best_device())
    folder = [] if photos is None else [open_folder(model, photos, place, progress, notify, recursive)]
    report_left_out(folder, notify)
    shipped = scenes_gallery if model.config.text.encoder == SCENES_ENCODER else examples_gallery

    def gallery(progress: Progress) -> IndexedGallery:
        named = replace(shipped(), name=name, title=f"{shipped().title}, for {name}")
        return index_gallery(model, named, place, progress)

    rule, known = read_rule(model.folder), read_known_captions(model.folder)
    return RetrievalService(model, name, folder, {name: gallery}, unmatched_rule=rule, known=known)


def open_registry(
    photos: Path | None = None,
    cache: Path | None = None,
    fetch: bool = True,
    progress: Progress = False,
    notify: Callable[[str], Any] = lambda line: None,
    recursive: bool = False,
    models: Sequence[str] = (),
    examples: bool = True,
    beside: bool = False,
    video: Path | None = None,
) -> ModelRegistry:
    """Create the registry of the shipped models; the scenes' gallery, if shipped, opens on first use.

    Args:
        models: user-supplied models, folders or hub repos, each with a gallery of its name; loaded now, to report
            errors. The first one's gallery is indexed now because the page starts with it, others on first use.

    Other arguments and errors as `open_service` and `open_own`.
    """
    service = open_service(photos, cache, fetch, progress, notify, recursive, examples, beside, video)
    folder = shipped_models().get(SCENES)
    later: dict[str, tuple[str, Callable[[], RetrievalService]]] = {}
    if folder is not None:
        opened_once = remembered(partial(open_scenes, folder, cache))
        later |= {SCENES: (SCENES, opened_once), MOVING: (SCENES, opened_once)}
    named, folders = assign_names(models), dict[str, Path | None]()
    for name, model in named.items():
        opened = open_own(model, name, cache=cache)
        later[name], folders[name] = (name, partial(_same, opened)), opened.model.folder
        notify(f"{model} is the model and the gallery {name}.")
    judging = JudgingService(load_shipped_judge) if judge_ships() else None
    generates = generator_ships() and SCENES in later
    generating = GeneratingService(load_shipped_generator, load_shipped_drawing) if generates else None
    captioning = GeneratingService(load_shipped_captioner) if captioner_ships() else None
    registry = ModelRegistry(service, later, folders, judging, generating, captioning)
    registry.open(registry.first, progress)
    return registry


def load_shipped_judge() -> Judge:
    """Load the shipped judge on the best device; imported here because most users never need it."""
    from seps.judge import load_judge

    return load_judge().to(best_device())


def generator_device() -> str | None:
    """Return the CPU on ZeroGPU, see `best_device`; elsewhere None, so that a generator uses CUDA or the CPU."""
    return None if zero_gpu() is None else "cpu"


def load_shipped_generator() -> ImageTextGenerator:
    """Load the shipped generator; imported here because most users never need it."""
    from seps.generator import load_generator

    return load_generator(device=generator_device())


def load_shipped_captioner() -> ImageTextGenerator:
    """Load the shipped captioner of photographs; imported here because most users never need it."""
    from seps.generator import load_generator

    return load_generator("photos", generator_device())


def load_shipped_drawing() -> PrecomputedDrawing | None:
    """Return the precomputed drawing of the shipped generator."""
    return read_precomputed(weights_digest())


def open_shipped_scenes() -> RetrievalService:
    """Return the service of drawn scenes with the shipped model."""
    return open_scenes(shipped_models()[SCENES])


def _same(service: RetrievalService) -> RetrievalService:
    """Return the open service."""
    return service


def open_scenes(model_folder: Path, cache: Path | None = None) -> RetrievalService:
    """Return the service of drawn scenes with the model in a folder; its galleries are indexed on first use."""
    model = load_model(model_folder).to(best_device())
    place = cache or default_cache()
    return RetrievalService(
        model,
        SCENES,
        (),
        {
            SCENES: lambda progress: index_gallery(model, scenes_gallery(), place, progress),
            MOVING: lambda progress: index_gallery(model, create_moving_gallery(), None, progress),
        },
        unmatched_rule=read_rule(model.folder),
    )


def open_service(
    photos: Path | None = None,
    cache: Path | None = None,
    fetch: bool = True,
    progress: Progress = False,
    notify: Callable[[str], Any] = lambda line: None,
    recursive: bool = False,
    examples: bool = True,
    beside: bool = False,
    video: Path | None = None,
) -> RetrievalService:
    """Create the service of the shipped model: galleries of a user's video, their folder, the examples, and on first
    use the open photos.

    Args:
        photos: a folder of photographs, or None.
        cache: folder of embeddings and downloaded photographs; by default `default_cache()`.
        fetch: whether missing open photos may be downloaded.
        progress: as in `ScoringEngine`; notify: receives a line per file that was left out.
        recursive: include subfolders of `photos`.
        examples: add the examples to `photos`; without a folder they are always added.
        beside: index a large folder in the background, see `demo.service.stored.open_folder`.
        video: a file that becomes a gallery of its frames, or None.

    Raises:
        ValueError: the folder is missing or has no readable photograph, or the video is unreadable.
    """
    place = cache or default_cache()
    encoder = lease_encoder(MODEL)
    model = load_model(MODEL).to(best_device())
    indexed: list[IndexedGallery] = []
    if video is not None:
        indexed.append(index_gallery(model, finish(read_video(video, VIDEO)), None, progress))
    if photos is not None:
        indexed.append(open_folder(model, photos, place, progress, notify, recursive, beside))
    if examples or photos is None:
        indexed.append(index_gallery(model, examples_gallery(), place, progress))
    report_left_out(indexed, notify)

    def open_photos(progress: Progress) -> IndexedGallery:
        return index_gallery(model, open_photos_gallery(place, fetch, progress), place, progress)

    rule, known = read_rule(model.folder), read_known_captions(model.folder)
    service = RetrievalService(model, MODEL, indexed, {OPEN_PHOTOS: open_photos}, encoder, rule, known)
    service.why_closed[OPEN_PHOTOS] = partial(why_closed, place, fetch)
    return service


def report_left_out(galleries: Sequence[IndexedGallery], notify: Callable[[str], Any]) -> None:
    """Report the unreadable files of each gallery, a line each."""
    for indexed in galleries:
        for sentence in indexed.gallery.skipped:
            notify(f"Left out: {sentence}")
        if indexed.gallery.note:
            notify(indexed.gallery.note)

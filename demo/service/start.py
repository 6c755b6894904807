"""Opening the registry: device, models, galleries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache as remembered
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from demo.galleries.cache import default_cache, former_embeddings
from demo.galleries.examples import examples_gallery
from demo.galleries.index import IndexedGallery, index_gallery
from demo.galleries.moving import MOVING, moving_gallery
from demo.galleries.open_photos import open_photos_gallery
from demo.galleries.scenes import SCENES, scenes_gallery
from demo.galleries.video import VIDEO, read_video
from demo.service.generating.precomputed import PrecomputedDrawing, read_precomputed, weights_digest
from demo.service.generating.service import GeneratingService, captioner_ships, generator_ships
from demo.service.gpu import lent_encoder
from demo.service.judging import JudgingService, judge_ships
from demo.service.own_models import check_model, own_names
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
SCENES_ENCODER = "seps:scenes"  # the text encoder of models that read captions of scenes alone


def best_device() -> torch.device:
    """CUDA, then MPS, then the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def open_model(name_or_folder: str = MODEL) -> RetrievalService:
    """Return a model without galleries: a shipped one by name, a folder, or a hub repo; ValueError where there is
    none."""
    check_model(name_or_folder)
    shipped = shipped_models()
    name = name_or_folder if name_or_folder in shipped else next(iter(own_names([name_or_folder])))
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
    tell: Callable[[str], Any] = lambda line: None,
    recursive: bool = False,
) -> RetrievalService:
    """Return a model of one's own with a gallery that has its name: the examples, or for a model of scenes the drawn
    ones.

    Args:
        name_or_folder: a folder, or a hub repo; name: what the model and its gallery are called.
        photos, recursive: a folder of photographs that comes first, or None, as for `open_service`.
        cache, progress, tell: as for `open_service`.

    Raises:
        ValueError: there is no such model; as `open_service`.
    """
    place = cache or default_cache()
    model = load_model(name_or_folder).to(best_device())
    folder = [] if photos is None else [open_folder(model, photos, place, progress, tell, recursive)]
    tell_left_out(folder, tell)
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
    tell: Callable[[str], Any] = lambda line: None,
    recursive: bool = False,
    models: Sequence[str] = (),
    examples: bool = True,
    beside: bool = False,
    video: Path | None = None,
) -> ModelRegistry:
    """Return the shipped models with their galleries: the photographs' now, that of the scenes, where it ships, on
    first use.

    Args:
        models: models of one's own, folders or hub repos, each with a gallery that has its name; the models are loaded
            now, so that what is wrong with one is reported. The first one's gallery is indexed now, since the page
            begins with it, those of others on first use.

    Other arguments and errors as `open_service` and `open_own`.
    """
    service = open_service(photos, cache, fetch, progress, tell, recursive, examples, beside, video)
    folder = shipped_models().get(SCENES)
    later: dict[str, tuple[str, Callable[[], RetrievalService]]] = {}
    if folder is not None:
        opened_once = remembered(partial(open_scenes, folder, cache))
        later |= {SCENES: (SCENES, opened_once), MOVING: (SCENES, opened_once)}
    named, folders = own_names(models), dict[str, Path | None]()
    for name, model in named.items():
        opened = open_own(model, name, cache=cache)
        later[name], folders[name] = (name, partial(_same, opened)), opened.model.folder
        tell(f"{model} is the model and the gallery {name}.")
    judging = JudgingService(shipped_judge) if judge_ships() else None
    generates = generator_ships() and SCENES in later
    generating = GeneratingService(shipped_generator, shipped_drawing) if generates else None
    captioning = GeneratingService(shipped_captioner) if captioner_ships() else None
    registry = ModelRegistry(service, later, folders, judging, generating, captioning)
    registry.open(registry.first, progress)
    return registry


def shipped_judge() -> Judge:
    """Return the judge that ships, on the best device; imported now, since most people never open its view."""
    from seps.judge import load_judge

    return load_judge().to(best_device())


def shipped_generator() -> ImageTextGenerator:
    """Return the generator that ships; imported now, since most people never open its view."""
    from seps.generator import load_generator

    return load_generator()


def shipped_captioner() -> ImageTextGenerator:
    """Return the captioner of photographs that ships, likewise."""
    from seps.generator import load_generator

    return load_generator("photos")


def shipped_drawing() -> PrecomputedDrawing | None:
    """Return the precomputed drawing of the generator that ships."""
    return read_precomputed(weights_digest())


def shipped_scenes() -> RetrievalService:
    """Return the service of drawn scenes with the model that ships."""
    return open_scenes(shipped_models()[SCENES])


def _same(service: RetrievalService) -> RetrievalService:
    """The service, opened already."""
    return service


def open_scenes(model_folder: Path, cache: Path | None = None) -> RetrievalService:
    """Return the service of drawn scenes, with the model that a folder holds; its galleries are indexed on first
    use."""
    model = load_model(model_folder).to(best_device())
    place = cache or default_cache()
    return RetrievalService(
        model,
        SCENES,
        (),
        {
            SCENES: lambda progress: index_gallery(model, scenes_gallery(), place, progress),
            MOVING: lambda progress: index_gallery(model, moving_gallery(), None, progress),
        },
        unmatched_rule=read_rule(model.folder),
    )


def open_service(
    photos: Path | None = None,
    cache: Path | None = None,
    fetch: bool = True,
    progress: Progress = False,
    tell: Callable[[str], Any] = lambda line: None,
    recursive: bool = False,
    examples: bool = True,
    beside: bool = False,
    video: Path | None = None,
) -> RetrievalService:
    """Return the shipped model with its galleries: a person's video, then their folder, then the examples; the open
    photos on first use.

    Args:
        photos: a folder of photographs, or None.
        cache: where embeddings and fetched photographs lie; `default_cache()` where left out.
        fetch: whether open photos that are not in the cache may be fetched.
        progress: as in `ScoringEngine`; tell: gets a line about what was left out.
        recursive: whether the folders below `photos` are read too.
        examples: whether the examples come beside `photos`; without a folder they always come.
        beside: whether a large folder is indexed while it is used already, see `demo.service.stored.open_folder`.
        video: a file, whose frames are a gallery, or None.

    Raises:
        ValueError: the folder does not exist or holds no readable photograph, or the video cannot be read.
    """
    place = cache or default_cache()
    former = former_embeddings(place)
    if former:
        tell(former)
    encoder = lent_encoder(MODEL)
    model = load_model(MODEL).to(best_device() if encoder is None else "cpu")
    indexed: list[IndexedGallery] = []
    if video is not None:
        indexed.append(index_gallery(model, finish(read_video(video, VIDEO)), None, progress))
    if photos is not None:
        indexed.append(open_folder(model, photos, place, progress, tell, recursive, beside))
    if examples or photos is None:
        indexed.append(index_gallery(model, examples_gallery(), place, progress))
    tell_left_out(indexed, tell)

    def open_photos(progress: Progress) -> IndexedGallery:
        return index_gallery(model, open_photos_gallery(place, fetch, progress), place, progress)

    rule, known = read_rule(model.folder), read_known_captions(model.folder)
    return RetrievalService(model, MODEL, indexed, {OPEN_PHOTOS: open_photos}, encoder, rule, known)


def tell_left_out(galleries: Sequence[IndexedGallery], tell: Callable[[str], Any]) -> None:
    """Tell what of each gallery could not be read, a line each."""
    for indexed in galleries:
        for sentence in indexed.gallery.skipped:
            tell(f"Left out: {sentence}")
        if indexed.gallery.timed and indexed.gallery.note:
            tell(indexed.gallery.note)

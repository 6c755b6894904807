"""Creation of the registry: device, models, galleries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache as remembered
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.galleries.indexes.index import IndexedGallery, index_gallery
from demo.galleries.reading.paths import default_cache
from demo.galleries.sources.named import examples_gallery
from demo.galleries.sources.open_photos import open_photos_gallery, why_closed
from demo.galleries.sources.scenes import MOVING, SCENES, create_moving_gallery, scenes_gallery
from demo.galleries.sources.video import VIDEO, read_video
from demo.service.generating.precomputed import read_precomputed, weights_digest
from demo.service.generating.service import GeneratingService, captioner_ships, generator_ships
from demo.service.judging import JudgingService, judge_ships
from demo.service.models.own_models import MODEL as MODEL
from demo.service.models.own_models import assign_names, check_model, name_model
from demo.service.models.registry import ModelRegistry
from demo.service.models.stored import open_folder
from demo.service.retrieval import Opener, RetrievalService
from demo.service.threads import best_device, lease_encoder, zero_gpu
from seps import SEPSModel, load_model
from seps.common.progress import Progress, finish
from seps.models.hub import shipped_models

if TYPE_CHECKING:
    from seps.generator import ImageTextGenerator
    from seps.judge import Judge

OPEN_PHOTOS = "open-photos"
SCENES_ENCODER = "seps:scenes"  # the text encoder of models that only read captions of scenes


@dataclass(frozen=True)
class GalleryOptions:
    """Which galleries are opened at the start, and how."""

    photos: Path | None = None  # a folder
    cache: Path | None = None  # by default `default_cache()`
    fetch: bool = True  # missing open photos
    progress: Progress = False
    notify: Callable[[str], Any] = lambda line: None  # receives a line per file that was left out
    recursive: bool = False
    examples: bool = True  # in addition to `photos`
    beside: bool = False  # index a large folder in the background
    video: Path | None = None

    @property
    def place(self) -> Path:
        """The cache folder."""
        return self.cache or default_cache()

    def index_folder(self, model: SEPSModel) -> list[IndexedGallery]:
        """Index the folder of photographs, if any."""
        if self.photos is None:
            return []
        how = (self.progress, self.notify, self.recursive, self.beside)
        return [open_folder(model, self.photos, self.place, *how)]


DEFAULTS = GalleryOptions()


def open_model(name_or_folder: str = MODEL) -> RetrievalService:
    """Load a model without galleries: a shipped name, a folder, or a hub repo; ValueError if it is not found."""
    check_model(name_or_folder)
    model = load_model(shipped_models().get(name_or_folder, name_or_folder)).to(best_device())
    return RetrievalService(model, name_model(name_or_folder))


def open_own(name_or_folder: str, name: str, options: GalleryOptions = DEFAULTS) -> RetrievalService:
    """Load a user's model, a folder or a hub repo, with a gallery of its name: the examples, or for a model of scenes
    the drawn ones. A folder of photographs comes first; errors as `open_service`."""
    model = load_model(name_or_folder).to(best_device())
    folder = options.index_folder(model)
    report_left_out(folder, options.notify)
    shipped = scenes_gallery if model.config.text.encoder == SCENES_ENCODER else examples_gallery

    def gallery(progress: Progress) -> IndexedGallery:
        named = replace(shipped(), name=name, title=f"{shipped().title}, for {name}")
        return index_gallery(model, named, options.place, progress)

    return RetrievalService(model, name, folder, {name: gallery})


def open_registry(options: GalleryOptions = DEFAULTS, models: Sequence[str] = ()) -> ModelRegistry:
    """Create the registry of the shipped models and of a user's own, folders or hub repos, which are loaded now to
    report errors. Other galleries than the first open on first use; errors as `open_service` and `open_own`."""
    service = open_service(options)
    folder = shipped_models().get(SCENES)
    later: dict[str, tuple[str, Callable[[], RetrievalService]]] = {}
    if folder is not None:
        opened_once = remembered(partial(open_scenes, folder, options.cache))
        later |= {SCENES: (SCENES, opened_once), MOVING: (SCENES, opened_once)}
    named = assign_names(models)
    for name, model in named.items():
        later[name] = (name, remembered(partial(open_own, model, name, GalleryOptions(cache=options.cache))))
        later[name][1]()  # now, to report errors
        options.notify(f"{model} is the model and the gallery {name}.")
    judging = JudgingService(load_shipped_judge) if judge_ships() else None
    generating = captioning = None
    if generator_ships() and SCENES in later:
        generating = GeneratingService(load_shipped_generator, lambda: read_precomputed(weights_digest()))
    if captioner_ships():
        captioning = GeneratingService(partial(load_shipped_generator, "photos"))
    registry = ModelRegistry(service, later, tuple(named), judging, generating, captioning)
    registry.open(registry.first, options.progress)
    return registry


def load_shipped_judge() -> Judge:
    """Load the shipped judge on the best device; imported here because most users never need it."""
    from seps.judge import load_judge

    return load_judge().to(best_device())


def load_shipped_generator(name: str = SCENES) -> ImageTextGenerator:
    """Load a shipped generator, or with "photos" the captioner; imported here because most users never need it."""
    from seps.generator import load_generator

    return load_generator(name, None if zero_gpu() is None else "cpu")  # None: CUDA or the CPU


def open_shipped_scenes() -> RetrievalService:
    """Return the service of drawn scenes with the shipped model."""
    return open_scenes(shipped_models()[SCENES])


def open_scenes(model_folder: Path, cache: Path | None = None) -> RetrievalService:
    """Return the service of drawn scenes with the model in a folder; its galleries are indexed on first use."""
    model = load_model(model_folder).to(best_device())
    place = cache or default_cache()
    later: dict[str, Opener] = {
        SCENES: lambda progress: index_gallery(model, scenes_gallery(), place, progress),
        MOVING: lambda progress: index_gallery(model, create_moving_gallery(), None, progress),
    }
    return RetrievalService(model, SCENES, later=later)


def open_service(options: GalleryOptions = DEFAULTS) -> RetrievalService:
    """Create the service of the shipped model: galleries of a user's video, their folder, the examples, and on first
    use the open photos. ValueError if the folder or the video cannot be read."""
    encoder = lease_encoder(MODEL)
    model = load_model(MODEL).to(best_device())
    indexed: list[IndexedGallery] = []
    if options.video is not None:
        indexed.append(index_gallery(model, finish(read_video(options.video, VIDEO)), None, options.progress))
    indexed += options.index_folder(model)
    if options.examples or options.photos is None:
        indexed.append(index_gallery(model, examples_gallery(), options.place, options.progress))
    report_left_out(indexed, options.notify)

    def open_photos(progress: Progress) -> IndexedGallery:
        gallery = open_photos_gallery(options.place, options.fetch, progress)
        return index_gallery(model, gallery, options.place, progress)

    service = RetrievalService(model, MODEL, indexed, {OPEN_PHOTOS: open_photos}, encoder)
    service.why_closed[OPEN_PHOTOS] = partial(why_closed, options.place, options.fetch)
    return service


def report_left_out(galleries: Sequence[IndexedGallery], notify: Callable[[str], Any]) -> None:
    """Report the unreadable files of each gallery, a line each."""
    for indexed in galleries:
        for sentence in indexed.gallery.skipped:
            notify(f"Left out: {sentence}")
        if indexed.gallery.note:
            notify(indexed.gallery.note)

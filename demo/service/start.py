"""Opening the registry: device, models, galleries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from demo.galleries.cache import default_cache
from demo.galleries.examples import examples_gallery
from demo.galleries.folder import folder_gallery
from demo.galleries.gallery import Gallery
from demo.galleries.index import IndexedGallery, index_gallery
from demo.galleries.open_photos import open_photos_gallery
from demo.galleries.scenes import SCENES, scenes_gallery
from demo.service.gpu import lent_encoder
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from seps import load_model
from seps.models.hub import shipped_models
from seps.progress import Progress

MODEL = "photos"
OPEN_PHOTOS = "open-photos"


def best_device() -> torch.device:
    """CUDA, then MPS, then the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def open_model(name: str = MODEL) -> RetrievalService:
    """A shipped model without galleries; ValueError where there is none of that name."""
    shipped = shipped_models()
    if name not in shipped:
        raise ValueError(f"There is no model {name!r} here; there are: {', '.join(shipped)}.")
    return RetrievalService(load_model(shipped[name]).to(best_device()), name)


def open_registry(
    photos: Path | None = None,
    cache: Path | None = None,
    fetch: bool = True,
    progress: Progress = False,
    tell: Callable[[str], Any] = lambda line: None,
) -> ModelRegistry:
    """The shipped models with their galleries: the photographs' now, that of the scenes, where it ships, on first use.

    Arguments and errors as `open_service`.
    """
    service = open_service(photos, cache, fetch, progress, tell)
    folder = shipped_models().get(SCENES)
    later = {} if folder is None else {SCENES: (SCENES, partial(open_scenes, folder, cache))}
    return ModelRegistry(service, later)


def open_scenes(model_folder: Path, cache: Path | None = None) -> RetrievalService:
    """The service of drawn scenes, with the model that a folder holds; its gallery is indexed on first use."""
    model = load_model(model_folder).to(best_device())
    place = cache or default_cache()
    return RetrievalService(
        model, SCENES, (), {SCENES: lambda progress: index_gallery(model, scenes_gallery(), place, progress)}
    )


def open_service(
    photos: Path | None = None,
    cache: Path | None = None,
    fetch: bool = True,
    progress: Progress = False,
    tell: Callable[[str], Any] = lambda line: None,
) -> RetrievalService:
    """The shipped model with its galleries: a person's folder first, then the examples; the open photos on first use.

    Args:
        photos: a folder of photographs, or None.
        cache: where embeddings and fetched photographs lie; `default_cache()` where left out.
        fetch: whether open photos that are not in the cache may be fetched.
        progress: as in `ScoringEngine`; tell: gets a line about every file that was left out.

    Raises:
        ValueError: the folder does not exist or holds no readable photograph.
    """
    place = cache or default_cache()
    encoder = lent_encoder(MODEL)
    model = load_model(MODEL).to(best_device() if encoder is None else "cpu")
    galleries: list[Gallery] = [] if photos is None else [folder_gallery(photos, progress)]
    galleries.append(examples_gallery())
    indexed = [index_gallery(model, gallery, place, progress) for gallery in galleries]
    for one in indexed:
        for sentence in one.gallery.skipped:
            tell(f"Left out: {sentence}")

    def open_photos(progress: Progress) -> IndexedGallery:
        return index_gallery(model, open_photos_gallery(place, fetch, progress), place, progress)

    return RetrievalService(model, MODEL, indexed, {OPEN_PHOTOS: open_photos}, encoder)

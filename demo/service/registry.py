"""The app's models, each with a service of its own: a gallery belongs to one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock

from demo.galleries.index import IndexedGallery, index_gallery
from demo.galleries.personal import PERSONAL
from demo.service.edited import with_edits
from demo.service.generating.service import GeneratingService
from demo.service.judging import JudgingService
from demo.service.recent import Recent
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from seps.progress import Progress

OpenedGallery = tuple[RetrievalService, IndexedGallery]
ENCODED_ANEW = 16  # pictures of other models' galleries that the photos' model has encoded too, about 1 MB each


class ModelRegistry:
    """Finds the service and the gallery that belong together. Safe to call from several threads.

    Args:
        photos: the service of photographs, where the page begins and uploads go.
        later: services whose model is loaded on first use, by the names of their galleries: the model's name, and
            what opens the service.
        models: models of one's own among these, by name: their folders, None for one of the model hub. Their galleries
            come first, and the page begins with the first of them, which is open already.
        judging: judges pictures; None where no judge ships.
        generating: draws and captions pictures of scenes; None where no generator ships, or the scenes do not.
        captioning: captions photographs; None where no such captioner ships.
    """

    def __init__(
        self,
        photos: RetrievalService,
        later: Mapping[str, tuple[str, Callable[[], RetrievalService]]] | None = None,
        models: Mapping[str, Path | None] | None = None,
        judging: JudgingService | None = None,
        generating: GeneratingService | None = None,
        captioning: GeneratingService | None = None,
    ) -> None:
        self.photos = photos
        self.judging = judging
        self.generating = generating
        self.captioning = captioning
        self.own_models = dict(models or {})
        self._later = dict(later or {})
        self._opened: dict[str, RetrievalService] = {}
        self._opening = Lock()
        self._encoded_anew: Recent[str, IndexedGallery] = Recent(ENCODED_ANEW)
        self.names = (*self.own_models, *photos.names, *(name for name in self._later if name not in self.own_models))
        self.models = (photos.name, *dict.fromkeys(model for model, _ in self._later.values()))

    @property
    def first(self) -> str:
        """The gallery where the page begins."""
        return next(iter(self.own_models), self.photos.first)

    def of(self, gallery: str) -> RetrievalService:
        """Find the service of a gallery, its model loaded now where it is not yet; a person's own are the photos'.

        Raises:
            ValueError: there is no gallery of that name.
        """
        if gallery in self._later:
            with self._opening:
                if gallery not in self._opened:
                    self._opened[gallery] = self._later[gallery][1]()
                return self._opened[gallery]
        if gallery not in (*PERSONAL, *self.names):
            raise ValueError(f"There is no gallery {gallery!r}; there are: {', '.join(self.names)}.")
        return self.photos

    def first_of(self, model: str) -> str:
        """Find where a model's galleries begin; ValueError where there is no such model."""
        firsts = {name: gallery for gallery, (name, _) in reversed(self._later.items())} | {
            self.photos.name: self.photos.first
        }
        if model not in firsts:
            raise ValueError(f"There is no model {model!r} here; there are: {', '.join(self.models)}.")
        return firsts[model]

    def is_waited_for(self, gallery: str) -> bool:
        """Return whether `open` would have to load a model or to fetch and index the gallery first, which takes
        seconds."""
        service = self._opened.get(gallery) if gallery in self._later else self.photos
        return gallery in self.names and (service is None or gallery not in service.galleries)

    def open(self, gallery: str, progress: Progress = False, session: SessionData | None = None) -> OpenedGallery:
        """Open a gallery with its service, now where that has not happened yet; errors as `RetrievalService.open`."""
        service = self.of(gallery)
        if gallery in service.names:
            service.open(gallery, progress)
        return self.find(gallery, session)

    def find(self, gallery: str, session: SessionData | None = None) -> OpenedGallery:
        """Find an open gallery with its service, as `session` has it; errors as `RetrievalService.find`."""
        service = self.of(gallery)
        if session is None:
            return service, service.find(gallery)
        return service, with_edits(
            service.model, service.find(gallery, session.personal.get(gallery)), session.edits.get(gallery, {})
        )

    def by_photos(self, gallery: str, index: int, session: SessionData | None = None) -> tuple[IndexedGallery, int]:
        """Find an open gallery's picture as the photos' model encodes it: its own gallery and index where that is its
        model, else a gallery of it alone, encoded now; errors as `RetrievalService.find`."""
        service, indexed = self.find(gallery, session)
        if service is self.photos:
            return indexed, index
        digest = indexed.digest(index)
        alone = self._encoded_anew.get(digest)
        if alone is None:
            single = replace(indexed.gallery, items=(indexed.gallery.items[index],), skipped=())
            alone = index_gallery(self.photos.model, single, None, False, self.photos.encode_photos)
            self._encoded_anew.put(digest, alone)
        return alone, 0

"""Registry of the app's models, each with a service and its galleries."""

from collections.abc import Callable, Mapping, Sequence
from threading import Lock

from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.sources.folder import DRAWN, PERSONAL
from demo.galleries.sources.scenes import SCENES
from demo.service.generating.service import GeneratingService
from demo.service.judging import JudgingService
from demo.service.models.personal import SessionData
from demo.service.retrieval import RetrievalService
from seps.common.progress import Progress

OpenedGallery = tuple[RetrievalService, IndexedGallery]


class ModelRegistry:
    """Thread-safe registry that maps galleries to their services: that of photographs (also for uploads), and by
    gallery `later` ones, a model's name and a function that opens it once. The galleries of a user's own `models` come
    first. The judge, the generator and the captioner of photographs are None if they do not ship."""

    def __init__(
        self,
        photos: RetrievalService,
        later: Mapping[str, tuple[str, Callable[[], RetrievalService]]] | None = None,
        models: Sequence[str] = (),
        judging: JudgingService | None = None,
        generating: GeneratingService | None = None,
        captioning: GeneratingService | None = None,
    ) -> None:
        self.photos = photos
        self.judging = judging
        self.generating = generating
        self.captioning = captioning
        self._later = dict(later or {})
        self._opened: dict[str, RetrievalService] = {}
        self._opening = Lock()
        self._own = tuple(models)
        self.names = (*self._own, *photos.names, *(name for name in self._later if name not in self._own))
        self.models = (photos.name, *dict.fromkeys(model for model, _ in self._later.values()))

    @property
    def first(self) -> str:
        """The gallery the page starts with."""
        return next(iter(self._own), self.photos.first)

    def of(self, gallery: str) -> RetrievalService:
        """Return the service of a gallery, loading its model if needed; ValueError for an unknown gallery."""
        if gallery == DRAWN:
            return self.of(SCENES)
        if gallery in self._later:
            with self._opening:
                if gallery not in self._opened:
                    self._opened[gallery] = self._later[gallery][1]()
                return self._opened[gallery]
        if gallery not in (*PERSONAL, *self.names):
            raise ValueError(f"There is no gallery {gallery!r}; there are: {', '.join(self.names)}.")
        return self.photos

    def model_of(self, gallery: str) -> str:
        """Return the name of a gallery's model, which is not loaded for that."""
        return self._later[gallery][0] if gallery in self._later else self.photos.name

    def first_of(self, model: str) -> str:
        """Return the first gallery of a model; ValueError for an unknown model."""
        firsts = {name: gallery for gallery, (name, _) in reversed(self._later.items())} | {
            self.photos.name: self.photos.first
        }
        if model not in firsts:
            raise ValueError(f"There is no model {model!r} here; there are: {', '.join(self.models)}.")
        return firsts[model]

    def is_waited_for(self, gallery: str) -> bool:
        """Return whether `open` would load a model or fetch and index the gallery, which takes seconds."""
        service = self._opened.get(gallery) if gallery in self._later else self.photos
        return gallery in self.names and (service is None or gallery not in service.galleries)

    def open(self, gallery: str, progress: Progress = False, session: SessionData | None = None) -> OpenedGallery:
        """Open a gallery with its service, if it is not open yet; errors as `RetrievalService.open`."""
        service = self.of(gallery)
        if gallery in service.names:
            service.open(gallery, progress)
        return self.find(gallery, session)

    def find(self, gallery: str, session: SessionData | None = None) -> OpenedGallery:
        """Return an open gallery, or one of a session, with its service; errors as `RetrievalService.find`."""
        service = self.of(gallery)
        return service, service.find(gallery, None if session is None else session.get(gallery))

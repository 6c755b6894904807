"""The app's models, each on a bench of its own: a gallery belongs to one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from demo.galleries.folder import UPLOADS
from demo.galleries.index import IndexedGallery
from demo.service.own import EditedScene, with_edits
from demo.service.workbench import Workbench
from seps.progress import Progress

Found = tuple[Workbench, IndexedGallery]


@dataclass(frozen=True)
class Own:
    """What belongs to one person's session.

    Attributes:
        uploads: photographs of their own, or None.
        edits: edited scenes by gallery and place.
    """

    uploads: IndexedGallery | None = None
    edits: Mapping[str, Mapping[int, EditedScene]] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly."""
        edited = (scene.embeddings.nbytes for scenes in self.edits.values() for scene in scenes.values())
        return (0 if self.uploads is None else self.uploads.nbytes) + 2 * sum(edited)

    def with_edit(self, gallery: str, place: int, edit: EditedScene | None) -> Own:
        """With a scene edited, or as it was where `edit` is None."""
        others = {at: one for at, one in self.edits.get(gallery, {}).items() if at != place}
        return replace(self, edits={**self.edits, gallery: others if edit is None else {**others, place: edit}})


class Benches:
    """Finds the bench and the gallery that belong together. Safe to call from several threads.

    Args:
        photos: the bench of photographs, where the page begins and uploads go.
        later: benches whose model is loaded on first use, by the name of their one gallery: the model's name, and
            what opens the bench.
    """

    def __init__(
        self, photos: Workbench, later: Mapping[str, tuple[str, Callable[[], Workbench]]] | None = None
    ) -> None:
        self.photos = photos
        self._later = dict(later or {})
        self._opened: dict[str, Workbench] = {}
        self._opening = Lock()
        self.names = (*photos.names, *self._later)
        self.models = (photos.name, *(model for model, _ in self._later.values()))

    @property
    def first(self) -> str:
        """The gallery where the page begins."""
        return self.photos.first

    def of(self, gallery: str) -> Workbench:
        """The bench of a gallery, its model loaded now where that has not happened yet; uploads go to the photos'.

        Raises:
            ValueError: there is no gallery of that name.
        """
        if gallery in self._later:
            with self._opening:
                if gallery not in self._opened:
                    self._opened[gallery] = self._later[gallery][1]()
                return self._opened[gallery]
        if gallery != UPLOADS and gallery not in self.names:
            raise ValueError(f"There is no gallery {gallery!r}; there are: {', '.join(self.names)}.")
        return self.photos

    def first_of(self, model: str) -> str:
        """Where a model's galleries begin; ValueError where there is no such model."""
        found = {name: gallery for gallery, (name, _) in self._later.items()} | {self.photos.name: self.first}
        if model not in found:
            raise ValueError(f"There is no model {model!r} here; there are: {', '.join(self.models)}.")
        return found[model]

    def is_waited_for(self, gallery: str) -> bool:
        """Whether `open` would have to load a model or to fetch and index the gallery first, which takes seconds."""
        bench = self._opened.get(gallery) if gallery in self._later else self.photos
        return gallery in self.names and (bench is None or gallery not in bench.galleries)

    def open(self, gallery: str, progress: Progress = False, own: Own | None = None) -> Found:
        """A gallery with its bench, opened now where that has not happened yet; errors as `Workbench.open`."""
        bench = self.of(gallery)
        if gallery in bench.names:
            bench.open(gallery, progress)
        return self.find(gallery, own)

    def find(self, gallery: str, own: Own | None = None) -> Found:
        """An open gallery with its bench, as `own` has it; errors as `Workbench.find`."""
        bench = self.of(gallery)
        if own is None:
            return bench, bench.find(gallery)
        return bench, with_edits(bench.model, bench.find(gallery, own.uploads), own.edits.get(gallery, {}))

    def opened(self) -> list[Workbench]:
        """The benches whose models are loaded."""
        return [self.photos, *self._opened.values()]

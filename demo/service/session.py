"""Data of one session: uploads and edited scenes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from demo.galleries.index import GalleryInMemory
from demo.service.edited import EditedScene


@dataclass(frozen=True)
class SessionData:
    """Data of one session.

    Attributes:
        uploads: uploaded photographs, or None.
        edits: edited scenes by gallery and index.
        video: frames of an uploaded video, or None; camera: a camera frame, or None.
    """

    uploads: GalleryInMemory | None = None
    edits: Mapping[str, Mapping[int, EditedScene]] = field(default_factory=dict)
    video: GalleryInMemory | None = None
    camera: GalleryInMemory | None = None

    @property
    def personal(self) -> dict[str, GalleryInMemory]:
        """The session's galleries, by name."""
        galleries = (self.uploads, self.video, self.camera)
        return {indexed.gallery.name: indexed for indexed in galleries if indexed is not None}

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes."""
        edited = (scene.embeddings.nbytes for scenes in self.edits.values() for scene in scenes.values())
        return sum(indexed.nbytes for indexed in self.personal.values()) + 2 * sum(edited)

    def with_edit(self, gallery: str, index: int, edit: EditedScene | None) -> SessionData:
        """Return a copy with a scene edited, or restored if `edit` is None."""
        others = {at: scene for at, scene in self.edits.get(gallery, {}).items() if at != index}
        return replace(self, edits={**self.edits, gallery: others if edit is None else {**others, index: edit}})

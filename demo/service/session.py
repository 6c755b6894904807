"""What one person's session holds: their uploads and their edited scenes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from demo.galleries.index import GalleryInMemory
from demo.service.edited import EditedScene


@dataclass(frozen=True)
class SessionData:
    """What belongs to one person's session.

    Attributes:
        uploads: photographs of their own, or None.
        edits: edited scenes by gallery and index.
    """

    uploads: GalleryInMemory | None = None
    edits: Mapping[str, Mapping[int, EditedScene]] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly."""
        edited = (scene.embeddings.nbytes for scenes in self.edits.values() for scene in scenes.values())
        return (0 if self.uploads is None else self.uploads.nbytes) + 2 * sum(edited)

    def with_edit(self, gallery: str, index: int, edit: EditedScene | None) -> SessionData:
        """With a scene edited, or as it was where `edit` is None."""
        others = {at: scene for at, scene in self.edits.get(gallery, {}).items() if at != index}
        return replace(self, edits={**self.edits, gallery: others if edit is None else {**others, index: edit}})

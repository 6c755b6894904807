"""Controlled experiment: the effect of a change of a scene on its rank, score and kept patches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demo.galleries.annotation import SceneAnnotation
from demo.galleries.index import IndexedGallery
from demo.galleries.scenes import SCENES
from demo.service.edited import encode_edited
from demo.service.ranking import ImageRanking
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from seps import Explanation
from seps.checks import read_json
from seps.scenes import Scene
from seps.scenes.edit import edited

MAX_EDITED, MAX_CHANGES = 40, 200  # scenes of a session, changes of a scene
BACK = ("undo", "original")


@dataclass(frozen=True)
class Outcome:
    """A scene under a caption.

    Attributes:
        indexed: the gallery that contains it; ranking: of the gallery for the caption.
        rank: the scene's, from 1; record: its explanation; scene: its graph.
    """

    indexed: IndexedGallery
    ranking: ImageRanking
    rank: int
    record: Explanation
    scene: Scene


@dataclass(frozen=True)
class Experiment:
    """A scene before and after its changes; other changes in `session` are kept in both."""

    before: Outcome
    after: Outcome

    @property
    def gained(self) -> int:
        """Number of patches that only the changed scene keeps."""
        return int((self.after.record.sparse.kept & ~self.before.record.sparse.kept).sum())

    @property
    def lost(self) -> int:
        """Number of patches that only the original scene keeps."""
        return int((self.before.record.sparse.kept & ~self.after.record.sparse.kept).sum())


def experiment(registry: ModelRegistry, session: SessionData, index: int, caption: str) -> Experiment:
    """Rank and explain a scene of the gallery before and after its changes.

    Args:
        caption: as read by `read_caption`.
    """
    service, now = registry.open(SCENES, session=session)
    after = outcome(service, now, index, caption)
    if index not in session.edits.get(SCENES, {}):
        return Experiment(after, after)
    return Experiment(
        outcome(service, registry.find(SCENES, session.with_edit(SCENES, index, None))[1], index, caption), after
    )


def outcome(service: RetrievalService, indexed: IndexedGallery, index: int, caption: str) -> Outcome:
    """Rank and explain a scene of a gallery for a caption."""
    ranking = service.rank_images(indexed, caption)
    rank = 1 + ranking.order.index(index)
    return Outcome(
        indexed, ranking, rank, service.explain_encoded(indexed, index, ranking.encoded), known(indexed, index).scene
    )


def known(indexed: IndexedGallery, index: int) -> SceneAnnotation:
    """Return the annotation of a gallery's scene; ValueError for other pictures."""
    annotation = indexed.gallery.items[index].known
    if annotation is None:
        raise ValueError(f"{indexed.gallery.items[index].title} is no drawn scene: it cannot be edited.")
    return annotation


def with_changes(
    registry: ModelRegistry, session: SessionData, index: int, changes: Sequence[Mapping[str, Any]]
) -> SessionData:
    """Return the session's data after changes of a scene; only the last scene is drawn and encoded.

    Args:
        changes: as for `edited`, or {"do": "undo"} to revert the last one, or {"do": "original"}.

    Raises:
        ValueError: an invalid change, or too many.
    """
    service, indexed = registry.open(SCENES)
    item, edits = indexed.gallery.items[index], session.edits.get(SCENES, {})
    history = edits[index].history if index in edits else ()
    for change in changes:
        if change.get("do") in BACK:
            history = history[:-1] if change["do"] == "undo" else ()
        else:
            history = (*history, edited(history[-1] if history else known(indexed, index).scene, change))
    if len(history) > MAX_CHANGES or len({index, *edits}) > MAX_EDITED:
        raise ValueError(f"At most {MAX_EDITED} scenes and {MAX_CHANGES} changes of each: take some back first.")
    return session.with_edit(SCENES, index, encode_edited(service.model, item, history) if history else None)


def read_changes(text: str) -> list[dict[str, Any]]:
    """Parse changes from a JSON list; ValueError for anything else."""
    changes = read_json(text or "", "The changes")
    if (
        not isinstance(changes, list)
        or not all(isinstance(change, dict) for change in changes)
        or len(changes) > MAX_CHANGES
    ):
        raise ValueError(
            f'The changes must be a list of at most {MAX_CHANGES}, such as [{{"do": "remove", "object": 0}}].'
        )
    return changes

"""Edit a scene: move, remove or recolour an object or draw another scene, and see ranking and picture follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.galleries.annotation import object_name
from demo.galleries.scenes import SCENES
from demo.record.contrast import Side, changed_shares, contrast
from demo.record.packing import packed
from demo.record.photo import photo_value, with_new_key
from demo.record.scene import UNIT, objects_value
from demo.record.table import say
from demo.record.unmatched import unmatched_value
from demo.service.experiment import Experiment, Outcome
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.views.state import ViewState, link_to
from seps.scenes import KINDS, Scene


@dataclass(frozen=True)
class Editing:
    """What a person works on; lives in the session.

    Attributes:
        index: the scene's in the gallery; caption: as read; selected: the object in hand.
        source: the scene and the caption that were last taken over from the search.
    """

    index: int = 0
    caption: str = ""
    selected: int = 0
    source: tuple[int, str] | None = None


def scene_value(registry: ModelRegistry, tried: Experiment, editing: Editing) -> dict[str, Any]:
    """Return what the scene is drawn from, before and after."""
    service = registry.of(SCENES)
    state = ViewState(SCENES, editing.index, editing.caption)
    changed = tried.after is not tried.before
    return with_new_key(
        {
            "unit": UNIT,
            "model": service.name,
            "caption": editing.caption,
            "total": len(tried.after.indexed),
            "before": side_value(service, tried.before, editing),
            "after": side_value(service, tried.after, editing) if changed else None,
            "moved": say("mask.moved", gained=tried.gained, lost=tried.lost) if changed else "",
            "shares": share_changes(service, tried) if changed else [],
            "objects": things(tried.after.scene),
            "selected": editing.selected,
            "seed": tried.after.scene.seed,
            "link": link_to(service, "edit", tried.after.indexed, state),
        }
    )


def share_changes(service: RetrievalService, tried: Experiment) -> list[dict[str, Any]]:
    """Return the words whose shares of S(I, T) changed most, see `changed_shares`."""

    def side(outcome: Outcome) -> Side:
        return Side("", "", outcome.record, service.split(outcome.record))

    return changed_shares(contrast(side(tried.before), side(tried.after)))


def side_value(service: RetrievalService, outcome: Outcome, editing: Editing) -> dict[str, Any]:
    """Return the scene before or after: picture, record, rank, true outlines."""
    item = outcome.indexed.gallery.items[editing.index]
    return {
        "photo": photo_value(outcome.indexed, editing.index),
        "record": packed(outcome.record),
        "similarity": outcome.record.similarity,
        "rank": outcome.rank,
        "unfound": unmatched_value(outcome.record, service.unmatched_rule),
        "objects": [] if item.known is None else objects_value(item.known, editing.caption),
    }


def things(scene: Scene) -> list[dict[str, Any]]:
    """Return the objects as the panel lists them, with the colours that each can have."""
    return [
        {
            "number": number,
            "name": object_name(scene, number),
            "colour": thing.colour,
            "colours": list(KINDS[thing.kind].colours),
        }
        for number, thing in enumerate(scene.objects)
    ]


def own_caption(registry: ModelRegistry, session: SessionData, index: int) -> str:
    """Return a caption to begin with: the shortest of the scene's own."""
    captions = registry.find(SCENES, session)[1].gallery.items[index].captions
    return min(captions, key=len) if captions else ""

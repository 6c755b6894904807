"""Edit a scene: move, remove or recolour an object or draw another scene, and see ranking and picture follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demo.galleries.annotation import object_name
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.sources.scenes import SCENES
from demo.record.contrast import Side, contrast
from demo.record.contrast_values import changed_shares
from demo.record.packing import packed
from demo.record.photo import photo_value
from demo.record.scene import UNIT, objects_value
from demo.record.texts.table import say
from demo.service.experiments.experiment import Experiment, Outcome
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from seps.scenes import KINDS, Scene


@dataclass(frozen=True)
class Editing:
    """The scene's index in the gallery, the caption as read, and the `selected` object."""

    index: int = 0
    caption: str = ""
    selected: int = 0


def scene_value(registry: ModelRegistry, tried: Experiment, editing: Editing) -> dict[str, Any]:
    """Return what the scene is drawn from, before and after."""
    service = registry.of(SCENES)
    changed = tried.after is not tried.before
    return {
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
    }


def share_changes(service: RetrievalService, tried: Experiment) -> list[dict[str, Any]]:
    """Return the words whose shares of S(I, T) changed most, see `changed_shares`."""

    def side(outcome: Outcome) -> Side:
        return Side("", "", outcome.record, service.split_all(outcome.record)[0])

    return changed_shares(contrast(side(tried.before), side(tried.after)))


def side_value(service: RetrievalService, outcome: Outcome, editing: Editing) -> dict[str, Any]:
    """Return the scene before or after: picture, record, rank, true outlines."""
    item = outcome.indexed.gallery.items[editing.index]
    return {
        "photo": photo_value(outcome.indexed, editing.index),
        "record": packed(outcome.record),
        "similarity": outcome.record.similarity,
        "rank": outcome.rank,
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


def own_caption(indexed: IndexedGallery, index: int) -> str:
    """Return a caption to begin with: the shortest of the scene's own."""
    captions = indexed.gallery.items[index].captions
    return min(captions, key=len) if captions else ""

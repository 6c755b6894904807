"""Edit a scene: move, remove or recolour an object or draw another scene, and see ranking and picture follow."""

from typing import Any

from demo.galleries.annotation import object_name
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.sources.scenes import SCENES
from demo.record.contrast import Side, changed_shares, contrast
from demo.record.packing import packed
from demo.record.photo import photo_value
from demo.record.scene import UNIT, objects_value
from demo.record.texts.table import say
from demo.service.experiments.experiment import Experiment, Outcome
from demo.service.models.registry import ModelRegistry
from seps.scenes import KINDS


def scene_value(
    registry: ModelRegistry, tried: Experiment, index: int, caption: str, selected: int = 0
) -> dict[str, Any]:
    """Return what a scene of the gallery is drawn from, before and after, with its `selected` object."""
    service, scene = registry.of(SCENES), tried.after.scene
    changed = tried.after is not tried.before
    records = [outcome.record for outcome in (tried.before, tried.after)]
    then, now = (record.sparse.kept for record in records)
    sides = [Side("", "", record, service.split_all(record)[0]) for record in records] if changed else []
    return {
        "unit": UNIT,
        "model": service.name,
        "caption": caption,
        "total": len(tried.after.indexed),
        "before": _side_value(tried.before, index, caption),
        "after": _side_value(tried.after, index, caption) if changed else None,
        "moved": say("mask.moved", gained=(now & ~then).sum(), lost=(then & ~now).sum()) if changed else "",
        "shares": changed_shares(contrast(*sides)) if changed else [],  # of S(I, T), of the words that changed most
        "objects": [
            {"number": number, "name": object_name(scene, number)}
            | {"colour": thing.colour, "colours": list(KINDS[thing.kind].colours)}
            for number, thing in enumerate(scene.objects)
        ],
        "selected": selected,
        "seed": scene.seed,
    }


def _side_value(outcome: Outcome, index: int, caption: str) -> dict[str, Any]:
    """Return the scene before or after: picture, record, rank, true outlines."""
    item = outcome.indexed.gallery.items[index]
    return {
        "photo": photo_value(outcome.indexed, index),
        "record": packed(outcome.record),
        "similarity": outcome.record.similarity,
        "rank": outcome.rank,
        "objects": [] if item.known is None else objects_value(item.known, caption),
    }


def own_caption(indexed: IndexedGallery, index: int) -> str:
    """Return a caption to begin with: the shortest of the scene's own."""
    captions = indexed.gallery.items[index].captions
    return min(captions, key=len) if captions else ""

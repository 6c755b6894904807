"""What is measured beside an explanation when it is asked for: effects, blanked patches, how few patches it takes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from demo.explain.measured import MeasuredExplanation, Region, strongest_region
from demo.explain.phrases import phrases_of
from demo.explain.words import whereabouts
from demo.galleries.annotation import SceneAnnotation, labels, objects_name
from demo.service.threads import computing
from seps import Explanation, SEPSModel, explain, measure_blanked, measure_effects, smallest_change, smallest_set
from seps.data.regions import mask_overlap

Mask = NDArray[np.bool_]
OF_PATCH = 0.5  # of a patch's area: what an outline covers of those that it holds


def measure(
    model: SEPSModel,
    record: Explanation,
    patches: Tensor,
    caption: str,
    dense: str | None,
    name: str,
    mask: Mask | None = None,
    others: NDArray[np.float64] | None = None,
    known: SceneAnnotation | None = None,
) -> MeasuredExplanation:
    """Measure one of `MEASURES` beside a record, keeping what it has been given before.

    Args:
        model: encodes the captions; record: of this pair under `mask`.
        patches: (N[+1], C), as the model encodes the image.
        caption, dense: as read.
        name: of the measure; mask: (N,), the decision where it was forced.
        others: (K,), the other photographs' S(I, T) for the caption, which the smallest set and change need.
        known: what is true of a drawn scene, if it is one.

    Raises:
        ValueError: a smallest set or change without other photographs.
    """
    if name in ("smallest_set", "smallest_change") and others is None:
        raise ValueError(f'The layer "{name}" needs a gallery that the photo is ranked in: choose another, or Photos.')
    shown = record if isinstance(record, MeasuredExplanation) else measurable(record)
    if name in shown.searched:
        return shown
    return _measure(model, shown, patches, caption, dense, name, mask, others, known)


def measurable(record: Explanation) -> MeasuredExplanation:
    """The record with room for measures."""
    return MeasuredExplanation(**{one.name: getattr(record, one.name) for one in fields(record)})


@computing
def _measure(
    model: SEPSModel,
    shown: MeasuredExplanation,
    patches: Tensor,
    caption: str,
    dense: str | None,
    name: str,
    mask: Mask | None,
    others: NDArray[np.float64] | None,
    known: SceneAnnotation | None,
) -> MeasuredExplanation:
    """As `measure`, in a computing thread."""
    image = patches.to(model.device)
    words = model.encode_captions([caption])[0][0]  # (L_s, C)
    dense_words = model.encode_captions([dense], dense=True)[0][0] if dense else None  # (L_d, C)
    pair = (model.cross_net, image, words, dense_words)
    found: dict[str, Any] = {"searched": (*shown.searched, name)}
    with torch.no_grad():
        if name == "effect":
            found["effect"] = effects = measure_effects(*pair, mask=mask)
            region, title, named = told_region(shown, effects.effects, caption, known)
            kept = shown.sparse.kept & ~region
            if region.any() and kept.any():
                cost = shown.similarity - explain(*pair, grid=model.grid, mask=kept).similarity
                found["region"] = Region(int(region.sum()), title, named, cost)
        elif name == "blanked":
            found["blanked"] = measure_blanked(*pair, mask=mask)
        else:
            assert others is not None
            search = smallest_set if name == "smallest_set" else smallest_change
            found[name] = search(*pair, others=others, mask=mask)
    return replace(shown, **found)


def told_region(
    record: Explanation, effects: NDArray[np.floating[Any]], caption: str, known: SceneAnnotation | None
) -> tuple[Mask, str, bool]:
    """The kept patches whose dropping is told: those of the first objects of a scene that the caption names, else those
    around the one whose dropping costs most. With their name, and whether it is that of objects."""
    for mention in () if known is None else phrases_of(known, caption):
        assert known is not None
        region = patches_of(known, mention.objects, record.grid) & record.sparse.kept
        if region.any():
            return region, objects_name(known.scene, mention.objects), True
    region = strongest_region(record.sparse.kept, np.nan_to_num(effects), record.grid)
    place = whereabouts(record.on_grid(region.astype(float))) if region.any() else None
    return region, place or "", False


def patches_of(known: SceneAnnotation, objects: tuple[int, ...], grid: tuple[int, int]) -> Mask:
    """The patches inside objects of a scene: those that their pixels cover by half, or, of small ones, most: (N,)."""
    overlap = mask_overlap(np.isin(labels(known.scene), objects), grid).reshape(-1)  # (N,)
    most = overlap.max(initial=0)
    return np.asarray((overlap > 0) & (overlap >= min(OF_PATCH, most)))

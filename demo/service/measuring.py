"""What is measured beside an explanation when it is asked for: effects, blanked and blurred patches, smallest sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from demo.galleries.annotation import SceneAnnotation, labels, objects_name
from demo.galleries.phrases import phrases_of
from demo.service.gpu import Encode
from demo.service.measured import SLOW, MeasuredExplanation, Region, measurable, strongest_region
from demo.service.threads import computing
from demo.service.whereabouts import whereabouts
from seps import (
    Explanation,
    SEPSModel,
    explain,
    measure_blanked,
    measure_blurred,
    measure_effects,
    smallest_change,
    smallest_set,
)
from seps.data.regions import mask_overlap
from seps.progress import Progress

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
    """Measure one of `MEASURES` that is not in `SLOW` beside a record, keeping what it has been given before.

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
    shown = measurable(record)
    if name in shown.searched:
        return shown
    return _measure(model, shown, patches, caption, dense, name, mask, others, known)


def measure_slowly(
    model: SEPSModel,
    record: Explanation,
    photo: Callable[[], Image.Image],
    caption: str,
    dense: str | None,
    mask: Mask | None = None,
    encode: Encode | None = None,
    progress: Progress = False,
) -> MeasuredExplanation:
    """Measure what blurring each patch does beside a record, keeping what it has been given before.

    Args:
        model, record, caption, dense, mask: as `measure` takes them.
        photo: what gives the photograph; it is asked where it is needed.
        encode: as `measure_blurred`; progress: as in `ScoringEngine`.
    """
    shown = measurable(record)
    if "blurred" in shown.searched:
        return shown
    blurred = measure_blurred(model, photo(), caption, dense, mask=mask, encode=encode, progress=progress)
    return replace(shown, blurred=blurred, searched=(*shown.searched, *SLOW))


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
    changes: dict[str, Any] = {"searched": (*shown.searched, name)}
    with torch.no_grad():
        if name == "effect":
            changes["effect"] = effects = measure_effects(*pair, mask=mask)
            region, title, named = told_region(shown, effects.effects, caption, known)
            kept = shown.sparse.kept & ~region
            if region.any() and kept.any():
                cost = shown.similarity - explain(*pair, grid=model.grid, mask=kept).similarity
                changes["region"] = Region(int(region.sum()), title, named, cost)
        elif name == "blanked":
            changes["blanked"] = measure_blanked(*pair, mask=mask)
        else:
            assert others is not None
            search = smallest_set if name == "smallest_set" else smallest_change
            changes[name] = search(*pair, others=others, mask=mask)
    return replace(shown, **changes)


def told_region(
    record: Explanation, effects: NDArray[np.floating[Any]], caption: str, known: SceneAnnotation | None
) -> tuple[Mask, str, bool]:
    """The kept patches whose dropping is described: those of the first objects of a scene that the caption names, else
    those around the one whose dropping costs most. With their name, and whether it is that of objects."""
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

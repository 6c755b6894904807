"""Functions that compute the measurements of `demo.service.measuring.measures`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from demo.galleries.annotation import SceneAnnotation, labels, objects_name, phrases_of
from demo.service.measuring.measured import (
    MeasuredExplanation,
    PatchEffects,
    Region,
    find_strongest_region,
    measures_of,
    whereabouts,
    with_measures,
)
from demo.service.measuring.measures import find_measure
from demo.service.threads import Encode, computing
from seps import (
    CrossSparseAggrNet,
    Explanation,
    MinimalSet,
    SEPSModel,
    explain,
    measure_blanked,
    measure_blurred,
    measure_effects,
    smallest_change,
    smallest_set,
)
from seps.common.progress import Progress
from seps.data.objects import mask_overlap

Mask = NDArray[np.bool_]
OF_PATCH = 0.5  # of a patch's area: what an outline covers of those that it holds


@dataclass(frozen=True)
class Pair:
    """Input of a measurement: a photograph and a caption under a decision.

    Attributes:
        model: encodes the captions; record: of this pair under `mask`.
        patches: (N[+1], C), as encoded; photo: function that returns the photograph.
        caption, dense: as read; mask: (N,), the forced decision, or None.
        others: (K,), the other photographs' S(I, T) for the caption, for ranked measurements.
        known: annotation of a drawn scene, or None.
        encode: as for `measure_blurred`; progress: of slow measurements, as in `ScoringEngine`.
    """

    model: SEPSModel
    record: Explanation
    patches: Tensor
    photo: Callable[[], Image.Image]
    caption: str
    dense: str | None = None
    mask: Mask | None = None
    others: NDArray[np.float64] | None = None
    known: SceneAnnotation | None = None
    encode: Encode | None = None
    progress: Progress = False

    def embeddings(self) -> tuple[CrossSparseAggrNet, Tensor, Tensor, Tensor | None]:
        """Return the network, the image's patches (N[+1], C), and the words (L, C) of the caption and of the dense
        one."""
        words = self.model.encode_captions([self.caption])[0][0]
        dense_words = self.model.encode_captions([self.dense], dense=True)[0][0] if self.dense else None
        return self.model.cross_net, self.patches.to(self.model.device), words, dense_words


Compute = Callable[[Pair], PatchEffects | MinimalSet | None]
_COMPUTES: dict[str, Compute] = {}


def computes(name: str) -> Callable[[Compute], Compute]:
    """Register a function that computes the row `name` of `MEASURES`."""

    def register(function: Compute) -> Compute:
        _COMPUTES[name] = function
        return function

    return register


def measure(name: str, pair: Pair) -> MeasuredExplanation:
    """Add one of `MEASURES` to a record, keeping existing ones; ValueError for a ranked one without other
    photographs."""
    row = find_measure(name)
    assert row is not None, name
    if row.ranked and pair.others is None:
        raise ValueError(f'The layer "{name}" needs a gallery that the photo is ranked in: choose another, or Photos.')
    if name in measures_of(pair.record):
        return with_measures(pair.record, {})
    compute = _COMPUTES[name]
    if not row.slow:  # slow ones use the computing threads one image at a time
        compute = computing(torch.no_grad()(compute))
    return with_measures(pair.record, {name: compute(pair)})


@computes("effect")
def effects_of_decisions(pair: Pair) -> PatchEffects:
    """Measure the effect of flipping each patch's decision, and the cost of dropping a region."""
    embeddings = pair.embeddings()
    effects = measure_effects(*embeddings, mask=pair.mask)
    patches, name, named = choose_described_region(pair.record, effects.effects, pair.caption, pair.known)
    kept = pair.record.sparse.kept & ~patches
    if not (patches.any() and kept.any()):
        return PatchEffects.of(effects)
    without = explain(*embeddings, grid=pair.model.grid, mask=kept)
    cost = pair.record.similarity - without.similarity
    return PatchEffects.of(effects, Region(int(patches.sum()), name, named, cost))


@computes("blanked")
def effects_of_content(pair: Pair) -> PatchEffects:
    """Measure the effect of blanking each patch's embedding."""
    return PatchEffects.of(measure_blanked(*pair.embeddings(), mask=pair.mask))


@computes("blurred")
def effects_of_pixels(pair: Pair) -> PatchEffects:
    """Measure the effect of blurring each patch's pixels."""
    how: dict[str, Any] = {"mask": pair.mask, "encode": pair.encode, "progress": pair.progress}
    return PatchEffects.of(measure_blurred(pair.model, pair.photo(), pair.caption, pair.dense, **how))


@computes("smallest_set")
def fewest_patches(pair: Pair) -> MinimalSet:
    """Find the fewest patches that keep the photo's rank."""
    assert pair.others is not None
    return smallest_set(*pair.embeddings(), others=pair.others, mask=pair.mask)


@computes("smallest_change")
def fewest_changes(pair: Pair) -> MinimalSet | None:
    """Find the fewest flipped decisions that lose the photo's rank."""
    assert pair.others is not None
    return smallest_change(*pair.embeddings(), others=pair.others, mask=pair.mask)


def choose_described_region(
    record: Explanation, effects: NDArray[np.floating[Any]], caption: str, known: SceneAnnotation | None
) -> tuple[Mask, str, bool]:
    """Choose the kept patches for a description: of the first objects of a scene that the caption names, else
    those around the one with the highest cost. Also return their name, and whether it names objects."""
    for mention in () if known is None else phrases_of(known, caption):
        assert known is not None
        region = patches_of(known, mention.objects, record.grid) & record.sparse.kept
        if region.any():
            return region, objects_name(known.scene, mention.objects), True
    region = find_strongest_region(record.sparse.kept, np.nan_to_num(effects), record.grid)
    place = whereabouts(record.on_grid(region.astype(float))) if region.any() else None
    return region, place or "", False


def patches_of(known: SceneAnnotation, objects: tuple[int, ...], grid: tuple[int, int]) -> Mask:
    """Return the patches of objects of a scene, (N,): those covered at least by half or, for small objects, most."""
    overlap = mask_overlap(np.isin(labels(known.scene), objects), grid).reshape(-1)  # (N,)
    most = overlap.max(initial=0)
    return np.asarray((overlap > 0) & (overlap >= min(OF_PATCH, most)))

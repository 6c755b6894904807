"""Functions that compute the measurements of `demo.service.measuring.measures`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

import seps
from demo.galleries.annotation import SceneAnnotation, labels, objects_name, phrases_of
from demo.service.masks import Mask
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
from seps.common.progress import Progress
from seps.data.objects import mask_overlap

OF_PATCH = 0.5  # of a patch's area: what an outline covers of those that it holds


@dataclass(frozen=True)
class Pair:
    """Input of a measurement: a photograph and a caption under a decision."""

    model: seps.SEPSModel
    record: seps.Explanation  # of this pair under `mask`
    patches: Tensor  # (N[+1], C)
    photo: Callable[[], Image.Image]
    caption: str
    dense: str | None = None
    mask: Mask | None = None  # (N,), the forced decision
    others: NDArray[np.float64] | None = None  # (K,), the other photographs' S(I, T), for ranked measurements
    known: SceneAnnotation | None = None  # of a drawn scene
    encode: Encode | None = None  # as for `measure_blurred`
    progress: Progress = False

    def embeddings(self) -> tuple[seps.CrossSparseAggrNet, Tensor, Tensor, Tensor | None]:
        """Return the network, patches (N[+1], C), and words (L, C) of the caption and of the dense one."""
        words = self.model.encode_captions([self.caption])[0][0]
        dense_words = self.model.encode_captions([self.dense], dense=True)[0][0] if self.dense else None
        return self.model.cross_net, self.patches.to(self.model.device), words, dense_words


def measure(name: str, pair: Pair) -> MeasuredExplanation:
    """Add one of `MEASURES` to a record, keeping existing ones; ValueError for a ranked one without other
    photographs."""
    row = find_measure(name)
    assert row is not None, name
    if row.ranked and pair.others is None:
        raise ValueError(f'The layer "{name}" needs a gallery that the photo is ranked in: choose another, or Photos.')
    if name in measures_of(pair.record):
        return with_measures(pair.record, {})
    compute = COMPUTES[name]
    if not row.slow:  # slow ones use the computing threads one image at a time
        compute = computing(torch.no_grad()(compute))
    return with_measures(pair.record, {name: compute(pair)})


def effects_of_decisions(pair: Pair) -> PatchEffects:
    """Measure the effect of flipping each patch's decision, and the cost of dropping a region."""
    embeddings = pair.embeddings()
    effects = seps.measure_effects(*embeddings, mask=pair.mask)
    patches, name, named = choose_described_region(pair.record, effects.effects, pair.caption, pair.known)
    kept = pair.record.sparse.kept & ~patches
    if not (patches.any() and kept.any()):
        return PatchEffects.of(effects)
    without = seps.explain(*embeddings, grid=pair.model.grid, mask=kept)
    cost = pair.record.similarity - without.similarity
    return PatchEffects.of(effects, Region(int(patches.sum()), name, named, cost))


def effects_of_pixels(pair: Pair) -> PatchEffects:
    """Measure the effect of blurring each patch's pixels."""
    how: dict[str, Any] = {"mask": pair.mask, "encode": pair.encode, "progress": pair.progress}
    return PatchEffects.of(seps.measure_blurred(pair.model, pair.photo(), pair.caption, pair.dense, **how))


def fewest(search: Callable[..., seps.MinimalSet | None], pair: Pair) -> seps.MinimalSet | None:
    """Find the fewest patches that keep, or flipped decisions that lose, the photo's rank."""
    return search(*pair.embeddings(), others=pair.others, mask=pair.mask)


COMPUTES: dict[str, Callable[[Pair], PatchEffects | seps.MinimalSet | None]] = {  # rows of MEASURES
    "effect": effects_of_decisions,
    "blanked": lambda pair: PatchEffects.of(seps.measure_blanked(*pair.embeddings(), mask=pair.mask)),
    "blurred": effects_of_pixels,
    "smallest_set": partial(fewest, seps.smallest_set),
    "smallest_change": partial(fewest, seps.smallest_change),
}


def choose_described_region(
    record: seps.Explanation, effects: NDArray[np.floating[Any]], caption: str, known: SceneAnnotation | None
) -> tuple[Mask, str, bool]:
    """Choose the kept patches of the first objects that the caption names, else those around the one with the highest
    cost; return them with their name, and whether it names objects."""
    for mention in () if known is None else phrases_of(known, caption):
        assert known is not None
        region = patches_of(known, mention.objects, record.grid) & record.sparse.kept
        if region.any():
            return region, objects_name(known.scene, mention.objects), True
    region = find_strongest_region(record.sparse.kept, np.nan_to_num(effects), record.grid)
    place = whereabouts(record.on_grid(region.astype(float))) if region.any() else None
    return region, place or "", False


def patches_of(known: SceneAnnotation, objects: tuple[int, ...], grid: tuple[int, int]) -> Mask:
    """Return the patches (N,) that objects of a scene cover at least by half or, for small objects, most."""
    overlap = mask_overlap(np.isin(labels(known.scene), objects), grid).reshape(-1)  # (N,)
    most = overlap.max(initial=0)
    return np.asarray((overlap > 0) & (overlap >= min(OF_PATCH, most)))

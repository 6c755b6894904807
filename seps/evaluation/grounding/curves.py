"""Deletion and insertion curves (Petsiuk et al., BMVC 2018), over patches instead of pixels.

Deletion removes an image's patches in an order, the first ones first, and records the fall of S(I, T); insertion starts
without any patch, adds them in the same order, and records the rise. The earlier it falls or rises, the better the
order reflects what S(I, T) depends on.

A removed patch is replaced by the neutral patch, the mean over all patches of all measured images, so that N is
constant and no content remains. The patch's embedding is removed, not its pixels, so that other embeddings may contain
some of it. Two alternatives are worse. The mean patch of the image itself reveals the image's content and is favoured
by the attention s^im: if it replaces half of the patches, captions keep hardly any other. A zero patch adds nothing to
a token's direction, so that any few remaining patches score nearly as high as all. The [CLS] token, if any, stays,
since it has no place in a map.

A curve is summarized by the area under it, with the score without patches as 0 and with all patches as 1. Over many
captions both scores are summed before the division, so that captions with nearly equal scores have no excessive weight:
area = sum of (area under S - S of none) / sum of (S of all - S of none).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seps.method.network import CrossSparseAggrNet
from seps.runs.bootstrap import Estimate, bootstrap, ratio

STEPS = 20  # of 5% of the patches each
BATCH_SIZE = 64  # variants of an image in one pass

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]
Booleans = NDArray[np.bool_]
Score = Callable[[Booleans], Floats]
"""Maps the present patches, (V, N), to scores, (V,)."""


@dataclass(frozen=True)
class CurveTask:
    """Inputs for one caption's curves: its image (N[+1], C) and number, words (L, C), orders by method."""

    image: Tensor
    owner: int
    words: Tensor
    orders: Mapping[str, Integers]


def step_counts(num_patches: int) -> Integers:
    """Return the number of patches removed or added after each step, from 0 to all: (S,), at most 21."""
    return np.unique(np.round(np.linspace(0, num_patches, STEPS + 1)).astype(np.int64))


def variants(order: Integers, counts: Integers) -> Booleans:
    """Mark the present patches at each step of deletion and of insertion: (2, S, N).

    Args:
        order: (N,), all patches; counts: (S,), numbers of removed, or added, patches.
    """
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    added = rank < counts[:, None]  # (S, N)
    return np.stack([~added, added])


def curves(score: Score, order: Integers, counts: Integers) -> Floats:
    """Return the scores at each step of deletion and of insertion: (2, S)."""
    present = variants(order, counts)  # (2, S, N)
    return score(present.reshape(-1, len(order))).reshape(present.shape[:2])


def rescorer(net: CrossSparseAggrNet, image: Tensor, words: Tensor, neutral: Tensor) -> Score:
    """Return a function that scores one image and one caption without some patches.

    Args:
        image: (N[+1], C); words: (L, C); neutral: (C,), the replacement of removed patches.
    """

    def score(present: Booleans) -> Floats:
        scores = []
        with torch.no_grad(), torch.autocast(image.device.type, enabled=False):
            for start in range(0, len(present), BATCH_SIZE):
                there = torch.from_numpy(present[start : start + BATCH_SIZE]).to(image.device)  # (V, N)
                changed = image.repeat(len(there), 1, 1)  # (V, N[+1], C)
                changed[:, -net.num_patches :][~there] = neutral
                scores.append(net.match(net.encode_images(changed), words).similarity)
        return torch.cat(scores).double().cpu().numpy()

    return score


def area(curve: Floats, counts: Integers) -> Floats:
    """Return the area under curves (..., S), linear between steps, over fractions of patches from 0 to 1: (...)."""
    widths = np.diff(counts) / counts[-1]  # (S - 1,)
    return (curve[..., 1:] + curve[..., :-1]) / 2 @ widths


@dataclass(frozen=True)
class Curves:
    """The mean curves of some captions.

    Attributes:
        captions: their number; shares: (S,), fractions of patches removed or added.
        deletion, insertion: by method, the mean S(I, T) at each share, (S,).
    """

    captions: int
    shares: list[float]
    deletion: dict[str, list[float]]
    insertion: dict[str, list[float]]


def mean_curves(values: Floats, counts: Integers, methods: Sequence[str]) -> Curves:
    """Average curves (captions, methods, 2, S) over captions."""
    deletion, insertion = (dict(zip(methods, values.mean(axis=0)[:, i].tolist(), strict=True)) for i in range(2))
    return Curves(len(values), (counts / counts[-1]).tolist(), deletion, insertion)


def area_estimates(values: Floats, counts: Integers, images: Integers) -> tuple[Estimate | None, Estimate | None]:
    """Return the areas under one method's deletion and insertion curves, scaled from no patch to all.

    Args:
        values: (captions, 2, S); counts: (S,); images: (captions,), the image of each.

    Returns:
        None if all patches score no better than none.
    """
    none, full = values[:, 1, 0], values[:, 1, -1]  # (captions,)

    def estimated(curve: Floats) -> Estimate | None:
        columns = np.stack([area(curve, counts) - none, full - none], axis=1)  # (captions, 2)
        return bootstrap(columns, images, lambda sums: ratio(sums[..., 0], sums[..., 1]))

    return estimated(values[:, 0]), estimated(values[:, 1])

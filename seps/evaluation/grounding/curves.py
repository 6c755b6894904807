"""Deletion and insertion curves (Petsiuk et al., BMVC 2018), over patches in the place of pixels.

Deletion removes an image's patches in an order, the first ones first, and watches S(I, T) fall; insertion starts
without any patch, adds them in the same order, and watches it rise. The earlier it falls or rises, the better does the
order tell what S(I, T) depends on.

A removed patch is replaced by the neutral patch, the mean over all patches of all measured images, so that N stays what
it is and nothing is left of what stood there. Pixels stay as they are: what is removed is the patch's embedding, in
which the encoder may have mixed some of its surroundings. Two other choices serve less well. The mean patch of the
image itself tells what the image shows, and is what its own attention s^im favours: where half of the patches are
replaced by it, captions keep hardly any other. A zero patch adds nothing to a token's direction, so that a few patches
that are left, whichever they are, score nearly as all do. The [CLS] token, where there is one, stays: no picture has a
place for it.

A curve is summed up by the area under it, with the score of no patch at all as 0 and that of all patches as 1. Over
many captions both scores are summed before the division, so that captions for which they hardly differ do not blow it
up: area = sum of (area under S - S of none) / sum of (S of all - S of none).
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
"""Which patches are there, (V, N), to scores, (V,)."""


@dataclass(frozen=True)
class CurveTask:
    """A caption whose curves are to be measured: its image (N[+1], C) and number, words (L, C), orders by method."""

    image: Tensor
    owner: int
    words: Tensor
    orders: Mapping[str, Integers]


def step_counts(num_patches: int) -> Integers:
    """Return how many patches are removed or added after each step, from 0 to all: (S,), at most 21."""
    return np.unique(np.round(np.linspace(0, num_patches, STEPS + 1)).astype(np.int64))


def variants(order: Integers, counts: Integers) -> Booleans:
    """Return which patches are there at each step of deletion and of insertion: (2, S, N).

    Args:
        order: (N,), all patches; counts: (S,), how many of the first ones are removed, or added.
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
    """Return the forward pass of one image and one caption, without some patches.

    Args:
        image: (N[+1], C); words: (L, C); neutral: (C,), what a removed patch is replaced by.
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
    """Return the area under curves (..., S), linear between steps, over shares of patches from 0 to 1: (...)."""
    widths = np.diff(counts) / counts[-1]  # (S - 1,)
    return (curve[..., 1:] + curve[..., :-1]) / 2 @ widths


@dataclass(frozen=True)
class Curves:
    """The mean curves of some captions.

    Attributes:
        captions: how many; shares: (S), of patches removed or added.
        deletion, insertion: by method, the mean S(I, T) at each share, (S).
    """

    captions: int
    shares: list[float]
    deletion: dict[str, list[float]]
    insertion: dict[str, list[float]]


def mean_curves(values: Floats, counts: Integers, methods: Sequence[str]) -> Curves:
    """Return the mean over captions of curves (captions, methods, 2, S)."""
    deletion, insertion = (dict(zip(methods, values.mean(axis=0)[:, i].tolist(), strict=True)) for i in range(2))
    return Curves(len(values), (counts / counts[-1]).tolist(), deletion, insertion)


def area_estimates(values: Floats, counts: Integers, images: Integers) -> tuple[Estimate | None, Estimate | None]:
    """Return the areas under one method's deletion and insertion curves, on a scale from no patch to all.

    Args:
        values: (captions, 2, S); counts: (S,); images: (captions,), the image of each.

    Returns:
        None where all patches score no better than none.
    """
    none, full = values[:, 1, 0], values[:, 1, -1]  # (captions,)

    def estimated(curve: Floats) -> Estimate | None:
        columns = np.stack([area(curve, counts) - none, full - none], axis=1)  # (captions, 2)
        return bootstrap(columns, images, lambda sums: ratio(sums[..., 0], sums[..., 1]))

    return estimated(values[:, 0]), estimated(values[:, 1])

"""Deletion and insertion curves (Petsiuk et al., BMVC 2018), over patches instead of pixels.

Deletion removes an image's patches in an order, the first ones first, and records the fall of S(I, T); insertion starts
without any patch and records the rise. A removed patch is replaced by the neutral patch, the mean over all patches of
all measured images; the image's own mean would reveal its content. [CLS] stays. Over many captions
area = sum of (area under S - S of none) / sum of (S of all - S of none).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from seps.evaluation.grounding.measures import Booleans, Floats, Integers
from seps.method.network import CrossSparseAggrNet
from seps.runs.bootstrap import Estimate, bootstrap, ratio

STEPS = 20  # of 5% of the patches each
BATCH_SIZE = 64  # variants of an image in one pass

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


def curves(score: Score, order: Integers, counts: Integers) -> Floats:
    """Return the scores at each step of deletion and of insertion in an order (N,): (2, S)."""
    added = np.argsort(order) < counts[:, None]  # (S, N)
    present = np.stack([~added, added])  # (2, S, N)
    return score(present.reshape(-1, len(order))).reshape(present.shape[:2])


def rescorer(net: CrossSparseAggrNet, image: Tensor, words: Tensor, neutral: Tensor) -> Score:
    """Return a function that scores image and caption with some patches replaced by `neutral` (C,)."""

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
    """The mean S(I, T) of captions at each share (S,) of patches removed or added, by method."""

    captions: int
    shares: list[float]
    deletion: dict[str, list[float]]
    insertion: dict[str, list[float]]


def mean_curves(values: Floats, counts: Integers, methods: Sequence[str]) -> Curves:
    """Average curves (captions, methods, 2, S) over captions."""
    deletion, insertion = (dict(zip(methods, values.mean(axis=0)[:, i].tolist(), strict=True)) for i in range(2))
    return Curves(len(values), (counts / counts[-1]).tolist(), deletion, insertion)


def area_estimates(values: Floats, counts: Integers, images: Integers) -> tuple[Estimate | None, Estimate | None]:
    """Return the areas under one method's curves (captions, 2, S); None if all patches score no better than none."""
    none, full = values[:, 1, 0], values[:, 1, -1]  # (captions,)

    def estimated(curve: Floats) -> Estimate | None:
        columns = np.stack([area(curve, counts) - none, full - none], axis=1)  # (captions, 2)
        return bootstrap(columns, images, lambda sums: ratio(sums[..., 0], sums[..., 1]))

    return estimated(values[:, 0]), estimated(values[:, 1])

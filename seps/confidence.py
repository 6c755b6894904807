"""A mean over phrases, or over anything else that images have several of, and how far chance may move it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

DRAWS, SEED = 1000, 0
TAILS = (0.025, 0.975)


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95% confidence interval [low, high]."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def estimate(values: NDArray[np.float64], images: NDArray[np.integer[Any]]) -> Estimate:
    """The mean of values (n,), and its interval by bootstrap: images drawn anew 1,000 times, each with all its values.

    The draws come from one seed, so that what is measured on the same images is drawn alike.

    Args:
        values: (n,).
        images: (n,), the image of each value.
    """
    present, row = np.unique(images, return_inverse=True)
    sums, counts = np.bincount(row, weights=values), np.bincount(row)  # (images,)
    count = len(present)
    drawn = np.random.default_rng(SEED).multinomial(count, [1 / count] * count, size=DRAWS)  # (draws, images)
    low, high = np.quantile((drawn @ sums) / (drawn @ counts), TAILS)
    return Estimate(float(values.mean()), float(low), float(high))

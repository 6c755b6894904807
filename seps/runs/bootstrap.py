"""Confidence intervals: how far a figure would move were images, prompts or other groups sampled anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seps.numbers import written

SAMPLES, SEED = 1000, 0
TAILS = (0.025, 0.975)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean, or another figure, with its 95% confidence interval [low, high]; NaN where there is none."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{written(self.mean, '.3f')} {self.interval}"

    @property
    def interval(self) -> str:
        """The interval alone, as it is printed."""
        return f"[{written(self.low, '.3f')}, {written(self.high, '.3f')}]"


def estimate(values: Floats, images: NDArray[np.integer[Any]]) -> Estimate:
    """Return the mean of values (n,), n at least 1, and its interval, see `bootstrap`.

    Args:
        values: (n,).
        images: (n,), the image of each value.
    """
    result = bootstrap(
        np.stack([values, np.ones(len(values))], axis=1), images, lambda sums: sums[..., 0] / sums[..., 1]
    )
    assert result is not None
    return result


def bootstrap(columns: Floats, images: NDArray[np.integer[Any]], figure: Callable[[Floats], Floats]) -> Estimate | None:
    """Return a figure made of sums, a ratio for one, and its interval: 1,000 samples of images, each with all it has.

    The samples come from one seed, so that what is measured on the same images is sampled alike.

    Args:
        columns: (n, k), what is summed.
        images: (n,), the image of each row.
        figure: sums (..., k) to figures (...), NaN where there is none. Samples without one are left out.

    Returns:
        None where the sums over all images make no figure.
    """
    present, row = np.unique(images, return_inverse=True)
    sums = np.stack([np.bincount(row, weights=column) for column in columns.T], axis=1)  # (images, k)
    mean = float(figure(sums.sum(axis=0)))
    if np.isnan(mean):
        return None
    return with_interval(mean, figure(resamples(len(present)).astype(np.float64) @ sums))


def resamples(count: int) -> NDArray[np.int64]:
    """Sample groups with replacement: (SAMPLES, count), how often each sample has each group, always the same for a
    count."""
    return np.random.default_rng(SEED).multinomial(count, [1 / count] * count, size=SAMPLES)


def with_interval(value: float, sampled: Floats) -> Estimate:
    """Give a figure its interval.

    Args:
        value: over all groups; sampled: (SAMPLES,), of each sample, NaN where it has none, which is left out.

    Returns:
        The interval's bounds are NaN where no sample has a figure.
    """
    sampled = sampled[np.isfinite(sampled)]
    low, high = np.quantile(sampled, TAILS) if len(sampled) else (float("nan"), float("nan"))
    return Estimate(value, float(low), float(high))


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """numerator / denominator, both (...); NaN where the denominator is not above 0."""
    return np.divide(numerator, denominator, out=np.full(np.shape(numerator), np.nan), where=np.greater(denominator, 0))

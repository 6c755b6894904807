"""Bootstrap confidence intervals over images, prompts or other groups."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seps.common.numbers import written

SAMPLES, SEED = 1000, 0
TAILS = (0.025, 0.975)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean, or another figure, with its 95% confidence interval [low, high]; NaN if there is none."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return with_bounds(self.mean, self.low, self.high)

    @property
    def interval(self) -> str:
        """Format only the interval."""
        return str(self).partition(" ")[2]


def with_bounds(mean: float, low: float, high: float) -> str:
    """Format a figure and its interval: "0.500 [0.400, 0.600]"."""
    mean_text, low_text, high_text = (written(value, ".3f") for value in (mean, low, high))
    return f"{mean_text} [{low_text}, {high_text}]"


def estimate(values: Floats, images: NDArray[np.integer[Any]]) -> Estimate:
    """Return the mean of values (n,) and its interval by `bootstrap`; images: (n,), the image of each value."""
    result = bootstrap(
        np.stack([values, np.ones(len(values))], axis=1), images, lambda sums: sums[..., 0] / sums[..., 1]
    )
    assert result is not None
    return result


def bootstrap(columns: Floats, images: NDArray[np.integer[Any]], figure: Callable[[Floats], Floats]) -> Estimate | None:
    """Return a figure computed from sums, such as a ratio, with its interval from 1,000 seeded samples of images.

    Args:
        columns: (n, k), values to sum; images: (n,), the image of each row.
        figure: maps sums (..., k) to figures (...), NaN if undefined. Such samples are left out; None without any.
    """
    present, row = np.unique(images, return_inverse=True)
    sums = np.stack([np.bincount(row, weights=column) for column in columns.T], axis=1)  # (images, k)
    mean = float(figure(sums.sum(axis=0)))
    if np.isnan(mean):
        return None
    return with_interval(mean, figure(resamples(len(present)).astype(np.float64) @ sums))


def resamples(count: int) -> NDArray[np.int64]:
    """Sample groups with replacement: (SAMPLES, count), how often each sample contains each group; deterministic."""
    return np.random.default_rng(SEED).multinomial(count, [1 / count] * count, size=SAMPLES)


def with_interval(value: float, sampled: Floats) -> Estimate:
    """Add an interval to a figure from its samples (SAMPLES,), NaN left out; its bounds are NaN if nothing is left."""
    sampled = sampled[np.isfinite(sampled)]
    low, high = np.quantile(sampled, TAILS) if len(sampled) else (float("nan"), float("nan"))
    return Estimate(value, float(low), float(high))


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide `numerator` by `denominator`, both (...); NaN if the denominator is not positive."""
    return np.divide(numerator, denominator, out=np.full(np.shape(numerator), np.nan), where=np.greater(denominator, 0))

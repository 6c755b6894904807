"""Measures of one map, order or decision mask against known regions, as functions on arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seps.data.objects import Booleans, Floats, energy_inside

TIE = 1e-6  # weights this close to the heaviest, in shares of it, are as heavy

Integers = NDArray[np.integer[Any]]


def measure_map(weights: Floats | None, overlap: Floats, hits: Booleans) -> tuple[float, float]:
    """Return energy inside, and 1.0 or 0.0 for the pointing game, of weights (N,); both 0.0 without weights."""
    if weights is None or not weights.any():
        return 0.0, 0.0
    heaviest = np.flatnonzero(weights >= weights.max() * (1 - TIE))
    hit = len(heaviest) == 1 and bool(hits[heaviest[0]])
    return energy_inside(weights, overlap), float(hit)


def order_of(weights: Floats, score: Floats | None = None) -> Integers:
    """Sort all patches (N,) by weight, the heaviest first; ties by score (N,), the highest first, then by position."""
    return np.lexsort((-weights,) if score is None else (-score, -weights))


def first(order: Integers, count: int) -> Booleans:
    """Mark the first `count` patches of an order (N,)."""
    inside = np.zeros(len(order), dtype=np.bool_)
    inside[order[:count]] = True
    return inside

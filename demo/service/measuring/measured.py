"""Records with additional measurements, see `demo.service.measuring.measures`, and where in a picture they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seps import Blanked, Effects, Explanation, MinimalSet

STRONG = 0.5  # of the highest effect: what a patch of the strongest region has at least

STANDS_OUT = 1.25  # a third's share of the amount over its share of the patches
ROWS, COLUMNS = ("upper", "middle", "lower"), ("left", "middle", "right")


@dataclass(frozen=True)
class Region:
    """Kept patches that are dropped together."""

    count: int  # of patches
    name: str  # of their object, "the red car", or place, "on the upper left"
    named: bool  # whether the name is an object's
    cost: float  # S(I, T) minus S(I, T) with all of them dropped


@dataclass(frozen=True, eq=False)
class PatchEffects:
    """Loss of S(I, T) without each patch, negative for a gain; 0 for the only kept patch, which cannot be dropped."""

    values: NDArray[np.float64]  # (N,)
    words: NDArray[np.float64]  # (L, N), of each word's part
    region: Region | None = None  # to describe with them

    @classmethod
    def of(cls, measured: Effects | Blanked, region: Region | None = None) -> PatchEffects:
        """Convert a measurement of the library."""
        return cls(np.nan_to_num(measured.effects), np.nan_to_num(measured.word_effects), region)


@dataclass(frozen=True, eq=False)
class MeasuredExplanation(Explanation):
    """A record with further `measures` by names of `MEASURES`; None for one without a result."""

    measures: Mapping[str, PatchEffects | MinimalSet | None] = field(default_factory=dict)


def measures_of(record: Explanation) -> Mapping[str, PatchEffects | MinimalSet | None]:
    """Return a record's additional measurements by name."""
    return record.measures if isinstance(record, MeasuredExplanation) else {}


def with_measures(record: Explanation, measures: Mapping[str, PatchEffects | MinimalSet | None]) -> MeasuredExplanation:
    """Return the record with further measurements of the same pair and decision; existing ones are kept."""
    fields_of_record = {part.name: getattr(record, part.name) for part in fields(Explanation)}
    return MeasuredExplanation(**fields_of_record, measures={**measures, **measures_of(record)})


def find_strongest_region(
    kept: NDArray[np.bool_], effects: NDArray[np.floating[Any]], grid: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return the kept patches (N,) connected at their sides to the one with the highest cost, each with at least half
    its effect; empty if no kept patch has a positive effect."""
    from scipy.ndimage import label  # takes long to import

    amounts = np.where(kept, effects, 0.0).reshape(grid)  # (H, W)
    parts, _ = label(amounts >= STRONG * amounts.max())
    region = parts == parts[np.unravel_index(amounts.argmax(), grid)]
    return np.asarray(region & (amounts.max() > 0)).reshape(-1)


def whereabouts(amounts: NDArray[Any]) -> str | None:
    """Describe where most of the non-negative `amounts` (H, W) is, "on the lower left"; None if evenly spread. A third
    of the rows or columns is outstanding with more than either other and 1.25 times its share. If one of each and their
    ninth are outstanding, the ninth is named; otherwise the more outstanding third."""
    total = float(amounts.sum())
    if total <= 0:
        return None
    rows, columns = (((2 * np.arange(length) + 1) * 3) // (2 * length) for length in amounts.shape)  # 0, 1 or 2 each
    row, row_lift = _outstanding(amounts.sum(axis=1), rows)
    column, column_lift = _outstanding(amounts.sum(axis=0), columns)
    if row is not None and column is not None:
        ninth = amounts[np.ix_(rows == row, columns == column)]
        if ninth.sum() / total < STANDS_OUT * ninth.size / amounts.size:
            row, column = (row, None) if row_lift >= column_lift else (None, column)
    if row is None and column is None:
        return None
    if column is None:
        return ("at the top", "across the middle", "at the bottom")[row or 0]
    if row is None:
        return ("on the left", "down the middle", "on the right")[column]
    if row == column == 1:
        return "in the centre"
    return f"{'in' if column == 1 else 'on'} the {ROWS[row]} {COLUMNS[column]}"


def _outstanding(amounts: NDArray[Any], thirds: NDArray[Any]) -> tuple[int | None, float]:
    """Return the outstanding third, if any, and its share of the amount over its share of the lines."""
    sums = np.bincount(thirds, weights=amounts, minlength=3)  # (3,)
    lines = np.bincount(thirds, minlength=3)  # (3,)
    best = int(sums.argmax())
    lift = float(sums[best] / sums.sum() * len(thirds) / lines[best])
    alone = (sums == sums[best]).sum() == 1
    return (best, lift) if alone and lift >= STANDS_OUT else (None, lift)

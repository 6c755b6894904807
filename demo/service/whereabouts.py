"""Verbal description of places in a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

STANDS_OUT = 1.25  # a third's share of the amount over its share of the patches
ROWS, COLUMNS = ("upper", "middle", "lower"), ("left", "middle", "right")


def whereabouts(amounts: NDArray[Any]) -> str | None:
    """Describe where most of the non-negative `amounts` (H, W) is: "on the lower left"; None if evenly spread.

    The grid is divided into thirds of rows and of columns; a patch belongs to the third with its centre. A third is
    outstanding if it has more than either other third and at least 1.25 times the amount of an even spread. If a third
    of the rows, one of the columns and their ninth are outstanding, the ninth is named; otherwise the more outstanding
    third.
    """
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

"""Records with additional measurements, see `demo.service.measures`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seps import Blanked, Effects, Explanation, MinimalSet

STRONG = 0.5  # of the highest effect: what a patch of the strongest region has at least


@dataclass(frozen=True)
class Region:
    """Kept patches that are dropped together.

    Attributes:
        count: of patches; name: of their object, "the red car", or place, "on the upper left".
        named: whether the name is an object's; cost: S(I, T) minus S(I, T) with all of them dropped.
    """

    count: int
    name: str
    named: bool
    cost: float


@dataclass(frozen=True, eq=False)
class PatchEffects:
    """Loss of S(I, T) without each patch.

    Attributes:
        values: (N,), negative for a gain; words: (L, N), the same for each word's part. 0 for the only kept patch,
            which cannot be dropped.
        region: a region to describe with them, if any.
    """

    values: NDArray[np.float64]
    words: NDArray[np.float64]
    region: Region | None = None

    @classmethod
    def of(cls, measured: Effects | Blanked, region: Region | None = None) -> PatchEffects:
        """Convert a measurement of the library."""
        return cls(np.nan_to_num(measured.effects), np.nan_to_num(measured.word_effects), region)


@dataclass(frozen=True, eq=False)
class MeasuredExplanation(Explanation):
    """A record with additional measurements.

    Attributes:
        measures: requested results, by names of `MEASURES`; None without a result, for example if no flipped decisions
            lose the photo's rank.
    """

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
    """Return the kept patches connected to the one with the highest cost, each with at least half its effect: (N,)
    bool.

    Empty if no kept patch has a positive effect. Patches are connected at their sides.
    """
    amounts = np.where(kept, effects, 0.0).reshape(grid)  # (H, W)
    strong = amounts >= STRONG * amounts.max()
    region = np.zeros(grid, dtype=bool)
    if amounts.max() <= 0:
        return region.reshape(-1)
    region[np.unravel_index(amounts.argmax(), grid)] = True
    while True:
        wider = region.copy()
        wider[1:] |= region[:-1]
        wider[:-1] |= region[1:]
        wider[:, 1:] |= region[:, :-1]
        wider[:, :-1] |= region[:, 1:]
        wider &= strong
        if (wider == region).all():
            return region.reshape(-1)
        region = wider

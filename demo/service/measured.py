"""A record with what was measured beside the forward pass, see `demo.service.measures`."""

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
        count: of patches; name: what they show, "the red car", or where they lie, "on the upper left".
        named: whether the name is that of an object; cost: S(I, T) minus S(I, T) with all of them dropped.
    """

    count: int
    name: str
    named: bool
    cost: float


@dataclass(frozen=True, eq=False)
class PatchEffects:
    """What S(I, T) loses by each patch.

    Attributes:
        values: (N,), below 0 what it gains; words: (L, N), the same of each word's part of it. 0 of the only kept
            patch, which cannot be dropped.
        region: whose dropping is described with them, if any.
    """

    values: NDArray[np.float64]
    words: NDArray[np.float64]
    region: Region | None = None

    @classmethod
    def of(cls, measured: Effects | Blanked, region: Region | None = None) -> PatchEffects:
        """Return what the library measured."""
        return cls(np.nan_to_num(measured.effects), np.nan_to_num(measured.word_effects), region)


@dataclass(frozen=True, eq=False)
class MeasuredExplanation(Explanation):
    """A record with what was measured beside it.

    Attributes:
        measures: by the names of `MEASURES`, those that were asked for; None where there is no result, as where no
            turned decisions let the photo lose its rank.
    """

    measures: Mapping[str, PatchEffects | MinimalSet | None] = field(default_factory=dict)


def measures_of(record: Explanation) -> Mapping[str, PatchEffects | MinimalSet | None]:
    """Return what was measured beside a record, by name."""
    return record.measures if isinstance(record, MeasuredExplanation) else {}


def with_measures(record: Explanation, measures: Mapping[str, PatchEffects | MinimalSet | None]) -> MeasuredExplanation:
    """Return the record with more that was measured beside it, of the same pair and decision; what it has stays."""
    fields_of_record = {part.name: getattr(record, part.name) for part in fields(Explanation)}
    return MeasuredExplanation(**fields_of_record, measures={**measures, **measures_of(record)})


def strongest_region(
    kept: NDArray[np.bool_], effects: NDArray[np.floating[Any]], grid: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return the kept patches around the one whose dropping costs most, each of at least half of its effect: (N,) bool.

    Nothing where no kept patch has an effect above 0. Patches hang together by their sides.
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

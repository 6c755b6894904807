"""A record with what was measured beside the forward pass: effects, blanked, blurred patches, and how few it takes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seps import Blanked, Effects, Explanation, MinimalSet

MEASURES = ("effect", "blanked", "blurred", "smallest_set", "smallest_change")  # measured when they are asked for
BY_WORD = ("effect", "blanked", "blurred")  # those with a map of each word too
SLOW = ("blurred",)  # those that encode a picture for every patch
QUICK = tuple(name for name in MEASURES if name not in SLOW)
DECISIONS = ("smallest_set", "smallest_change")  # those that are masks
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
class MeasuredExplanation(Explanation):
    """A record with measures, each None where it was not asked for.

    Attributes:
        effect, blanked, blurred: see `measure_effects`, `measure_blanked` and `measure_blurred`; region: whose dropping
            is told with the effects.
        smallest_set, smallest_change: see the library's functions; the last is also None where nothing lets the photo
            lose, and then `searched` holds its name.
        searched: the names of what was measured.
    """

    effect: Effects | None = None
    region: Region | None = None
    blanked: Blanked | None = None
    blurred: Blanked | None = None
    smallest_set: MinimalSet | None = None
    smallest_change: MinimalSet | None = None
    searched: tuple[str, ...] = ()

    def lost(self, name: str, word: int | None = None) -> NDArray[np.float64]:
        """What S(I, T), or a word's share of it, loses by each patch: (N,); 0 for the only kept one, which stays."""
        effects: Effects | Blanked | None = getattr(self, name)
        assert effects is not None
        return np.nan_to_num(effects.effects if word is None else effects.word_effects[word])


def measured_in(record: Explanation) -> tuple[str, ...]:
    """The names of what was measured beside a record."""
    return record.searched if isinstance(record, MeasuredExplanation) else ()


def measurable(record: Explanation) -> MeasuredExplanation:
    """The record with room for measures; one that has it as it is."""
    if isinstance(record, MeasuredExplanation):
        return record
    return MeasuredExplanation(**{field.name: getattr(record, field.name) for field in fields(record)})


def joined(record: MeasuredExplanation, other: MeasuredExplanation) -> MeasuredExplanation:
    """The record with what was measured beside another one of the same pair and decision, too."""
    lacked = [name for name in other.searched if name not in record.searched]
    measures = {name: getattr(other, name) for name in lacked}
    if "effect" in lacked:
        measures["region"] = other.region
    return replace(record, searched=(*record.searched, *lacked), **measures)


def strongest_region(
    kept: NDArray[np.bool_], effects: NDArray[np.floating[Any]], grid: tuple[int, int]
) -> NDArray[np.bool_]:
    """The kept patches around the one whose dropping costs most, each of at least half of its effect: (N,) bool.

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

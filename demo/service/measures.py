"""What can be measured beside an explanation when it is asked for, a row each.

The function that computes a row is marked with its name, `@computes(NAME)` in `demo.service.measuring`; its layers are
made of the row in `demo.record.layer_table`. Nothing heavy is imported here: the page before the app knows the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Measure:
    """One row.

    Attributes:
        name: of its layers, in links too.
        gives: what its function returns: "effects", a `PatchEffects`; "set" or "change", a `MinimalSet` or None, of
            which the page shows the decision itself or which decisions were turned over.
        meaning: of its numbers, for JSON files.
        slow: whether it encodes a picture for every patch.
        ranked: whether it needs the other photographs' S(I, T).
    """

    name: str
    gives: Literal["effects", "set", "change"]
    meaning: str
    slow: bool = False
    ranked: bool = False


MEASURES = (
    Measure(
        "effect",
        "effects",
        "values, (N): S(I, T) minus S(I, T) with this patch's decision turned over; words, (L, N): the same for "
        "each word's share of the word-to-patch mean",
    ),
    Measure(
        "blanked",
        "effects",
        "the same with the patch's embedding replaced by the mean patch, the decision made anew",
    ),
    Measure(
        "blurred",
        "effects",
        "the same with the patch's pixels blurred before encoding, the decision made anew",
        slow=True,
    ),
    Measure(
        "smallest_set",
        "set",
        "few patches that keep the photo at its rank: kept, (N), their count, S(I, T) and ranks",
        ranked=True,
    ),
    Measure(
        "smallest_change",
        "change",
        "few turned decisions that let the photo lose its rank: kept, dropped and added, (N) each; null "
        "where none does",
        ranked=True,
    ),
)


def find_measure(name: str) -> Measure | None:
    """Return the row of a name; None where nothing of that name is measured."""
    return next((measure for measure in MEASURES if measure.name == name), None)


def is_slow(name: str) -> bool:
    """Return whether a layer's name is that of a measure that encodes a picture for every patch."""
    measure = find_measure(name)
    return measure is not None and measure.slow

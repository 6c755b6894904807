"""Table of the additional measurements of an explanation, computed in `demo.service.measuring.effects`; imports are
light because the opening page uses it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Measure:
    """A row of the table; its name is also that of its layers."""

    name: str
    gives: Literal["effects", "set", "change"]  # a `PatchEffects`, or a `MinimalSet` or None
    meaning: str  # of its numbers, for JSON files
    slow: bool = False  # it encodes an image per patch
    ranked: bool = False  # it needs the other photographs' S(I, T)


MEASURES = (
    Measure(
        "effect",
        "effects",
        "values, (N): S(I, T) minus S(I, T) with this patch's decision flipped; words, (L, N): the same for "
        "each word's share of the word-to-patch mean",
    ),
    Measure(
        "blanked", "effects", "the same with the patch's embedding replaced by the mean patch, the decision made again"
    ),
    Measure(
        "blurred",
        "effects",
        "the same with the patch's pixels blurred before encoding, the decision made again",
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
        "few flipped decisions that let the photo lose its rank: kept, dropped and added, (N) each; null "
        "where none does",
        ranked=True,
    ),
)


def find_measure(name: str) -> Measure | None:
    """Return the row with this name, or None."""
    return next((measure for measure in MEASURES if measure.name == name), None)


def is_slow(name: str) -> bool:
    """Return whether a layer belongs to a measurement that encodes an image per patch."""
    measure = find_measure(name)
    return measure is not None and measure.slow

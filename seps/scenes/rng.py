"""Random choices that are the same on every machine: raw draws of PCG64, whose stream NumPy keeps fixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from numpy.random import PCG64, SeedSequence

T = TypeVar("T")


class Rng:
    """A stream of choices.

    Args:
        numbers: whole numbers of at least 0; the same numbers give the same stream.
    """

    def __init__(self, *numbers: int) -> None:
        self._bits = PCG64(SeedSequence(list(numbers)))

    def integers(self, count: int) -> int:
        """Return a whole number in [0, count)."""
        return int(self._bits.random_raw()) % count

    def between(self, low: int, high: int) -> int:
        """Return a whole number in [low, high]; low where high is less."""
        return low + self.integers(max(1, high - low + 1))

    def bernoulli(self, percent: int) -> bool:
        """True, `percent` times in 100."""
        return self.integers(100) < percent

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options, each as likely."""
        return options[self.integers(len(options))]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Return all options in a random order."""
        rest = list(options)
        return [rest.pop(self.integers(len(rest))) for _ in range(len(rest))]

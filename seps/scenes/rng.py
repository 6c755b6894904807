"""Random choices that are reproducible on every machine: raw draws of PCG64, a stream that NumPy guarantees."""

from collections.abc import Sequence
from typing import TypeVar

from numpy.random import PCG64, SeedSequence

T = TypeVar("T")


class Rng:
    """A reproducible random stream, seeded by integers of at least 0."""

    def __init__(self, *numbers: int) -> None:
        self._bits = PCG64(SeedSequence(list(numbers)))

    def integers(self, count: int) -> int:
        """Return an integer in [0, count)."""
        return int(self._bits.random_raw()) % count

    def between(self, low: int, high: int) -> int:
        """Return an integer in [low, high]; low if high is less."""
        return low + self.integers(max(1, high - low + 1))

    def bernoulli(self, percent: int) -> bool:
        """Return True with a probability of `percent`."""
        return self.integers(100) < percent

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options with equal probability."""
        return options[self.integers(len(options))]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Return all options in a random order."""
        rest = list(options)
        return [rest.pop(self.integers(len(rest))) for _ in range(len(rest))]

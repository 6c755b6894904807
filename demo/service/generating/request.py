"""Request for a drawing, and the ranges of its numbers."""

from dataclasses import dataclass
from math import nan
from typing import Any

STEPS, MIN_STEPS, MAX_STEPS = 30, 10, 100
GUIDANCE, MIN_GUIDANCE, MAX_GUIDANCE = 8.0, 1.0, 15.0
SEED, MAX_SEED = 0, 2**31 - 1
SEVERAL = 4  # pictures of a strip, seed by seed


@dataclass(frozen=True)
class DrawingRequest:
    """A validated caption to draw with a number of steps and a guidance scale (1 for none), once per seed."""

    text: str
    steps: int
    guidance: float
    seeds: tuple[int, ...]


def read_numbers(steps: Any, guidance: Any, seed: Any, count: Any = 1) -> dict[str, Any]:
    """Validate the numbers of a drawing: {"steps", "guidance", "seed", "count"}, count pictures with seed, seed + 1,
    ...; ValueError for a value out of range."""
    return {
        "steps": checked("steps", steps, MIN_STEPS, MAX_STEPS, is_whole=True),
        "guidance": checked("guidance", guidance, MIN_GUIDANCE, MAX_GUIDANCE),
        "seed": checked("seed", seed, 0, MAX_SEED, is_whole=True),
        "count": checked("count", count, 1, SEVERAL, is_whole=True),
    }


def read_request(text: str, steps: Any, guidance: Any, seed: Any) -> DrawingRequest:
    """Return a request for one drawing of a validated caption; errors as `read_numbers`."""
    numbers = read_numbers(steps, guidance, seed)
    return DrawingRequest(text, numbers["steps"], numbers["guidance"], (numbers["seed"],))


def checked(name: str, value: Any, least: float, most: float, is_whole: bool = False) -> float:
    """Return a number, or a whole one, in a range; ValueError for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):  # the last: too large for a float
        number = nan
    if not least <= number <= most or (is_whole and number != int(number)):
        shown = f"{name} is {str(value)[:20]!r}"
        if is_whole:
            raise ValueError(f"{shown}, but a whole number from {least} to {most:,} is needed.")
        raise ValueError(f"{shown}, but a number from {least:g} to {most:g} is needed.")
    return int(number) if is_whole else number

"""Request for a drawing, and the ranges of its numbers."""

from dataclasses import dataclass
from math import isfinite
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
        "steps": whole("steps", steps, MIN_STEPS, MAX_STEPS),
        "guidance": within("guidance", guidance, MIN_GUIDANCE, MAX_GUIDANCE),
        "seed": whole("seed", seed, 0, MAX_SEED),
        "count": whole("count", count, 1, SEVERAL),
    }


def read_request(text: str, steps: Any, guidance: Any, seed: Any) -> DrawingRequest:
    """Return a request for one drawing of a validated caption; errors as `read_numbers`."""
    numbers = read_numbers(steps, guidance, seed)
    return DrawingRequest(text, numbers["steps"], numbers["guidance"], (numbers["seed"],))


def whole(name: str, value: Any, least: int, most: int) -> int:
    """Return an integer in a range; ValueError for anything else."""
    parsed = number(value)
    if parsed is None or parsed != int(parsed) or not least <= parsed <= most:
        raise ValueError(f"{name} is {str(value)[:20]!r}, but a whole number from {least} to {most:,} is needed.")
    return int(parsed)


def within(name: str, value: Any, least: float, most: float) -> float:
    """Return a number in a range; ValueError for anything else."""
    parsed = number(value)
    if parsed is None or not least <= parsed <= most:
        raise ValueError(f"{name} is {str(value)[:20]!r}, but a number from {least:g} to {most:g} is needed.")
    return parsed


def number(value: Any) -> float | None:
    """Return a finite number, or None for other values."""
    try:
        parsed = float(value)
    except (TypeError, ValueError, OverflowError):  # the last: too large for a float
        return None
    return parsed if isfinite(parsed) else None

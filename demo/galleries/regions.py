"""Hand-drawn boxes of the things in the example photographs that their captions name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from demo.galleries.packaged import GALLERIES

REGIONS_FILE = GALLERIES / "regions.json"
Box = tuple[float, float, float, float]  # left, top, right, bottom, in shares of the picture


@dataclass(frozen=True)
class Thing:
    """A thing in a photograph.

    Attributes:
        phrase: its name, "an officer's hat"; None for a part without its own phrase.
        words: words for it in captions, in lower case.
        boxes: their union closely contains it.
    """

    phrase: str | None
    words: frozenset[str]
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Regions:
    """The `things` in a photograph, and further `captions` of it."""

    captions: tuple[str, ...]
    things: tuple[Thing, ...]

    @property
    def phrases(self) -> tuple[str, ...]:
        """A phrase per thing, in the order of the file."""
        return tuple(thing.phrase for thing in self.things if thing.phrase)


@lru_cache(maxsize=1)
def load_regions() -> dict[str, Regions]:
    """Return the regions of the examples by name, without photographs that have none."""
    photographs = json.loads(REGIONS_FILE.read_text(encoding="utf-8"))["photographs"]
    return {name: Regions(tuple(known["captions"]), things_of(known["things"])) for name, known in photographs.items()}


def things_of(rows: list[dict[str, Any]]) -> tuple[Thing, ...]:
    """Parse the things of the file."""
    return tuple(
        Thing(row["phrase"], frozenset(row["words"]), tuple((x, y, right, down) for x, y, right, down in row["boxes"]))
        for row in rows
    )

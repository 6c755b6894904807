"""What the example photographs show and where, as far as their captions tell: boxes drawn by hand for this project."""

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
    """Something that a photograph shows.

    Attributes:
        phrase: what it is called, "an officer's hat"; None of a part that captions name but no phrase is about.
        words: what names it in captions, in lower case.
        boxes: their union holds it, and little else.
    """

    phrase: str | None
    words: frozenset[str]
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Regions:
    """What a photograph shows: `things`, and `captions` of it beside those of its gallery."""

    captions: tuple[str, ...]
    things: tuple[Thing, ...]

    @property
    def phrases(self) -> tuple[str, ...]:
        """A phrase a thing, in the order of the file."""
        return tuple(thing.phrase for thing in self.things if thing.phrase)


@lru_cache(maxsize=1)
def load_regions() -> dict[str, Regions]:
    """Return the regions of the examples by name; photographs without any are left out."""
    photographs = json.loads(REGIONS_FILE.read_text(encoding="utf-8"))["photographs"]
    return {name: Regions(tuple(known["captions"]), things_of(known["things"])) for name, known in photographs.items()}


def things_of(rows: list[dict[str, Any]]) -> tuple[Thing, ...]:
    """Things as the file writes them."""
    return tuple(
        Thing(row["phrase"], frozenset(row["words"]), tuple((x, y, right, down) for x, y, right, down in row["boxes"]))
        for row in rows
    )

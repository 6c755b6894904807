"""The kinds of objects, from the table drawings/kinds.csv."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PEOPLE, ANIMALS, VEHICLES, PLANTS, FOOD, THINGS = "people", "animals", "vehicles", "plants", "food", "things"
CATEGORIES = (PEOPLE, ANIMALS, VEHICLES, PLANTS, FOOD, THINGS)
_SEVERAL = ("words", "places", "colours", "poses")


@dataclass(frozen=True)
class Kind:
    """A kind of object.

    Attributes:
        words: nouns for it; several kinds may share one, such as "bird".
        height: of a medium one, in pixels; aspect: width in percent of height.
        places: its backgrounds; zone: its zone in them: "ground", "water", "sky" or "wall".
        colours: names of its colours; empty if captions do not name its colour.
        part: phrase for a colour of only a part, such as "in a {} shirt".
    """

    name: str
    category: str
    words: tuple[str, ...]
    height: int
    aspect: int
    places: tuple[str, ...]
    zone: str
    colours: tuple[str, ...]
    poses: tuple[str, ...]
    part: str | None


def _kind(row: dict[str, str]) -> Kind:
    """Return the kind of a row; a cell with several values separates them by semicolons."""
    values: dict[str, Any] = {**row, "height": int(row["height"]), "aspect": int(row["aspect"])}
    values |= {key: tuple(filter(None, row[key].split("; "))) for key in _SEVERAL}
    return Kind(**values | {"part": row["part"] or None})


with (Path(__file__).parent / "drawings" / "kinds.csv").open(newline="", encoding="utf-8") as _file:
    KINDS: dict[str, Kind] = {row["name"]: _kind(row) for row in csv.DictReader(_file)}

SIZES = {"small": 70, "medium": 100, "large": 140}  # percent of the kind's height

# Rows on a kind where things can be, and below which things are under it: percent of its height, from its top.
SURFACES = {"table": 5, "bench": 63, "chair": 52, "sofa": 65, "bed": 40}
SHELTERS = {"table": 26, "tree": 66, "palm": 56, "parasol": 43}
CARRIED = (  # can be on others
    *("cat", "mouse", "rabbit", "frog", "snail"),
    *("apple", "pear", "banana", "cake", "pizza slice", "ice cream", "hamburger", "carrot", "watermelon"),
    *("cherries", "cheese", "eggs", "cup", "teapot", "bottle", "candle", "potted plant"),
    *("ball", "hat", "book", "suitcase", "gift", "backpack", "teddy bear", "robot"),
)

_HELD_OUT = {
    kind.name: kind.colours[number * 3 % len(kind.colours)]
    for number, kind in enumerate(KINDS.values())
    if len(kind.colours) >= 4
}


def is_held_out(kind: str, colour: str | None) -> bool:
    """Return whether a colour is reserved for test scenes: one of each kind with four or more colours."""
    return colour is not None and _HELD_OUT.get(kind) == colour


def extent(kind: str, size: str) -> tuple[int, int]:
    """Return width and height of a kind's box, in pixels."""
    height = KINDS[kind].height * SIZES[size] // 100
    return height * KINDS[kind].aspect // 100, height

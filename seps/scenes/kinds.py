"""The kinds of objects: sizes, what stands on or under what, and which colours are kept for test scenes."""

from __future__ import annotations

from seps.scenes.catalogue import ANIMALS, CATEGORIES, PEOPLE, ROWS, VEHICLES, Kind

__all__ = ["ANIMALS", "CATEGORIES", "KINDS", "PEOPLE", "VEHICLES", "Kind", "extent", "is_held_out"]

SIZES = {"small": 70, "medium": 100, "large": 140}  # percent of a kind's own height

KINDS: dict[str, Kind] = {kind.name: kind for kind in ROWS}

# Where things stand on a kind, and below which line they stand under it: percent of its height, from its top.
SURFACES = {"table": 5, "bench": 63, "chair": 52, "sofa": 65, "bed": 40}
SHELTERS = {"table": 26, "tree": 66, "palm": 56, "parasol": 43}
_SMALL_ANIMALS = ("cat", "mouse", "rabbit", "frog", "snail")
_SMALL_FOOD = ("apple", "pear", "banana", "cake", "pizza slice", "ice cream", "hamburger", "carrot", "watermelon")
_SMALL_DISHES = ("cherries", "cheese", "eggs", "cup", "teapot", "bottle", "candle", "potted plant")
_SMALL_THINGS = ("ball", "hat", "book", "suitcase", "gift", "backpack", "teddy bear", "robot")
CARRIED = _SMALL_ANIMALS + _SMALL_FOOD + _SMALL_DISHES + _SMALL_THINGS  # stand on others

_HELD_OUT = {
    kind.name: kind.colours[number * 3 % len(kind.colours)]
    for number, kind in enumerate(ROWS)
    if len(kind.colours) >= 4
}


def is_held_out(kind: str, colour: str | None) -> bool:
    """Return whether a colour of a kind is kept for test scenes: one colour of each kind that comes in four or more."""
    return colour is not None and _HELD_OUT.get(kind) == colour


def extent(kind: str, size: str) -> tuple[int, int]:
    """Width and height of a kind's box, in pixels."""
    height = KINDS[kind].height * SIZES[size] // 100
    return height * KINDS[kind].aspect // 100, height

"""Properties of kinds: sizes, what can be on or under what, and the colours reserved for test scenes."""

from __future__ import annotations

from seps.scenes.catalogue import ANIMALS, CATEGORIES, PEOPLE, ROWS, VEHICLES, Kind

__all__ = ["ANIMALS", "CATEGORIES", "KINDS", "PEOPLE", "VEHICLES", "Kind", "extent", "is_held_out"]

SIZES = {"small": 70, "medium": 100, "large": 140}  # percent of the kind's height

KINDS: dict[str, Kind] = {kind.name: kind for kind in ROWS}

# Rows on a kind where things can be, and below which things are under it: percent of its height, from its top.
SURFACES = {"table": 5, "bench": 63, "chair": 52, "sofa": 65, "bed": 40}
SHELTERS = {"table": 26, "tree": 66, "palm": 56, "parasol": 43}
_SMALL_ANIMALS = ("cat", "mouse", "rabbit", "frog", "snail")
_SMALL_FOOD = ("apple", "pear", "banana", "cake", "pizza slice", "ice cream", "hamburger", "carrot", "watermelon")
_SMALL_DISHES = ("cherries", "cheese", "eggs", "cup", "teapot", "bottle", "candle", "potted plant")
_SMALL_THINGS = ("ball", "hat", "book", "suitcase", "gift", "backpack", "teddy bear", "robot")
CARRIED = _SMALL_ANIMALS + _SMALL_FOOD + _SMALL_DISHES + _SMALL_THINGS  # can be on others

_HELD_OUT = {
    kind.name: kind.colours[number * 3 % len(kind.colours)]
    for number, kind in enumerate(ROWS)
    if len(kind.colours) >= 4
}


def is_held_out(kind: str, colour: str | None) -> bool:
    """Return whether a colour is reserved for test scenes: one of each kind with four or more colours."""
    return colour is not None and _HELD_OUT.get(kind) == colour


def extent(kind: str, size: str) -> tuple[int, int]:
    """Return width and height of a kind's box, in pixels."""
    height = KINDS[kind].height * SIZES[size] // 100
    return height * KINDS[kind].aspect // 100, height

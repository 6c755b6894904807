"""Drawings of all kinds, from the tables in this folder: a row per part, back to front.

A row names a method of `Sketch` and its arguments. A colour is "main", "dark" or "light" (the object's), a name of
`palette` or "#rrggbb", optionally made lighter or darker in percent: "main+55", "wood-14".
["choose", NAME, COLOUR, ...] names a colour that the look decides; ["unless", NAME, MAIN, USUAL, OTHER] one that is
OTHER for objects of the colour MAIN.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seps.scenes import palette
from seps.scenes.palette import Colour, darker, lighter
from seps.scenes.sketch import Sketch

DRAWINGS: dict[str, list[list[Any]]] = {
    kind: rows
    for file in sorted(Path(__file__).parent.glob("*.json"))
    for kind, rows in json.loads(file.read_text(encoding="utf-8")).items()
}
NAME = re.compile(r"#[0-9a-f]{6}|[a-z]+")
STEP = re.compile(r"([+-])(\d+)")


def draw_kind(sketch: Sketch, kind: str) -> None:
    """Add the parts of a kind of object to a sketch, seen from the side or the front and facing right."""
    named = {"main": sketch.main, "dark": sketch.dark, "light": sketch.light}
    for method, *values in DRAWINGS[kind]:
        name, *cells = values if method in ("choose", "unless") else ["", *values]
        arguments = [read_colour(v, named) if isinstance(v, str) and NAME.match(v) else v for v in cells]
        if method == "choose":
            named[name] = sketch.choose(arguments)
        elif method == "unless":
            main, usual, other = arguments
            named[name] = other if sketch.main == main else usual
        else:
            getattr(sketch, method)(*arguments)


def read_colour(text: str, named: Mapping[str, Colour]) -> Colour:
    """Return the colour that a cell of a row names."""
    name = NAME.match(text)[0]  # type: ignore[index]
    if name[0] == "#":
        red, green, blue = bytes.fromhex(name[1:])
        colour = (red, green, blue)
    else:
        colour = named[name] if name in named else getattr(palette, name.upper())
    for sign, percent in STEP.findall(text):
        colour = (lighter if sign == "+" else darker)(colour, int(percent))
    return colour

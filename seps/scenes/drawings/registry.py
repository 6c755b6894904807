"""The table of drawing functions, which the modules beside this one fill."""

from __future__ import annotations

from collections.abc import Callable

from seps.scenes.sketch import Sketch

Drawing = Callable[[Sketch], None]

DRAWINGS: dict[str, Drawing] = {}


def draws(kind: str) -> Callable[[Drawing], Drawing]:
    """Register the function that draws a kind, seen from the side or the front, looking to the right."""

    def register(drawing: Drawing) -> Drawing:
        DRAWINGS[kind] = drawing
        return drawing

    return register

"""Registry of drawing functions, filled by the other modules of this folder."""

from __future__ import annotations

from collections.abc import Callable

from seps.scenes.sketch import Sketch

Drawing = Callable[[Sketch], None]

DRAWINGS: dict[str, Drawing] = {}


def draws(kind: str) -> Callable[[Drawing], Drawing]:
    """Register the drawing function of a kind, seen from the side or the front, facing right."""

    def register(drawing: Drawing) -> Drawing:
        DRAWINGS[kind] = drawing
        return drawing

    return register

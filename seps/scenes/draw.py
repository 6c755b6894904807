"""Drawing of a scene graph as a picture with the pixels of every object."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seps.scenes.backdrops import paint_background
from seps.scenes.drawings import draw_kind
from seps.scenes.graph import Object, Scene
from seps.scenes.palette import NAMED, Colour
from seps.scenes.places import SIDE
from seps.scenes.sketch import UNIT, Canvas, Sketch, arc_points

SHADOW: Colour = (30, 28, 56)
RIPPLE: Colour = (220, 240, 250)
CROWNED = ("tree", "fir tree", "palm", "parasol")  # narrow at the foot
FIXED: tuple[Colour, ...] = ((206, 58, 56), (74, 66, 70), (132, 88, 58))  # of kinds that come in no named colour


@dataclass(frozen=True)
class Picture:
    """A drawn scene: pixels (224, 224, 3) uint8, and labels (224, 224) int16 of visible objects, -1 for none.

    An object is visible in a pixel if it covers at least half of it and no object in front does.
    """

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int16]

    def mask(self, number: int) -> NDArray[np.bool_]:
        """(224, 224): where an object is visible."""
        return self.labels == number

    def box(self, number: int) -> tuple[int, int, int, int] | None:
        """Return the tightest box (x0, y0, x1, y1) around an object's mask, in pixels; None if it is hidden."""
        rows, columns = np.nonzero(self.labels == number)
        if not len(rows):
            return None
        return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def draw(scene: Scene, shadows: bool = True) -> Picture:
    """Draw a scene; the same graph always gives the same pixels."""
    canvas = Canvas(SIDE, SIDE)
    try:
        paint_background(canvas, scene.background, scene.features, scene.look)
        labels = np.full((SIDE, SIDE), -1, np.int16)
        for number, thing in enumerate(scene.objects):
            if shadows:
                _ground(canvas, thing)
            canvas.covered[:] = 0
            look = thing.look // 2
            sketch = Sketch(NAMED[thing.colour] if thing.colour else FIXED[look % len(FIXED)], look)
            draw_kind(sketch, thing.kind)
            sketch.paint_on(canvas, thing.box, mirrored=thing.look % 2 == 1)
            labels[canvas.covered * 2 >= UNIT] = number
    except KeyError as error:
        raise ValueError(f"Nothing is known of {error}: see KINDS, NAMED and PLACES for what can be drawn.") from error
    return Picture(canvas.pixels.astype(np.uint8), labels)


def _ground(canvas: Canvas, thing: Object) -> None:
    """Draw an object's shadow on the ground or ripples on the water."""
    if thing.zone in ("sky", "wall"):
        return
    x0, _, x1, y1 = thing.box
    middle, half = (x0 + x1) * UNIT // 2, (x1 - x0) * (UNIT // 4 if thing.kind in CROWNED else UNIT // 2)
    for percent in (110, 90, 68):
        across = half * percent // 100
        down = max(across * 14 // 100, 2 * UNIT)
        spots = np.rint(arc_points(middle, y1 * UNIT - UNIT, across, down)).astype(np.int64)
        canvas.fill(spots, RIPPLE if thing.zone == "water" else SHADOW, alpha=44)

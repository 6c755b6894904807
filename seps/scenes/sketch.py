"""Vector drawings: lists of outlines with colours, made from ellipses, polygons, curves and strokes.

Units are arbitrary: x to the right, y down; a drawing is stretched to fill its box exactly.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seps.scenes.palette import INK, WHITE, Colour, darker, lighter

UNIT = 256  # of an outline, a pixel; also the alpha of a pixel that is wholly covered
LINES = 16  # a pixel row

Ints = NDArray[np.int64]

SINES = [round(math.sin(math.radians(degree)) * 65536) / 65536 for degree in range(360)]  # the same on any machine
SMOOTH = 6  # points a curve has between two of its given points

Floats = NDArray[np.float64]
Points = str | Sequence[tuple[float, float]] | Floats  # "0,0 10,-4 20,0", as in SVG, or pairs


def coverage(outline: Ints, width: int, height: int) -> tuple[int, int, Ints] | None:
    """Return how much of each pixel an outline (P, 2) covers: left column, top row, alphas (h, w) in [0, 256]."""
    after = np.concatenate((outline[1:], outline[:1]))
    down = (after[:, 1] > outline[:, 1])[:, None]
    top, bottom = np.where(down, outline, after), np.where(down, after, outline)
    step = UNIT // LINES
    first = np.maximum((top[:, 1] + step // 2 - 1) // step, 0)  # lines at step / 2, 3 step / 2, ...
    last = np.minimum((bottom[:, 1] + step // 2 - 1) // step, height * LINES)
    counts = np.maximum(last - first, 0)
    total = int(counts.sum())
    if total == 0:
        return None
    edge = np.repeat(np.arange(len(outline)), counts)
    line = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts) + first[edge]
    run, rise = (bottom - top)[edge].T
    x = top[edge, 0] + (line * step + step // 2 - top[edge, 1]) * run // rise
    left, right = max(int(x.min()) // UNIT, 0), min(int(x.max()) // UNIT + 1, width)
    if left >= right:
        return None
    x = np.clip(x - left * UNIT, 0, (right - left) * UNIT)
    row, upper = line // LINES, int(line.min()) // LINES
    h, w = int(row.max()) - upper + 1, right - left
    cell = (row - upper) * (w + 2) + x // UNIT
    sign = np.where(down[edge, 0], 1, -1)
    part = x % UNIT
    steps = np.bincount(cell, sign * (UNIT - part), h * (w + 2)) + np.bincount(cell + 1, sign * part, h * (w + 2))
    sums = np.cumsum(steps.astype(np.int64).reshape(h, w + 2), axis=1)[:, :w]
    return left, upper, np.minimum((np.abs(sums) + LINES // 2) // LINES, UNIT)


class Canvas:
    """A picture to paint on: `pixels` (height, width, 3) int64 in [0, 255]; `covered` (height, width), in [0, 256]."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.pixels = np.zeros((height, width, 3), np.int64)
        self.covered = np.zeros((height, width), np.int64)

    def fill(self, outline: Ints, top: Colour, bottom: Colour | None = None, alpha: int = UNIT) -> None:
        """Paint the inside of an outline with a vertical gradient from `top` to `bottom`."""
        window = coverage(outline, self.width, self.height)
        if window is None:
            return
        x, y, cover = window
        h, w = cover.shape
        paint: Ints = np.array(top, np.int64)
        if bottom is not None:
            low, high = int(outline[:, 1].min()) // UNIT, int(outline[:, 1].max()) // UNIT + 1
            weight = np.clip((np.arange(y, y + h) - low) * UNIT // max(1, high - low), 0, UNIT)[:, None]
            paint = ((paint * (UNIT - weight) + np.array(bottom, np.int64) * weight) // UNIT)[:, None, :]
        strength = cover if alpha == UNIT else cover * alpha // UNIT
        area = self.pixels[y : y + h, x : x + w]
        area[...] = (area * (UNIT - strength[..., None]) + paint * strength[..., None] + UNIT // 2) // UNIT
        if alpha == UNIT:
            covered = self.covered[y : y + h, x : x + w]
            covered[...] = UNIT - (UNIT - covered) * (UNIT - cover) // UNIT

    def rows(self, top: int, bottom: int, *stops: Colour) -> None:
        """Paint whole rows from `top` up to `bottom` with a gradient through equidistant stops."""
        colours, last = np.array(stops, np.int64), len(stops) - 1
        row = np.arange(max(top, 0), min(bottom, self.height))
        at = (row - top) * last * UNIT // max(1, bottom - top - 1)
        i = np.minimum(at // UNIT, last - 1)
        weight = (at - i * UNIT)[:, None]
        self.pixels[row] = ((colours[i] * (UNIT - weight) + colours[i + 1] * weight) // UNIT)[:, None]


def sine(degrees: int) -> float:
    """Return the sine of an integer angle in degrees."""
    return SINES[degrees % 360]


def cosine(degrees: int) -> float:
    """Return the cosine of an integer angle in degrees."""
    return SINES[(degrees + 90) % 360]


def read_points(points: Points) -> Floats:
    """Convert points to an array (P, 2), or (P, 3) where each has a third number, such as a radius."""
    return np.array([pair.split(",") for pair in points.split()] if isinstance(points, str) else points, np.float64)


def curve(points: Points, closed: bool = True) -> Floats:
    """Return a smooth curve through points (Catmull-Rom), (P, 2)."""
    given = read_points(points)
    around = np.concatenate((given[-1:], given, given[:2]) if closed else (given[:1], given, given[-1:]))
    t = np.arange(SMOOTH)[:, None] / SMOOTH  # of each point between two given ones
    p0, p1, p2, p3 = (around[i : len(around) - 3 + i, None] for i in range(4))  # each (given, 1, 2)
    square, cube = 2 * p0 - 5 * p1 + 4 * p2 - p3, 3 * p1 - p0 - 3 * p2 + p3
    smooth = ((2 * p1 + (p2 - p0) * t + square * (t * t) + cube * (t * t * t)) / 2).reshape(-1, 2)
    return smooth if closed else np.concatenate((smooth, given[-1:]))


@dataclass(frozen=True)
class Part:
    """An outline (P, 2), its colours at the top and at the bottom, and its alpha in [0, 256]."""

    outline: Floats
    top: Colour
    bottom: Colour
    alpha: int


class Sketch:
    """Canvas of a drawing function, with the object's main colour; `look` seeds small variations, see `choose`."""

    def __init__(self, main: Colour, look: int = 0) -> None:
        self.main, self.dark, self.light = main, darker(main, 28), lighter(main, 35)
        self.parts: list[Part] = []
        self._look = look

    def choose(self, options: Sequence[Colour]) -> Colour:
        """Return one of some colours, depending on `look`."""
        self._look, i = divmod(self._look, len(options))
        return options[i]

    def add(self, outline: Floats, paint: Colour, shade: int = 12, alpha: int = UNIT) -> None:
        """Add a part with any outline; `shade` is how much lighter its top and darker its bottom is, in percent."""
        self.parts.append(Part(outline, lighter(paint, shade), darker(paint, shade), alpha))

    def polygon(self, points: Points, paint: Colour, shade: int = 12) -> None:
        """Draw a polygon."""
        self.add(read_points(points), paint, shade)

    def blob(self, points: Points, paint: Colour, shade: int = 12) -> None:
        """Draw a smooth outline through points."""
        self.add(curve(points), paint, shade)

    def oval(
        self, x: float, y: float, rx: float, ry: float, paint: Colour, turn: int = 0, shade: int = 12, alpha: int = UNIT
    ) -> None:
        """Draw an ellipse around (x, y), turned by whole degrees."""
        self.add(arc_points(x, y, rx, ry, turn=turn), paint, shade, alpha)

    def arc(
        self, x: float, y: float, rx: float, ry: float, start: int, stop: int, paint: Colour, turn: int = 0
    ) -> None:
        """Draw a circular segment of an ellipse, from `start` to `stop` degrees, clockwise from the right."""
        self.add(arc_points(x, y, rx, ry, start, stop, turn), paint)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, paint: Colour, round_by: float = 0, shade: int = 12
    ) -> None:
        """Draw a rectangle with rounded corners."""
        if not round_by:
            self.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], paint, shade)
            return
        r = min(round_by, (x1 - x0) / 2, (y1 - y0) / 2)
        corners = [(x1 - r, y1 - r, 0), (x0 + r, y1 - r, 90), (x0 + r, y0 + r, 180), (x1 - r, y0 + r, 270)]
        self.add(np.concatenate([arc_points(x, y, r, r, a, a + 90) for x, y, a in corners]), paint, shade)

    def line(self, points: Points, width: float, paint: Colour, shade: int = 5, smooth: bool = True) -> None:
        """Draw a stroke with round ends through points."""
        path = read_points(points)
        path = curve(points, closed=False) if smooth and len(path) > 2 else path
        ahead = unit(np.diff(path, axis=0))
        along = unit(np.concatenate((ahead[:1], ahead[:-1] + ahead[1:], ahead[-1:])))
        normal = np.stack((-along[:, 1], along[:, 0]), axis=1) * (width / 2)
        first, last = along[0] * (width / 2), along[-1] * (width / 2)
        cap = [path[-1] + normal[-1] * cosine(a) + last * sine(a) for a in range(30, 180, 30)]
        tail = [path[0] - normal[0] * cosine(a) - first * sine(a) for a in range(30, 180, 30)]
        self.add(np.concatenate((path + normal, cap, (path - normal)[::-1], tail)), paint, shade)

    def ring(self, x: float, y: float, r: float, width: float, paint: Colour) -> None:
        """Draw a circle line, `r` to its middle."""
        outer, inner = (arc_points(x, y, radius, radius, stop=360) for radius in (r + width / 2, r - width / 2))
        self.add(np.concatenate((outer, inner[::-1])), paint, 4)

    def shine(self, x: float, y: float, rx: float, ry: float, turn: int = 0, alpha: int = 90) -> None:
        """Draw a soft white highlight inside other parts."""
        self.oval(x, y, rx, ry, WHITE, turn, 0, alpha)

    def eye(self, x: float, y: float, r: float = 3, paint: Colour = INK) -> None:
        """Draw a dark eye with a glint."""
        self.oval(x, y, r, r, paint, shade=0)
        self.oval(x + r * 0.3, y - r * 0.35, r * 0.35, r * 0.35, WHITE, shade=0)

    def paint_on(self, canvas: Canvas, box: tuple[int, int, int, int], mirrored: bool = False) -> None:
        """Paint all parts, stretched so that the opaque ones fill a box of pixels (x0, y0, x1, y1)."""
        points = np.concatenate([part.outline for part in self.parts if part.alpha == UNIT])
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        across, down = (box[2] - box[0]) * UNIT / (x1 - x0), (box[3] - box[1]) * UNIT / (y1 - y0)
        for part in self.parts:
            x = x1 - part.outline[:, 0] if mirrored else part.outline[:, 0] - x0
            spots = np.stack((x * across + box[0] * UNIT, (part.outline[:, 1] - y0) * down + box[1] * UNIT), axis=1)
            canvas.fill(np.rint(spots).astype(np.int64), part.top, part.bottom, part.alpha)


def arc_points(
    x: float, y: float, rx: float, ry: float, start: int = 0, stop: int = 350, turn: int = 0, step: int = 10
) -> Floats:
    """Return points of an ellipse around (x, y), turned by `turn`, at angles from `start` to `stop` degrees: (P, 2)."""
    angles, c, s = [*range(start, stop, step), stop], cosine(turn), sine(turn)
    along = [(rx * cosine(a), ry * sine(a)) for a in angles]
    return np.array([(x + u * c - v * s, y + u * s + v * c) for u, v in along], np.float64)


def unit(vectors: Floats) -> Floats:
    """Scale vectors (P, 2) to length 1."""
    squares = vectors * vectors
    return vectors / np.maximum(np.sqrt(squares[:, :1] + squares[:, 1:]), 1e-9)

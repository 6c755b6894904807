"""Antialiased polygon filling in integer arithmetic, so that pixels are the same on every machine.

Outlines are in units of 1/256 pixel. Coverage is exact along each of 16 lines per pixel row: an edge that crosses a
line adds one (or subtracts one, in the other direction) to the winding of everything to its right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seps.scenes.palette import Colour

UNIT = 256  # of an outline, a pixel; also the alpha of a pixel that is wholly covered
LINES = 16  # a pixel row

Ints = NDArray[np.int64]


def coverage(outline: Ints, width: int, height: int) -> tuple[int, int, Ints] | None:
    """Compute how much of each pixel is inside a closed outline.

    Args:
        outline: (P, 2), x and y in 1/256 pixel; the last point joins the first.
        width, height: of the picture, in pixels.

    Returns:
        The left column and the top row of a window of the picture, and its (h, w) alphas in [0, 256]; None if the
            outline is outside the picture.
    """
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
    """A picture to paint on: `pixels` (height, width, 3) int64 in [0, 255]; `covered` (height, width), in [0, 256].

    `covered` records the opaque painting since it was last cleared.
    """

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
        count, last = bottom - top, len(stops) - 1
        for row in range(max(top, 0), min(bottom, self.height)):
            at = (row - top) * last * UNIT // max(1, count - 1)
            i = min(at // UNIT, last - 1)
            weight = at - i * UNIT
            for c in range(3):
                self.pixels[row, :, c] = (stops[i][c] * (UNIT - weight) + stops[i + 1][c] * weight) // UNIT

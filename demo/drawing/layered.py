"""A layer over a photo: its pixels, the marks drawn on top, and the scale that says what its colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.page import Page, text_width
from demo.drawing.palette import AGAINST, CHECKS, COLOUR_MAP, DPI, FOR, OBJECT, VEIL
from demo.record.layers import Layer, LayerValues
from demo.record.outlines import Outline
from demo.record.sentences import mask_key

Pixels = NDArray[np.uint8]
TINT = 0.45  # of the opacity, where one branch alone kept a patch
LUMINANCE = (0.2126, 0.7152, 0.0722)
LETTERS = 11  # points, beside a scale
BAR = 260  # CSS pixels, the length of a scale


@dataclass(frozen=True)
class Shades:
    """What lies over each patch: colours (H, W, 3) from 0 to 255, opacity (H, W), whether the photo is grey below."""

    colours: NDArray[np.float64]
    opacity: NDArray[np.float64]
    grey: NDArray[np.bool_]


def map_colours(values: NDArray[Any], low: float, high: float) -> NDArray[np.float64]:
    """Return the colour map's colours (..., 3), from 0 to 255, of values from low to high; its first where those are
    equal."""
    fractions = (values - low) / (high - low) if high > low else np.zeros(values.shape)
    return np.asarray(colormaps[COLOUR_MAP](fractions, bytes=True)[..., :3], dtype=np.float64)


def side_colours(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the colours (..., 3), from 0 to 255, of values on a scale with zero in its middle: one for either side."""
    below, above = (np.rint(255 * np.array(to_rgb(colour))) for colour in (AGAINST, FOR))
    return np.where((values < 0)[..., None], below, above)


def strength(values: NDArray[Any], low: float, high: float, diverging: bool = False) -> NDArray[np.float64]:
    """Return how strong each value's colour lies over the photo, (...), in [0, 1].

    From 0 where the scale begins, or at zero where that is its middle, so that the photo is seen there, to 1 at its
    end; 0 where the scale has no length. The map's low colours are dark: the root keeps them in
    sight. As `strength` in assets/js/base/colours.js.
    """
    reached, length = (np.abs(values), high) if diverging else (values - low, high - low)
    if length <= 0:
        return np.zeros(values.shape)
    fractions = np.clip(reached / length, 0.0, 1.0)
    return np.asarray(fractions if diverging else np.sqrt(fractions), dtype=np.float64)


def is_bright(colours: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether black marks are seen better than white ones on colours (..., 3) from 0 to 255."""
    return np.asarray(colours @ LUMINANCE >= 115)


def veil() -> NDArray[np.float64]:
    """Return the veil's colour (3,), from 0 to 255."""
    return 255 * np.array(to_rgb(VEIL))


def shades(
    layer: Layer, values: NDArray[Any], grid: tuple[int, int], low: float, high: float, opacity: float
) -> Shades:
    """Return the shades of one map of patch values (N,); of the photo alone for (0,)."""
    clear = np.zeros(grid)
    scale = layer.row.scale
    if scale == "none":
        return Shades(np.zeros((*grid, 3)), clear, clear > 0)
    if not layer.row.is_mask:
        # Grey below, so that the photo's own colours shift none of the map's.
        laid = values.reshape(grid)
        diverging = scale == "diverging"
        colours = side_colours(laid) if diverging else map_colours(laid, low, high)
        return Shades(colours, opacity * strength(laid, low, high, diverging), clear == 0)
    decision = values.reshape(grid).astype(int)  # as in LayerValues
    dense_alone, sparse_alone = map_colours(np.array([0.0, 1.0]), 0, 1)
    colours = np.stack([veil(), sparse_alone, dense_alone, np.zeros(3)])[decision]
    tint = TINT * opacity if scale == "fates" else 0.0
    return Shades(colours, np.array([opacity, tint, tint, 0.0])[decision], decision == 0)


def composed(photo: Image.Image, laid: Shades, width: int, height: int) -> Pixels:
    """Return the photo at `width` by `height` pixels with its shades over it: (height, width, 3)."""
    fitted = photo.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    pixels, greys = np.array(fitted), np.asarray(fitted.convert("L"))
    rows, columns = laid.opacity.shape
    row_of = (2 * np.arange(height) + 1) * rows // (2 * height)
    column_of = (2 * np.arange(width) + 1) * columns // (2 * width)
    for row in range(rows):  # one at a time: all at once would take 50 bytes a pixel for a moment
        band = row_of == row
        grey, opacity, colours = (part[row][column_of][:, None] for part in (laid.grey, laid.opacity, laid.colours))
        below = np.where(grey, greys[band][..., None], pixels[band])
        pixels[band] = np.rint(below * (1 - opacity) + colours[:, 0] * opacity)
    return pixels


def draw_photo(
    axes: Axes, photo: Image.Image, layer: Layer, shown: LayerValues, laid: Shades, lines: bool, marks: bool = True
) -> None:
    """Draw the photo under its layer, filling the axes, whose coordinates are columns and rows of the grid, from 0.

    `marks` are the outline of the kept region for a mask, crosses on dropped patches for values.
    """
    rows, columns = laid.opacity.shape
    width, height = (max(1, round(length)) for length in axes.bbox.size)
    pixels = composed(photo, laid, width, height)
    # With alpha of its own, Matplotlib takes a quarter of the memory for it.
    pixels = np.dstack([pixels, np.full((height, width), 255, dtype=np.uint8)])
    # "none": vector formats carry the very pixels, and the others show them one to one.
    axes.imshow(pixels, extent=(0, columns, rows, 0), aspect="auto", interpolation="none")
    if lines:
        grid = [[(x, 0), (x, rows)] for x in range(1, columns)] + [[(0, y), (columns, y)] for y in range(1, rows)]
        axes.add_collection(LineCollection(grid, colors="white", linewidths=0.4, alpha=0.3))
    if marks and layer.row.is_mask:
        draw_outline(axes, shown.values.reshape(rows, columns) > 0)
    elif marks and layer.row.scale != "none":
        dropped = ~shown.kept.reshape(rows, columns)
        arm = min(width / columns, height / rows) / 9  # pixels
        y, x = np.nonzero(dropped)
        right, down = x + 1 - 2.2 * arm * columns / width, y + 2.2 * arm * rows / height
        size = (2 * arm * 72 / DPI) ** 2
        for colour, line in ((VEIL, 1.8), ("white", 0.9)):  # points: a dark edge, so that they are seen on any photo
            axes.scatter(right, down, s=size, marker="x", c=colour, linewidths=line, alpha=0.7)
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)


def draw_outline(axes: Axes, region: NDArray[np.bool_], points: float = 1.5) -> None:
    """Draw a white line with a dark edge along the border of a region of the grid (H, W); `points` is the line's
    width."""
    across = np.argwhere(region[1:] != region[:-1])  # (row above the border, column)
    down = np.argwhere(region[:, 1:] != region[:, :-1])  # (row, column left of the border)
    segments = [[(x, y + 1), (x + 1, y + 1)] for y, x in across] + [[(x + 1, y), (x + 1, y + 1)] for y, x in down]
    for colour, width in ((VEIL, 2 * points), ("white", points)):
        axes.add_collection(LineCollection(segments, colors=colour, linewidths=width, capstyle="projecting"))


def draw_objects(axes: Axes, objects: Sequence[Outline], grid: tuple[int, ...]) -> None:
    """Draw the outlines of a scene's objects with their names, over the grid (H, W): dashed where no phrase names
    them."""
    rows, columns = grid
    for outline in objects:
        paths = [np.array(line).reshape(-1, 2) * (columns, rows) for line in outline.lines]
        for colour, width in ((VEIL, 3.4), (OBJECT, 1.7)):  # points
            style = "solid" if outline.mentioned else (0, (5.1 / width, 5.1 / width))
            axes.add_collection(LineCollection(paths, colors=colour, linewidths=width, linestyles=[style]))
        left, top = np.concatenate(paths).min(axis=0)
        box = {"facecolor": VEIL, "edgecolor": "none", "pad": 1.5}
        axes.text(left, top, outline.name, fontsize=LETTERS - 3, color=OBJECT, bbox=box, va="bottom", clip_on=True)


def draw_scale(page: Page, left: float, top: float, shown: LayerValues, key: str, opacity: float) -> None:
    """Draw the colour map with the scale's label before it, the numbers at both ends, and `key` after it."""
    low, high, gap = f"{shown.low:.3g}", f"{shown.high:.3g}", 10.0
    page.text(left, top, [shown.label], LETTERS, symbols=True, color=page.palette.quiet)
    left += text_width(shown.label, LETTERS, symbols=True) + 2 * gap
    page.text(left, top, [low], LETTERS)
    left += text_width(low, LETTERS) + gap
    draw_bar(page, (left, top + 3, BAR, 14), opacity, shown.diverging)
    left += BAR + gap
    page.text(left, top, [high], LETTERS)
    page.text(left + text_width(high, LETTERS) + 3 * gap, top, [key], LETTERS, color=page.palette.quiet)


def draw_bar(
    page: Page, box: tuple[float, float, float, float], opacity: float | None, diverging: bool = False
) -> None:
    """Draw a scale's colours in a box: left, top, width, height.

    With an `opacity` as strong as they lie over a photo, here over squares of grey; without one in full colours, of
    what is drawn over nothing.
    """
    left, top, width, height = box
    pixels = round(2 * width), round(2 * height)
    steps = np.linspace(-1.0 if diverging else 0.0, 1.0, pixels[0])  # (pixels,)
    colours = side_colours(steps) if diverging else map_colours(steps, 0.0, 1.0)
    if opacity is not None:
        across, down = (np.arange(count) // (pixels[1] // 2) for count in pixels)
        squares = 255 * np.array([to_rgb(colour) for colour in CHECKS])  # (2, 3)
        below = squares[(across[None] + down[:, None]) % 2]  # (height, width, 3)
        over = opacity * strength(steps, 0.0, 1.0, diverging)[:, None]
        colours = below * (1 - over) + colours * over
    drawn = np.rint(np.broadcast_to(colours, (pixels[1], pixels[0], 3))).astype(np.uint8)
    page.axes(left, top, width, height).imshow(drawn, aspect="auto", interpolation="none")


def draw_mask_key(page: Page, left: float, top: float, layer: Layer, photo: Image.Image, opacity: float) -> None:
    """Draw a square for each decision and its meaning, shaded as it is over a photo of this one's mean colour."""
    meanings = [meaning for _, meaning in reversed(mask_key(layer))]
    if layer.row.scale == "fates":
        meanings[1:3] = reversed(meanings[1:3])  # as in LayerValues: sparse, then dense
    laid = shades(layer, np.arange(len(meanings)), (1, len(meanings)), 0, 1, opacity)
    mean = photo.convert("RGB").resize((1, 1), Image.Resampling.BOX)
    squares = composed(mean, laid, len(meanings), 1)  # (1, decisions, 3)
    for decision in reversed(range(len(meanings))):
        axes = page.axes(left, top + 3, 16, 16)
        axes.imshow(squares[:, decision : decision + 1], aspect="auto", interpolation="none")
        axes.patch.set_edgecolor(page.palette.quiet)
        axes.patch.set(linewidth=2.0, clip_on=False)
        page.text(left + 26, top, [meanings[decision]], LETTERS)
        left += 26 + text_width(meanings[decision], LETTERS) + 28

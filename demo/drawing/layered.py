"""A layer over a photo: its pixels, the marks on top, and the colour scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.page import Page, PixelImage, text_width
from demo.drawing.palette import AGAINST, CHECKS, COLOUR_MAP, DPI, FOR, OBJECT, VEIL
from demo.record.layers.layers import Layer, LayerValues, mask_key
from demo.record.scene import Outline

TINT = 0.45  # fraction of the opacity for patches that only one branch kept
LUMINANCE = (0.2126, 0.7152, 0.0722)
LETTERS = 11  # in points, next to a scale
BAR = 260  # CSS pixels, the length of a scale


@dataclass(frozen=True)
class Shades:
    """Overlay of each patch: colours (H, W, 3) from 0 to 255, opacity (H, W), and whether the photo is grey."""

    colours: NDArray[np.float64]
    opacity: NDArray[np.float64]
    grey: NDArray[np.bool_]


def map_colours(values: NDArray[Any], low: float, high: float) -> NDArray[np.float64]:
    """Map values to the colour map's colours (..., 3), from 0 to 255; the first colour if low equals high."""
    fractions = (values - low) / (high - low) if high > low else np.zeros(values.shape)
    return np.asarray(colormaps[COLOUR_MAP](fractions, bytes=True)[..., :3], dtype=np.float64)


def side_colours(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the colours (..., 3), from 0 to 255, of values on a diverging scale: one per sign."""
    below, above = (np.rint(255 * np.array(to_rgb(colour))) for colour in (AGAINST, FOR))
    return np.where((values < 0)[..., None], below, above)


def strength(values: NDArray[Any], low: float, high: float, diverging: bool = False) -> NDArray[np.float64]:
    """Compute the opacity of each value's colour, (...), in [0, 1]. 0 at the start of the scale, or at zero for a
    diverging scale, so that the photo is visible, and 1 at the ends; 0 for an empty scale. The square root keeps the
    map's dark low colours visible. Same as `strength` in assets/js/base/colours.js."""
    reached, length = (np.abs(values), high) if diverging else (values - low, high - low)
    if length <= 0:
        return np.zeros(values.shape)
    fractions = np.clip(reached / length, 0.0, 1.0)
    return np.asarray(fractions if diverging else np.sqrt(fractions), dtype=np.float64)


def is_bright(colours: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Return whether black marks are more visible than white ones on colours (..., 3) from 0 to 255."""
    return np.asarray(colours @ LUMINANCE >= 115)


def veil() -> NDArray[np.float64]:
    """Return the colour (3,) of dropped patches, from 0 to 255."""
    return 255 * np.array(to_rgb(VEIL))


def shades(
    layer: Layer, values: NDArray[Any], grid: tuple[int, int], low: float, high: float, opacity: float
) -> Shades:
    """Return the overlay for one map of patch values (N,); only the photo for (0,)."""
    scale, diverging = layer.row.scale, layer.row.scale == "diverging"
    if scale == "none":
        return Shades(np.zeros((*grid, 3)), np.zeros(grid), np.zeros(grid, bool))
    if not layer.row.is_mask:
        # A grey photo does not change the map's colours.
        laid = values.reshape(grid)
        colours = side_colours(laid) if diverging else map_colours(laid, low, high)
        return Shades(colours, opacity * strength(laid, low, high, diverging), np.ones(grid, bool))
    decision = values.reshape(grid).astype(int)  # as in LayerValues
    dense_alone, sparse_alone = map_colours(np.array([0.0, 1.0]), 0, 1)
    colours = np.stack([veil(), sparse_alone, dense_alone, np.zeros(3)])[decision]
    tint = TINT * opacity if scale == "fates" else 0.0
    return Shades(colours, np.array([opacity, tint, tint, 0.0])[decision], decision == 0)


def composed(photo: Image.Image, laid: Shades, width: int, height: int) -> NDArray[np.uint8]:
    """Composite the photo at `width` by `height` pixels with its overlay: (height, width, 3)."""
    resized = photo.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    shown, grey, levels = np.array(resized), np.asarray(resized.convert("L").convert("RGB")), np.arange(256)[:, None]
    edges = []  # of the patches along each side; a pixel belongs to the patch that contains its centre
    for count, length in zip(laid.opacity.shape, (height, width), strict=True):
        patch_of = (2 * np.arange(length) + 1) * count // (2 * length)  # (length,)
        edges.append(np.searchsorted(patch_of, np.arange(count + 1)).tolist())
    top, left = edges
    for row, column in np.ndindex(laid.opacity.shape):
        box = slice(top[row], top[row + 1]), slice(left[column], left[column + 1])
        opacity, colour = laid.opacity[row, column], laid.colours[row, column]
        below = (grey if laid.grey[row, column] else shown)[box]
        if below.size and (opacity or laid.grey[row, column]):
            table = np.rint(levels * (1 - opacity) + colour * opacity)  # (256, 3), one colour for each level
            shown[box] = cv2.LUT(below, table.astype(np.uint8)[:, None])
    return shown


def draw_photo(
    axes: Axes, photo: Image.Image, layer: Layer, shown: LayerValues, laid: Shades, lines: bool, marks: bool = True
) -> None:
    """Draw the photo under its layer, filling the axes, with columns and rows of the grid, from 0, as coordinates.
    `marks` are the outline of the kept region for a mask, crosses on dropped patches for values."""
    rows, columns = laid.opacity.shape
    width, height = (max(1, round(length)) for length in axes.bbox.size)
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    PixelImage(axes, composed(photo, laid, width, height))
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


def draw_outline(axes: Axes, region: NDArray[np.bool_], points: float = 1.5) -> None:
    """Draw a white line with a dark edge, `points` wide, along the border of a region of the grid (H, W)."""
    across = np.argwhere(region[1:] != region[:-1])  # (row above the border, column)
    down = np.argwhere(region[:, 1:] != region[:, :-1])  # (row, column left of the border)
    segments = [[(x, y + 1), (x + 1, y + 1)] for y, x in across] + [[(x + 1, y), (x + 1, y + 1)] for y, x in down]
    for colour, width in ((VEIL, 2 * points), ("white", points)):
        axes.add_collection(LineCollection(segments, colors=colour, linewidths=width, capstyle="projecting"))


def draw_objects(axes: Axes, objects: Sequence[Outline], grid: tuple[int, ...]) -> None:
    """Draw the outlines of a scene's objects with their names, over the grid (H, W): dashed if no phrase names them."""
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
    """Draw the colour map with the scale's label, the numbers at both ends, and `key`."""
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
    """Draw a scale's colours in a box: left, top, width, height. With an `opacity`, as over a photo, on grey squares;
    without one in full colours."""
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
    PixelImage(page.panel(left, top, width, height), drawn)


def draw_mask_key(page: Page, left: float, top: float, layer: Layer, photo: Image.Image, opacity: float) -> None:
    """Draw a square per decision with its meaning, shaded as over a photo of this one's mean colour."""
    meanings = [meaning for _, meaning in reversed(mask_key(layer))]
    if layer.row.scale == "fates":
        meanings[1:3] = reversed(meanings[1:3])  # as in LayerValues: sparse, then dense
    laid = shades(layer, np.arange(len(meanings)), (1, len(meanings)), 0, 1, opacity)
    mean = photo.convert("RGB").resize((1, 1), Image.Resampling.BOX)
    squares = composed(mean, laid, len(meanings), 1)  # (1, decisions, 3)
    for decision in reversed(range(len(meanings))):
        page.square(left, top + 3, 16, squares[0, decision] / 255)
        page.text(left + 26, top, [meanings[decision]], LETTERS)
        left += 26 + text_width(meanings[decision], LETTERS) + 28

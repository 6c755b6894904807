"""What the slides of the lesson are made of: the example, the places on a slide, small drawings used by many steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.layered import composed, draw_bar, draw_photo, shades
from demo.drawing.page import MARGIN, POINT, Page, fit_photo, line_height, text_width
from demo.drawing.palette import OPACITY
from demo.record.counterfactual import Trial
from demo.record.layers.layers import Layer
from seps import Explanation

Floats = NDArray[np.floating[Any]]
Booleans = NDArray[np.bool_]
Box = tuple[float, float, float, float]  # left, top, width, height

# Lengths in CSS pixels, sizes of letters in points.
WIDTH, HEIGHT = 960, 540
INNER = WIDTH - 2 * MARGIN
TOP, BODY = 142, 276  # where a picture begins, and its height
HUGE, LARGE, MEDIUM, SMALL = 34, 15, 12, 10


@dataclass(frozen=True)
class Lesson:
    """One walk through the method on an example."""

    photo: Image.Image  # any size and mode, upright
    record: Explanation
    caption: str
    model: str
    rank: int | None  # of the photo among `total`; None where nothing ranks it
    total: int
    steps: Sequence[Mapping[str, Any]]  # nine, as `steps` describes them
    trial: Trial  # a decision next to that of the record
    credit: str = ""
    before: Explanation | None = None  # by the trained settings, where others are shown
    dense_words: Sequence[str] = ()  # (L_d,), word pieces of the dense caption, in use or not
    top_k: int = 5  # K of the relevance MLP
    keep_probability: Floats | None = None  # (N,) in [0, 1], where the decision was drawn


def label(page: Page, left: float, top: float, text: str, size: float, most: float = INNER, **style: Any) -> None:
    """Draw one line of text with mathematics between dollar signs, shrunk to at most `most` wide."""
    style = {"color": page.palette.ink, "va": "baseline", "math_fontfamily": "stix", **style}
    weight, family = style.get("fontweight", "normal"), style["math_fontfamily"]
    letters = FontProperties(size=size, weight=weight, math_fontfamily=family)
    wide, *_ = text_to_path.get_text_width_height_descent(text, letters, ismath=True)
    size = min(size, size * most / (wide * POINT))
    baseline = top + 0.78 * line_height(size)
    page.figure.text(left / WIDTH, 1 - baseline / HEIGHT, text, fontsize=size, **style)


def canvas(page: Page, box: Box) -> Axes:
    """Add axes with coordinates in CSS pixels from the upper left of a box."""
    axes = page.axes(*box)
    axes.set_xlim(0, box[2])
    axes.set_ylim(box[3], 0)
    return axes


def framed(photo: Image.Image, box: Box) -> Box:
    """Return the photo in its own aspect ratio inside a box, on its left and halfway down."""
    left, top, width, height = box
    fitted = fit_photo(photo, width, height)
    return left, top + (height - fitted[1]) // 2, *fitted


def draw_layer(
    page: Page,
    lesson: Lesson,
    box: Box,
    layer: Layer,
    marks: bool = True,
    lines: bool = False,
    record: Explanation | None = None,
) -> Axes:
    """Draw the photo under one layer of a record, by default the lesson's."""
    shown = layer.values(record or lesson.record)
    laid = shades(layer, shown.values, lesson.record.grid, shown.low, shown.high, OPACITY)
    axes = page.axes(*box)
    draw_photo(axes, lesson.photo, layer, shown, laid, lines, marks)
    return axes


def draw_moved(axes: Axes, lesson: Lesson, now: Booleans, before: Booleans) -> None:
    """Draw a plus on patches, (N,) each, that only `now` keeps and a minus on those that only `before` kept."""
    for patches, marker in ((now & ~before, "+"), (before & ~now, "_")):
        y, x = np.nonzero(lesson.record.on_grid(patches))
        for colour, width in (("black", 4.0), ("white", 2.0)):
            axes.scatter(x + 0.5, y + 0.5, s=60, marker=marker, c=colour, linewidths=width)


def draw_sign(page: Page, centre: float, middle: float, sign: str = "\N{RIGHTWARDS ARROW}", size: float = 24) -> None:
    """Draw a sign between two parts of a picture."""
    label(page, centre, middle - 22, sign, size, ha="center", color=page.palette.quiet)


def draw_range(
    page: Page, left: float, top: float, width: float, low: float, high: float, opacity: float | None = OPACITY
) -> None:
    """Draw the colour map between the numbers at its ends, in `width` CSS pixels; `opacity` as in `draw_bar`."""
    ends = f"{low:.3g}", f"{high:.3g}"
    before, after = (text_width(end, SMALL) + 6 for end in ends)
    page.text(left, top, [ends[0]], SMALL, color=page.palette.quiet)
    draw_bar(page, (left + before, top + 3, width - before - after, 12), opacity)
    page.text(left + width, top, [ends[1]], SMALL, color=page.palette.quiet, ha="right")


def draw_tiles(page: Page, lesson: Lesson, box: Box, weights: Floats, progress: float, chosen: int = -1) -> None:
    """Draw the first `progress` of token maps (K, N), each small and on a scale of its own, the `chosen` one framed."""
    count, gap = len(weights), 4
    _, _, width, height = box

    def fitted(columns: int) -> Box:
        rows = ceil(count / columns)
        room = (width - (columns - 1) * gap) / columns, (height - (rows - 1) * gap) / rows
        return framed(lesson.photo, (0, 0, max(1, room[0]), max(1, room[1])))

    columns = max(range(1, count + 1), key=lambda number: fitted(number)[2])
    tile = fitted(columns)[2:]
    axes = canvas(page, box)
    for i, values in enumerate(weights[: ceil(progress * count)]):
        x, y = i % columns * (tile[0] + gap), i // columns * (tile[1] + gap)
        laid = shades(Layer("tokens"), values, lesson.record.grid, 0.0, float(values.max()), OPACITY)
        pixels = composed(lesson.photo, laid, round(2 * tile[0]), round(2 * tile[1]))
        axes.imshow(pixels, extent=(x, x + tile[0], y + tile[1], y), aspect="auto", interpolation="none")
        if i == chosen:
            edge = page.palette.accent
            axes.add_patch(Rectangle((x, y), *tile, fill=False, edgecolor=edge, linewidth=2.5, clip_on=False))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)

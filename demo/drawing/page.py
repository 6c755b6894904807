"""A page for a figure: letters and axes laid out in CSS pixels from the upper left, captions in any script."""

from __future__ import annotations

import unicodedata
import warnings
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from demo.drawing.palette import DPI, Palette
from demo.record.table import mathtext

CSS_PIXELS = 96  # to an inch
POINT = CSS_PIXELS / 72  # CSS pixels to a point
UNPRINTABLE = ("Cc", "Cs", "Cn")  # control characters, halves of surrogate pairs, characters that do not exist
LONGEST_LINE = 400  # characters looked at for one line


def hush_missing_glyphs() -> None:
    """Draw a box, and no warning, for a character that the font lacks. Called before anything is drawn or measured."""
    warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)


def clean(text: str) -> str:
    """Text on one line, without characters that cannot be printed or stand in an SVG."""
    text = "".join(" " if c.isspace() else c for c in text)
    return " ".join("".join(c for c in text if unicodedata.category(c) not in UNPRINTABLE).split())


def text_width(text: str, size: float, bold: bool = False, symbols: bool = False) -> float:
    """Return the width of text in CSS pixels; `size` in points, `symbols` as in `Page.text`."""
    hush_missing_glyphs()
    letters = FontProperties(size=size, weight="bold" if bold else "normal")
    drawn = mathtext(text) if symbols else text
    return float(text_to_path.get_text_width_height_descent(drawn, letters, ismath=drawn != text)[0]) * POINT


def wrapped(text: str, width: float, size: float, bold: bool = False, most: int = 4) -> list[str]:
    """Cleaned text in lines of at most `width` CSS pixels; an ellipsis ends the last of `most` where more follows.

    Lines break at spaces, and inside a word only where it is longer than a line.
    """
    lines: list[str] = []
    rest = clean(text)
    while rest:
        last = len(lines) == most - 1
        more = len(rest) > LONGEST_LINE or text_width(rest, size, bold) > width
        ending = "…" if last and more else ""
        lengths = range(1, min(len(rest), LONGEST_LINE) + 1)
        fitting = bisect_right(lengths, width, key=lambda n: text_width(rest[:n] + ending, size, bold))
        cut = max(fitting, 1)
        if cut < len(rest) and rest[cut] != " " and " " in rest[:cut]:
            cut = rest.rindex(" ", 0, cut)
        lines.append(rest[:cut].rstrip() + ending)
        rest = "" if last else rest[cut:].lstrip()
    return lines


class Page:
    """A figure of `width` by `height` CSS pixels; lengths and places are in CSS pixels from the upper left."""

    def __init__(self, width: float, height: float, palette: Palette) -> None:
        self.width, self.height, self.palette = width, height, palette
        size = (width / CSS_PIXELS, height / CSS_PIXELS)
        self.figure = Figure(figsize=size, dpi=DPI, facecolor=palette.paper)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Empty axes: no frame, no ticks."""
        bottom = self.height - top - height
        box = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        axes = self.figure.add_axes(box, facecolor="none")
        axes.set_xticks([])
        axes.set_yticks([])
        axes.tick_params(colors=self.palette.quiet, length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        return axes

    def text(
        self, left: float, top: float, lines: Sequence[str], size: float, symbols: bool = False, **style: Any
    ) -> None:
        """Write lines; `size` in points, `style` as Matplotlib's Text takes it.

        The text is literal; with `symbols`, for our own words, those of the table stand as mathematics.
        """
        style = {"color": self.palette.ink, "va": "baseline", **style}
        for i, line in enumerate(lines):
            baseline = top + i * line_height(size) + 0.78 * line_height(size)
            place = (left / self.width, 1 - baseline / self.height)
            self.figure.text(*place, mathtext(line) if symbols else line, fontsize=size, parse_math=symbols, **style)


def line_height(size: float) -> int:
    """Return the height of a line of letters of `size` points, in CSS pixels."""
    return round(1.35 * size * POINT)


Block = tuple[int, Callable[[Page, int], None]]  # its height in CSS pixels; what draws it, given the page and its top


def lettered(left: float, lines: Sequence[str], size: float, space: int = 0, **style: Any) -> Block:
    """Return a block of lines with `space` below it; `style` as in `Page.text`."""
    height = len(lines) * line_height(size) + (space if lines else 0)
    return height, lambda page, top: page.text(left, top, lines, size, **style)


def stacked(blocks: Sequence[Block], width: int, margin: int, palette: Palette) -> Figure:
    """Return a page as high as its blocks, one below the other, between two margins."""
    page = Page(width, sum(height for height, _ in blocks) + 2 * margin, palette)
    top = margin
    for height, draw in blocks:
        draw(page, top)
        top += height
    return page.figure

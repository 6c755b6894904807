"""Page layout for a figure, in CSS pixels from the upper left, with captions in any script."""

import unicodedata
import warnings
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.letters import fallback_of, find_lacking_letters
from demo.drawing.palette import DPI, Palette
from demo.record.texts.table import mathtext

CSS_PIXELS = 96  # to an inch
POINT = CSS_PIXELS / 72  # CSS pixels to a point
MARGIN = 40  # CSS pixels on both sides of a page
UNPRINTABLE = ("Cc", "Cs", "Cn")  # control characters, halves of surrogate pairs, characters that do not exist
LONGEST_LINE = 400  # characters looked at for one line


def hush_missing_glyphs() -> None:
    """Suppress Matplotlib's warnings on missing letters: `fit_letters` finds another font or reports them."""
    warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)


def clean(text: str) -> str:
    """Convert text to one line without characters that cannot be printed or are invalid in an SVG."""
    text = "".join(" " if c.isspace() else c for c in text)
    return " ".join("".join(c for c in text if unicodedata.category(c) not in UNPRINTABLE).split())


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, bold: bool = False, symbols: bool = False) -> float:
    """Return the width of text in CSS pixels; `size` in points, `symbols` as in `Page.text`."""
    hush_missing_glyphs()
    letters = FontProperties(size=size, weight="bold" if bold else "normal")
    if lacking := find_lacking_letters(text, letters):
        letters.set_family([*letters.get_family(), *(font[0] for font in map(fallback_of, lacking) if font)])
    drawn = mathtext(text) if symbols else text
    return float(text_to_path.get_text_width_height_descent(drawn, letters, ismath=drawn != text)[0]) * POINT


def wrapped(text: str, width: float, size: float, bold: bool = False, most: int = 4) -> list[str]:
    """Wrap cleaned text to lines of at most `width` CSS pixels; the last of `most` ends with an ellipsis if cut. Lines
    break at spaces, and inside a word only if it is longer than a line."""
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


class PixelImage(AxesImage):
    """RGB pixels (height, width, 3) that fill their axes, copied without resampling if the sizes are equal. Matplotlib
    would also resample an image of the same size, which takes three times as long."""

    def __init__(self, axes: Axes, pixels: NDArray[np.uint8]) -> None:
        # "none": vector formats contain the original pixels.
        super().__init__(axes, interpolation="none", extent=(*axes.get_xlim(), *axes.get_ylim()))
        # With a fixed opacity, Matplotlib needs a quarter of the memory.
        self._rgba = cv2.cvtColor(pixels, cv2.COLOR_RGB2RGBA)
        self.set_data(self._rgba)
        axes.add_image(self)

    def draw(self, renderer: RendererBase) -> None:
        """Draw the pixels, row by row from the bottom, in the renderer's order."""
        box, pixels = self.axes.bbox, self._rgba
        if renderer.option_scale_image() or pixels.shape[:2] != (round(box.height), round(box.width)):
            super().draw(renderer)
        else:
            renderer.draw_image(renderer.new_gc(), round(box.x0), round(box.y0), pixels[::-1])


class Page:
    """A figure of `width` by `height` CSS pixels; lengths and places are in CSS pixels from the upper left."""

    def __init__(self, width: float, height: float, palette: Palette) -> None:
        self.width, self.height, self.palette = width, height, palette
        size = (width / CSS_PIXELS, height / CSS_PIXELS)
        self.figure = Figure(figsize=size, dpi=DPI, facecolor=palette.paper)

    def panel(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return axes without a frame, ticks or background."""
        bottom = self.height - top - height
        box = (left / self.width, bottom / self.height, width / self.width, height / self.height)
        axes = self.figure.add_axes(box, facecolor="none")
        axes.set_axis_off()
        return axes

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return axes without a frame, to which ticks can be added. Ticks are slow: see `panel`."""
        axes = self.panel(left, top, width, height)
        axes.set_axis_on()
        axes.set_xticks([])
        axes.set_yticks([])
        axes.tick_params(colors=self.palette.quiet, length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        return axes

    def square(self, left: float, top: float, side: float, colour: Sequence[float]) -> None:
        """Draw a filled square with a thin edge; `colour` is RGB in [0, 1]."""
        corner = (left / self.width, 1 - (top + side) / self.height)
        size = (side / self.width, side / self.height)
        square = Rectangle(corner, *size, transform=self.figure.transFigure, linewidth=2.0)
        square.set(facecolor=tuple(colour), edgecolor=self.palette.quiet)
        self.figure.add_artist(square)

    def text(
        self, left: float, top: float, lines: Sequence[str], size: float, symbols: bool = False, **style: Any
    ) -> None:
        """Draw lines of text; `size` in points, `style` as for Matplotlib's Text. The text is literal; with `symbols`,
        for our own texts, symbols in the table are drawn as mathematics."""
        style = {"color": self.palette.ink, "va": "baseline", **style}
        for i, line in enumerate(lines):
            baseline = top + i * line_height(size) + 0.78 * line_height(size)
            place = (left / self.width, 1 - baseline / self.height)
            self.figure.text(*place, mathtext(line) if symbols else line, fontsize=size, parse_math=symbols, **style)


def line_height(size: float) -> int:
    """Return the height of a line of letters of `size` points, in CSS pixels."""
    return round(1.35 * size * POINT)


def fit_photo(photo: Image.Image, width: float, height: float) -> tuple[int, int]:
    """Return the largest size in a box with the photo's aspect ratio."""
    scale = min(width / photo.width, height / photo.height)
    return max(1, round(photo.width * scale)), max(1, round(photo.height * scale))


Block = tuple[int, Callable[[Page, int], None]]  # its height in CSS pixels; what draws it, given the page and its top


def text_block(
    text: str, width: float, size: float, space: int = 0, bold: bool = False, most: int = 4, **style: Any
) -> Block:
    """Return a text, wrapped as by `wrapped`, with `space` below it; `style` as in `Page.text`."""
    lines = wrapped(text, width, size, bold, most)
    height = len(lines) * line_height(size) + (space if lines else 0)
    style["fontweight"] = "bold" if bold else "normal"
    return height, lambda page, top: page.text(MARGIN, top, lines, size, **style)


def stacked(blocks: Sequence[Block], width: int, palette: Palette) -> Figure:
    """Return a page with the blocks below each other."""
    top = MARGIN - 8
    page = Page(width, sum(height for height, _ in blocks) + 2 * top, palette)
    for height, draw in blocks:
        draw(page, top)
        top += height
    return page.figure

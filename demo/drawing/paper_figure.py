"""Figures for papers: rows of panels in a column's width and font, with one scale per kind of value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from PIL import Image

from demo.drawing.layered import draw_bar, draw_outline, draw_photo, shades
from demo.drawing.page import CSS_PIXELS, Page, line_height, text_width, wrapped
from demo.drawing.palette import LIGHT, OPACITY
from demo.record.layers.layers import Layer, LayerValues
from seps import Explanation

PRINTED = 400  # pixels to an inch of the photographs
TALLEST = 24  # inches
NARROWEST = 20  # CSS pixels of a column
GAP, SPACE = 4, 8  # CSS pixels between panels, and below a row
BAR = 8  # CSS pixels, the height of a scale
OUTLINE = 0.4  # points, of the kept region
FONTS = {"serif": "serif", "sans": "sans-serif"}


@dataclass(frozen=True)
class Panel:
    """A photograph under one layer of a record, with `head` above it."""

    photo: Image.Image
    record: Explanation
    layer: Layer
    head: str


@dataclass(frozen=True)
class PanelRow:
    """Panels side by side, with `text` above them."""

    panels: Sequence[Panel]
    text: str = ""


def paper_figure(rows: Sequence[PanelRow], width: float, size: float, font: str, sources: Sequence[str] = ()) -> Figure:
    """Draw rows with equal numbers of panels: `width` in inches, letters of `size` points, a `font` of FONTS.

    Raises:
        ValueError: a record without its panel's layer, columns too narrow for a picture, or a figure that is too high.
    """
    return _Sheet(rows, round(width * CSS_PIXELS), size, font, sources).draw()


class _Sheet:
    """Layout of the figure, computed once for the page's height, then drawn."""

    def __init__(self, rows: Sequence[PanelRow], width: int, size: float, font: str, sources: Sequence[str]) -> None:
        self.rows, self.width, self.size, self.family = rows, width, size, FONTS[font]
        columns = len(rows[0].panels)
        self.column = (width - (columns - 1) * GAP) // columns
        if self.column < NARROWEST:
            inches = f"{width / CSS_PIXELS:.3g}"
            raise ValueError(f"{columns} columns are too many for {inches} inches: give fewer, or a larger width.")
        self.shown = [[panel.layer.values(panel.record) for panel in row.panels] for row in rows]
        self.scales = compute_shared_scales(
            [
                values
                for row, shown in zip(rows, self.shown, strict=True)
                for panel, values in zip(row.panels, shown, strict=True)
                if _has_scale(panel.layer, values)
            ]
        )
        self.credits = [line for source in sources for line in wrapped(source, width, size - 1)]

    def draw(self) -> Figure:
        """Lay out and draw the parts from the top."""
        line, small = line_height(self.size), line_height(self.size - 1)
        heads = [self._heads(i) for i in range(len(self.rows))]
        texts = [wrapped(row.text, self.width, self.size) for row in self.rows]
        depths = [max(self._height(panel) for panel in row.panels) for row in self.rows]
        heights = [
            len(text) * line + max(map(len, head)) * line + depth + SPACE
            for text, head, depth in zip(texts, heads, depths, strict=True)
        ]
        scales = len(self.scales) * (line + 2)
        height = sum(heights) + scales + len(self.credits) * small + 2
        if height > TALLEST * CSS_PIXELS:
            inches = f"{height / CSS_PIXELS:.0f}"
            raise ValueError(
                f"The figure is {inches} inches high, but at most {TALLEST} are drawn: give fewer rows, more columns, "
                "a smaller width, or photographs that are less high."
            )
        page = Page(self.width, height, LIGHT)
        page.figure.set_dpi(PRINTED)
        top = 0
        for i, row in enumerate(self.rows):
            self._text(page, 0, top, texts[i], fontstyle="italic")
            below = top + len(texts[i]) * line
            panels = below + max(map(len, heads[i])) * line
            for place, panel in enumerate(row.panels):
                left = place * (self.column + GAP)
                self._text(page, left, below, heads[i][place])
                self._panel(page, left, panels, panel, self.shown[i][place])
            top += heights[i]
        for label, (low, high, diverging) in self.scales.items():
            self._scale(page, top, label, low, high, diverging)
            top += line + 2
        page.text(0, top, self.credits, self.size - 1, color=LIGHT.quiet, fontfamily=self.family)
        return page.figure

    def _heads(self, index: int) -> list[list[str]]:
        """Return the heads of a row's panels, empty if equal to the previous row's."""
        names = [panel.head for panel in self.rows[index].panels]
        before = [panel.head for panel in self.rows[index - 1].panels] if index else [""] * len(names)
        return [
            [] if name == above else wrapped(name, self.column, self.size)
            for name, above in zip(names, before, strict=True)
        ]

    def _height(self, panel: Panel) -> int:
        return max(1, round(self.column * panel.photo.height / panel.photo.width))

    def _panel(self, page: Page, left: float, top: float, panel: Panel, shown: LayerValues) -> None:
        low, high, _ = self.scales.get(shown.label, (shown.low, shown.high, False))
        laid = shades(panel.layer, shown.values.reshape(-1), panel.record.grid, low, high, OPACITY)
        axes = page.panel(left, top, self.column, self._height(panel))
        draw_photo(axes, panel.photo, panel.layer, shown, laid, lines=False, marks=False)
        if panel.layer.row.is_mask:
            draw_outline(axes, shown.values.reshape(panel.record.grid) > 0, OUTLINE)

    def _scale(self, page: Page, top: float, label: str, low: float, high: float, diverging: bool) -> None:
        """Draw a scale's label, its ends and its colours on one line."""
        line, left = line_height(self.size), 0.0
        for text in (label, f"{low:.3g}"):
            self._text(page, left, top, [text], symbols=text == label)
            left += text_width(text, self.size, symbols=text == label) + SPACE
        end = f"{high:.3g}"
        length = max(BAR, min(self.width / 3, self.width - left - text_width(end, self.size) - SPACE))
        draw_bar(page, (left, top + (line - BAR) / 2, length, BAR), OPACITY, diverging)
        self._text(page, left + length + SPACE, top, [end])

    def _text(
        self, page: Page, left: float, top: float, lines: Sequence[str], symbols: bool = False, **style: str
    ) -> None:
        page.text(left, top, lines, self.size, symbols=symbols, fontfamily=self.family, **style)


def _has_scale(layer: Layer, values: LayerValues) -> bool:
    """Return whether a layer's colours represent numbers: not the photo or a mask."""
    return layer.row.scale != "none" and not layer.row.is_mask and values.high > values.low


def compute_shared_scales(shown: Sequence[LayerValues]) -> dict[str, tuple[float, float, bool]]:
    """Return for each scale label the range (low, high) over all panels, and whether it is diverging."""
    scales: dict[str, tuple[float, float, bool]] = {}
    for values in shown:
        low, high, _ = scales.get(values.label, (values.low, values.high, values.diverging))
        scales[values.label] = (min(low, values.low), max(high, values.high), values.diverging)
    return scales

"""Figures for papers: rows of panels in a column's width and font, with one scale per kind of value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    ValueError for a record without its panel's layer, columns too narrow for a picture, or a figure that is too
    high."""
    columns, across, line = len(rows[0].panels), round(width * CSS_PIXELS), line_height(size)
    column = (across - (columns - 1) * GAP) // columns
    if column < NARROWEST:
        inches = f"{across / CSS_PIXELS:.3g}"
        raise ValueError(f"{columns} columns are too many for {inches} inches: give fewer, or a larger width.")
    shown = [[panel.layer.values(panel.record) for panel in row.panels] for row in rows]
    pairs = [pair for row, values in zip(rows, shown, strict=True) for pair in zip(row.panels, values, strict=True)]
    scales = compute_shared_scales(
        [
            values
            for panel, values in pairs
            if panel.layer.row.scale != "none" and not panel.layer.row.is_mask and values.high > values.low
        ]
    )
    texts, before = [wrapped(row.text, across, size) for row in rows], [""] * columns
    heads: list[list[list[str]]] = []
    for row in rows:  # a head that is equal to the one above is left out
        names = [panel.head for panel in row.panels]
        heads.append(
            [[] if name == above else wrapped(name, column, size) for name, above in zip(names, before, strict=True)]
        )
        before = names

    def depth(panel: Panel) -> int:
        return max(1, round(column * panel.photo.height / panel.photo.width))

    heights = [
        (len(text) + max(map(len, head))) * line + max(map(depth, row.panels)) + SPACE
        for text, head, row in zip(texts, heads, rows, strict=True)
    ]
    notes = [text for source in sources for text in wrapped(source, across, size - 1)]
    height = sum(heights) + len(scales) * (line + 2) + len(notes) * line_height(size - 1) + 2
    if height > TALLEST * CSS_PIXELS:
        raise ValueError(
            f"The figure is {height / CSS_PIXELS:.0f} inches high, but at most {TALLEST} are drawn: give fewer rows, "
            "more columns, a smaller width, or photographs that are less high."
        )
    page, top = Page(across, height, LIGHT), 0
    style: dict[str, Any] = {"fontfamily": FONTS[font]}
    page.figure.set_dpi(PRINTED)
    for i, row in enumerate(rows):
        page.text(0, top, texts[i], size, fontstyle="italic", **style)
        below = top + len(texts[i]) * line
        for place, (panel, values) in enumerate(zip(row.panels, shown[i], strict=True)):
            left = place * (column + GAP)
            page.text(left, below, heads[i][place], size, **style)
            low, high, _ = scales.get(values.label, (values.low, values.high, False))
            laid = shades(panel.layer, values.values.reshape(-1), panel.record.grid, low, high, OPACITY)
            axes = page.panel(left, below + max(map(len, heads[i])) * line, column, depth(panel))
            draw_photo(axes, panel.photo, panel.layer, values, laid, lines=False, marks=False)
            if panel.layer.row.is_mask:
                draw_outline(axes, values.values.reshape(panel.record.grid) > 0, OUTLINE)
        top += heights[i]
    for label, (low, high, diverging) in scales.items():  # a scale's label, its ends and its colours on one line
        start, end = 0.0, f"{high:.3g}"
        for text in (label, f"{low:.3g}"):
            page.text(start, top, [text], size, symbols=text == label, **style)
            start += text_width(text, size, symbols=text == label) + SPACE
        length = max(BAR, min(across / 3, across - start - text_width(end, size) - SPACE))
        draw_bar(page, (start, top + (line - BAR) / 2, length, BAR), OPACITY, diverging)
        page.text(start + length + SPACE, top, [end], size, **style)
        top += line + 2
    page.text(0, top, notes, size - 1, color=LIGHT.quiet, **style)
    return page.figure


def compute_shared_scales(shown: Sequence[LayerValues]) -> dict[str, tuple[float, float, bool]]:
    """Return for each scale label the range (low, high) over all panels, and whether it is diverging."""
    scales: dict[str, tuple[float, float, bool]] = {}
    for values in shown:
        low, high, _ = scales.get(values.label, (values.low, values.high, values.diverging))
        scales[values.label] = (min(low, values.low), max(high, values.high), values.diverging)
    return scales

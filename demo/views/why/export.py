"""Two pictures side by side with each word's part of either similarity, to take away: as a picture, JSON and CSV."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

from demo.drawing.formats import CONTRASTS, Download, check_format, file_name, json_file
from demo.drawing.layered import draw_photo, draw_scale, shades
from demo.drawing.page import MARGIN, Block, Page, fit_photo, line_height, stacked, text_block, wrapped
from demo.drawing.palette import DARK, LIGHT, OPACITY, VEIL, Palette
from demo.drawing.render import render
from demo.record.contrast import Contrast, Part, contrast_record, contrast_sentences, maps_of, marks, most
from demo.record.layers.layers import Layer, LayerValues
from demo.record.texts.table import say
from demo.service.threads import drawing
from seps.common.numbers import rounded, written
from seps.common.spreadsheet import csv_content

# Lengths in CSS pixels, sizes of letters in points.
WIDTH, GAP = 1152, 32
PHOTO_HEIGHT = 400
LARGE, MEDIUM, SMALL, TINY = 17, 12, 10.5, 8.5
ROW, WORD, NUMBER = 36, 180, 80
COLUMNS = ("part", "kind", "left", "right", "difference")


@drawing
def why_file(
    contrast: Contrast,
    photos: tuple[Image.Image, Image.Image],
    model: str,
    kind: str,
    layer: str = "mask",
    dark: bool = False,
    credit: str = "",
) -> Download:
    """Return what stands side by side as one of CONTRASTS, with the map of "word:0", or the deciding words marked."""
    check_format(kind, CONTRASTS)
    name = file_name(model, f"{contrast.left.title} {contrast.right.title}", "why", kind)
    if kind == "json":
        return json_file(name, contrast_record(contrast, model))
    if kind == "csv":
        # All parts add up to the row of S(I, T).
        captions, titles = ([getattr(side, fact) for side in contrast.sides] for fact in ("caption", "title"))
        columns = (*COLUMNS, "left_photo", "right_photo", "left_caption", "right_caption")
        parts: list[tuple[Any, ...]] = [(part.title, "word", *part.numbers.values()) for part in contrast.words]
        parts += [(part.title, "rest", *part.numbers.values()) for part in contrast.rest]
        parts.append((say("why.sum"), "sum", contrast.left.similarity, contrast.right.similarity, contrast.difference))
        rows = [
            [
                title,
                part_kind,
                *("" if number is None else rounded(number, 6) for number in numbers),
                *titles,
                *captions,
            ]
            for title, part_kind, *numbers in parts
        ]
        return Download(name, csv_content(columns, rows))
    figure = _picture(contrast, photos, model, contrast.word(layer), DARK if dark else LIGHT, credit)
    return Download(name, render(figure, kind))


def _picture(
    contrast: Contrast,
    photos: tuple[Image.Image, Image.Image],
    model: str,
    part: Part | None,
    palette: Palette,
    credit: str,
) -> Figure:
    """Draw both photographs, under a word's maps on one scale or with the deciding words marked, and all shares."""
    inner = WIDTH - 2 * MARGIN
    head, *others = contrast_sentences(contrast)
    blocks = [
        text_block(head, inner, LARGE, 4, bold=True, symbols=True),
        text_block(" ".join(others), inner, SMALL, 12, symbols=True, color=palette.quiet),
        _photos(contrast, photos, part),
        _scale(contrast, part),
        _attributions(contrast),
        text_block(credit, inner, TINY, 4, most=2, color=palette.quiet),
        text_block(say("file.model", model=model), inner, SMALL, color=palette.quiet),
    ]
    return stacked(blocks, WIDTH, palette)


def _photos(contrast: Contrast, photos: Sequence[Image.Image], part: Part | None) -> Block:
    """Both photographs at one height, with captions where there are two, and their scores."""
    width = (WIDTH - 2 * MARGIN - GAP) // 2
    sizes = [fit_photo(photo, width, PHOTO_HEIGHT) for photo in photos]
    titles = [
        wrapped(side.caption if contrast.of_captions else side.title, width, MEDIUM, bold=True)
        for side in contrast.sides
    ]
    head = max(map(len, titles)) * line_height(MEDIUM) + line_height(SMALL) + 10

    def draw(page: Page, top: int) -> None:
        for place, side in enumerate(contrast.sides):
            left = MARGIN + place * (width + GAP)
            page.text(left, top, titles[place], MEDIUM, fontweight="bold")
            page.text(left, top + head - line_height(SMALL) - 6, [side.score_line], SMALL, color=page.palette.accent)
            axes = page.panel(left, top + head, *sizes[place])
            has = part is not None and bool(part.pieces[place])  # else its caption has not got the word
            layer = Layer("word", part.number) if part is not None and has else Layer("photo")
            shown = _values(contrast, part if has else None, place)
            laid = shades(layer, shown.values.reshape(-1), side.record.grid, shown.low, shown.high, OPACITY)
            draw_photo(axes, photos[place], layer, shown, laid, lines=has)
            if part is None:
                _draw_marks(axes, contrast, place)

    return head + max(height for _, height in sizes) + 12, draw


def _values(contrast: Contrast, part: Part | None, place: int) -> LayerValues:
    """A word's map on one side, on the scale of both; nothing without a word."""
    kept = contrast.sides[place].record.sparse.kept
    if part is None:
        return LayerValues("", "", np.zeros((0, kept.size)), 0.0, 0.0, kept, "")
    label = say("why.weight", word=part.name)
    return LayerValues(label, label, maps_of(contrast, part)[place], 0.0, most(contrast, part), kept, "")


def _draw_marks(axes: Axes, contrast: Contrast, place: int) -> None:
    """Frame the patches where the words that decide look most, and name them; filled where they speak for this one."""
    rows, columns = contrast.sides[place].record.grid
    for mark in marks(contrast, place):
        y, x = divmod(mark["patch"], columns)
        for colour, width in ((VEIL, 4.0), ("white", 2.0)):  # points
            style = "solid" if mark["speaks"] or colour == VEIL else (0, (1.5, 1.5))
            axes.add_patch(Rectangle((x, y), 1, 1, fill=False, edgecolor=colour, linewidth=width, linestyle=style))
        ink, paper = (VEIL, "white") if mark["speaks"] else ("white", VEIL)
        box = {"facecolor": paper, "edgecolor": ink, "pad": 2.5, "linewidth": 0.8}
        below = y < 0.1 * rows
        axes.text(
            min(max(x + 0.5, 0.08 * columns), 0.92 * columns),
            y + 1.25 if below else y - 0.25,
            mark["word"],
            fontsize=SMALL,
            color=ink,
            bbox=box,
            ha="center",
            va="top" if below else "bottom",
            clip_on=True,
            parse_math=False,
        )


def _scale(contrast: Contrast, part: Part | None) -> Block:
    """Return the legend of a word's maps, or of the frames."""
    if part is None:
        return text_block(say("why.marks"), WIDTH - 2 * MARGIN, SMALL, 14)
    return 36, lambda page, top: draw_scale(page, MARGIN, top, _values(contrast, part, 0), say("mask.cross"), OPACITY)


def _attributions(contrast: Contrast) -> Block:
    """Draw a row per word with a bar towards either side, then what words leave, and the sum."""
    rows = [*contrast.words, *contrast.rest]
    middle = WIDTH // 2
    sizes = (contrast.scale, middle - MARGIN - WORD // 2 - NUMBER)

    def draw(page: Page, top: int) -> None:
        for number, part in enumerate(rows):
            y = top + number * ROW
            _row(page, y, part.title, (part.left, part.right), part.difference)
            if part.number >= 0 and contrast.scale:
                for here, other, sign in ((part.left, part.right, -1), (part.right, part.left, 1)):
                    _bar(page, y + 9, middle + sign * WORD // 2, sign, sizes, here or 0.0, other or 0.0)
        both = (contrast.left.similarity, contrast.right.similarity)
        _row(page, top + len(rows) * ROW, say("why.sum"), both, contrast.difference, fontweight="bold")

    return (len(rows) + 1) * ROW + 12, draw


def _row(
    page: Page, top: float, name: str, attributions: tuple[float | None, float | None], difference: float, **style: Any
) -> None:
    """Draw a part's name over its difference, between its two shares."""
    middle = WIDTH // 2
    page.text(middle, top, [name], SMALL, ha="center", symbols=name == say("why.sum"), **style)
    arrow = f"< {abs(difference):.4f}" if difference > 0 else f"{abs(difference):.4f} >"
    page.text(middle, top + 18, [arrow], TINY, ha="center", color=page.palette.quiet)
    places = (MARGIN + NUMBER - 12, "right"), (WIDTH - MARGIN - NUMBER + 12, "left")
    for attribution, (place, side) in zip(attributions, places, strict=True):
        text = say("why.missing") if attribution is None else written(attribution, ".4f")
        page.text(place, top + 6, [text], SMALL, ha=side, **style)


def _bar(
    page: Page, top: float, start: float, sign: int, sizes: tuple[float, float], here: float, other: float
) -> None:
    """Draw an attribution as a bar away from the middle, what both sides have soft; hollow below zero. `sizes`: the
    largest attribution and its length."""
    size, palette, (scale, room) = abs(here), page.palette, sizes
    common = min(size, abs(other)) if here * other > 0 else 0.0
    drawn = [(0.0, common, palette.accent_soft), (common, size, palette.accent)]
    for first, last, fill in [(0.0, size, palette.paper)] if here < 0 else drawn:
        if last <= first:
            continue
        left = start + (first / scale * room if sign > 0 else -last / scale * room)
        axes = page.axes(left, top, (last - first) / scale * room, 16)
        axes.set_facecolor(fill)
        axes.patch.set(edgecolor=palette.accent, linewidth=0.8)

"""Exported pictures: a photo under one layer of its explanation, and several captions of one photo."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from demo.drawing import layered
from demo.drawing.formats import EXPLANATIONS, Download, Heading, check_format, file_name, json_file
from demo.drawing.page import MARGIN, Block, Page, fit_photo, line_height, stacked, text_block, wrapped
from demo.drawing.palette import DARK, LIGHT, OPACITY, Palette
from demo.drawing.render import render
from demo.record.layers.layers import Layer, LayerValues, describe, term_titles
from demo.record.packing import overlap, plain
from demo.record.scene import Outline
from demo.record.texts.table import say
from demo.service.threads import drawing
from seps import Explanation
from seps.common.numbers import written

# Lengths are in CSS pixels, font sizes in points.
WIDTH = 768
PHOTO_HEIGHT, MULTIPLES_HEIGHT, MIN_PITCH = 520, 560, 28
LARGE, MEDIUM, SMALL, TINY = 17, 12, 10.5, 8.5
COMPARED_WIDTH, GAP = 1152, 32
COMPARED_HEIGHT, COMPARED_SIZE = 360, 14
CELL = 40
COMPARED = (2, 6)


def picture(
    photo: Image.Image,
    record: Explanation,
    layer: Layer,
    heading: Heading,
    palette: Palette = LIGHT,
    opacity: float = OPACITY,
    lines: bool = True,
    objects: Sequence[Outline] = (),
) -> Figure:
    """Draw the photo in its aspect ratio under one layer, with caption, score, model, scale and terms. `opacity` in [0,
    1] is that of dropped patches, or of the highest values; `lines` draws the grid of patches. ValueError if the record
    lacks the layer."""
    shown, inner, quiet = layer.values(record), WIDTH - 2 * MARGIN, palette.quiet
    score = say("file.score_of_model" if heading.model else "file.score", score=heading.similarity, model=heading.model)
    dense_text = "" if heading.dense_caption is None else say("file.dense_caption", caption=heading.dense_caption)
    sentence = describe(record, layer).removeprefix(f"{shown.title}: ")
    sentence = f"{sentence[0].upper()}{sentence[1:]}."
    blocks = [
        text_block(heading.caption, inner, LARGE, 6, bold=True),
        text_block(dense_text, inner, SMALL, 6, color=quiet),
        text_block(score, inner, MEDIUM, 6 if heading.note else 14, most=2, color=palette.accent),
        text_block(heading.note, inner, SMALL, 14, symbols=True),
        _photos(photo, record, layer, shown, opacity, lines, objects),
        text_block(heading.credit, inner, TINY, most=2, color=quiet),
        _space(12),
        text_block(shown.title, inner, MEDIUM, 2, bold=True, most=2, symbols=True),
        text_block(sentence, inner, SMALL, 8, symbols=True, color=quiet),
        _scale(photo, layer, shown, opacity),
        text_block(say("file.terms"), inner, MEDIUM, 4, bold=True),
        _terms(record),
    ]
    return stacked(blocks, WIDTH, palette)


class _Panel(NamedTuple):
    caption: list[str]
    notes: list[str]  # between caption and photo
    shown: LayerValues
    laid: layered.Shades
    objects: Sequence[Outline]


def compare_picture(
    photo: Image.Image,
    captions: Sequence[str],
    records: Sequence[Explanation],
    layer: Layer,
    model: str,
    palette: Palette = LIGHT,
    credit: str = "",
    objects: Sequence[Sequence[Outline]] = (),
    opacity: float = OPACITY,
) -> Figure:
    """Draw two to six captions of one photo side by side on one colour scale, with the overlap of their kept sets.
    ValueError for too few or too many captions, unequal counts, a record without the layer, different grids, or the
    layer of all tokens at once."""
    count, (fewest, most) = len(captions), COMPARED
    if not fewest <= count <= most or count != len(records):
        raise ValueError(
            f"There are {count} captions and {len(records)} records, but a comparison takes {fewest} to {most} of each."
        )
    if layer.name == "tokens":
        raise ValueError("All tokens of several captions are too many for one picture: choose one, such as token:1.")
    shown = [layer.values(record) for record in records]
    low, high = min(values.low for values in shown), max(values.high for values in shown)
    titles = {values.title for values in shown}
    inner = COMPARED_WIDTH - 2 * MARGIN
    columns = 2 if count in (2, 4) else 3
    width = (inner - (columns - 1) * GAP) // columns
    panels = []
    for i, (caption, record, values) in enumerate(zip(captions, records, shown, strict=True)):
        kept = say("mask.count", kept=values.kept.sum(), total=values.kept.size)
        notes = [say("file.score_and_kept", score=record.similarity, kept=kept)]
        notes += wrapped(values.title, width, SMALL, most=1) if len(titles) > 1 else []
        heading = wrapped(f"{i + 1}. {caption}", width, COMPARED_SIZE, bold=True)
        laid = layered.shades(layer, values.values.reshape(-1), record.grid, low, high, opacity)
        panels.append(_Panel(heading, notes, values, laid, objects[i] if objects else ()))
    title = titles.pop() if len(titles) == 1 else say("file.word_maps")
    scale = replace(shown[0], title=title, low=low, high=high)
    blocks: list[Block] = []
    for start in range(0, count, columns):
        blocks += [_row(photo, layer, panels[start : start + columns], width), _space(20)]
    blocks += [
        text_block(credit, inner, TINY, 10, most=2, color=palette.quiet),
        _foot(photo, layer, scale, overlap(records), model, opacity),
    ]
    return stacked(blocks, COMPARED_WIDTH, palette)


def _space(height: int) -> Block:
    return height, lambda page, top: None


def _photos(
    photo: Image.Image,
    record: Explanation,
    layer: Layer,
    shown: LayerValues,
    opacity: float,
    lines: bool,
    objects: Sequence[Outline],
) -> Block:
    """Draw the photo under the layer; for all tokens, a small numbered one for each."""
    inner = WIDTH - 2 * MARGIN
    if layer.name != "tokens":
        width, height = fit_photo(photo, inner, PHOTO_HEIGHT)

        def draw_one(page: Page, top: int) -> None:
            laid = layered.shades(layer, shown.values.reshape(-1), record.grid, shown.low, shown.high, opacity)
            axes = page.panel(MARGIN, top, width, height)
            layered.draw_photo(axes, photo, layer, shown, laid, lines)
            layered.draw_objects(axes, objects, record.grid)

        return height + 8, draw_one
    count, gap, label = len(shown.values), 8, line_height(TINY)

    def fitted(columns: int) -> tuple[int, int]:
        room = MULTIPLES_HEIGHT // ceil(count / columns) - label - gap
        return fit_photo(photo, (inner - (columns - 1) * gap) // columns, max(1, room))

    columns = max(range(1, min(count, inner // MIN_PITCH) + 1), key=lambda columns: prod(fitted(columns)))
    width, height = fitted(columns)
    across, down = max(width + gap, MIN_PITCH), label + height + gap

    def draw_all(page: Page, top: int) -> None:
        for i, values in enumerate(shown.values):
            x, y = MARGIN + i % columns * across, top + i // columns * down
            page.text(x, y, [str(i + 1)], TINY, color=page.palette.quiet)
            laid = layered.shades(layer, values, record.grid, shown.low, shown.high, opacity)
            layered.draw_photo(
                page.panel(x, y + label, width, height), photo, layer, shown, laid, lines=False, marks=False
            )

    return ceil(count / columns) * down, draw_all


def _scale(photo: Image.Image, layer: Layer, shown: LayerValues, opacity: float) -> Block:
    if layer.row.scale == "none":
        return _space(0)

    def draw(page: Page, top: int) -> None:
        if layer.row.is_mask:
            layered.draw_mask_key(page, MARGIN, top, layer, photo, opacity)
        else:
            crossed = shown.values.ndim == 1 and not shown.kept.all()
            layered.draw_scale(page, MARGIN, top, shown, say("mask.cross") if crossed else "", opacity)

    return 36, draw


def _terms(record: Explanation) -> Block:
    height, names = 24 * (len(record.terms) + 1), 200

    def draw(page: Page, top: int) -> None:
        axes = page.axes(MARGIN + names, top, WIDTH - 2 * MARGIN - names, height)
        axes.tick_params(labelsize=SMALL)
        draw_terms(axes, record, page.palette, SMALL)
        axes.set_xticks([])

    return height, draw


def _row(photo: Image.Image, layer: Layer, panels: Sequence[_Panel], width: int) -> Block:
    """Draw captions side by side, each above its photo, with the photos aligned."""
    size = fit_photo(photo, width, COMPARED_HEIGHT)
    caption = max(len(panel.caption) for panel in panels) * line_height(COMPARED_SIZE) + 4
    head = caption + max(len(panel.notes) for panel in panels) * line_height(SMALL) + 8

    def draw(page: Page, top: int) -> None:
        for column, panel in enumerate(panels):
            left = MARGIN + column * (width + GAP)
            page.text(left, top, panel.caption, COMPARED_SIZE, fontweight="bold")
            page.text(left, top + caption, panel.notes, SMALL, symbols=True, color=page.palette.accent)
            axes = page.panel(left, top + head, *size)
            layered.draw_photo(axes, photo, layer, panel.shown, panel.laid, lines=True)
            layered.draw_objects(axes, panel.objects, panel.laid.opacity.shape)

    return head + size[1], draw


def _foot(
    photo: Image.Image, layer: Layer, scale: LayerValues, overlaps: list[list[float]], model: str, opacity: float
) -> Block:
    inner, side = COMPARED_WIDTH - 2 * MARGIN, CELL * len(overlaps)
    matrix = MARGIN + inner - side
    text = inner - side - 60
    titles = wrapped(scale.title, text, MEDIUM, bold=True, most=2)
    model_lines = wrapped(say("file.model", model=model) if model else "", text, SMALL)
    _, draw_colours = _scale(photo, layer, scale, opacity)

    def draw(page: Page, top: int) -> None:
        page.text(MARGIN, top, titles, MEDIUM, symbols=True, fontweight="bold")
        down = top + len(titles) * line_height(MEDIUM) + 8
        draw_colours(page, down)
        page.text(MARGIN, down + 36, model_lines, SMALL, color=page.palette.quiet)
        page.text(MARGIN + inner, top, [say("term.overlap")], MEDIUM, fontweight="bold", ha="right")
        axes = page.axes(matrix, top + 56, side, side)
        colours = layered.map_colours(np.array(overlaps), 0, 1)  # (captions, captions, 3)
        axes.imshow(colours.astype(np.uint8), aspect="auto", interpolation="none")
        for i, j in np.ndindex(colours.shape[:2]):
            ink = "black" if layered.is_bright(colours[i, j]) else "white"
            axes.text(j, i, f"{overlaps[i][j]:.2f}", ha="center", va="center", fontsize=SMALL, color=ink)
        names = [str(i + 1) for i in range(len(overlaps))]
        axes.set(xticks=range(len(names)), xticklabels=names, yticks=range(len(names)), yticklabels=names)
        axes.tick_params(labelsize=SMALL, labeltop=True, labelbottom=False)

    return 56 + side, draw


def draw_terms(axes: Axes, record: Explanation, palette: Palette, size: float) -> None:
    """Draw the terms end to end from 0, a row each, the similarity last; hollow bars are negative; `size` in points."""
    names, values = list(term_titles(record).values()), list(record.terms.values())
    ends = np.cumsum(values)  # (terms,)
    starts = np.concatenate([[0.0], ends[:-1]])
    count = len(values)
    edges = [palette.accent] * count + [palette.ink]
    fills = [palette.accent if value >= 0 else palette.paper for value in values] + [palette.ink]
    lefts, widths = [*starts, 0.0], [*values, record.similarity]
    axes.barh(range(count + 1), widths, left=lefts, height=0.56, color=fills, edgecolor=edges, linewidth=1.2)
    for row in range(count):  # a thread from where a term ends to where the next begins
        axes.plot([ends[row]] * 2, [row + 0.28, row + 0.72], color=palette.quiet, linewidth=0.7)
    low, high = min(0.0, ends.min()), max(0.0, ends.max())
    span = max(high - low, 1e-6)
    for row, (left, width) in enumerate(zip(lefts, widths, strict=True)):
        text = written(width, "+.4f" if row < count else ".4f")
        colour, weight = palette.ink, "bold" if row == count else "normal"
        place = max(left, left + width) + 0.02 * span
        axes.text(place, row, text, va="center_baseline", fontsize=size, color=colour, fontweight=weight)
    axes.axvline(0.0, color=palette.quiet, linewidth=0.7)
    axes.set_xlim(low - 0.02 * span, high + 0.24 * span)
    axes.set_ylim(count + 0.5, -0.5)
    axes.set_yticks(range(count + 1), [*names, say("term.similarity")])
    axes.get_yticklabels()[-1].set_color(palette.ink)


@drawing
def explanation_file(
    photo: Image.Image,
    record: Explanation,
    heading: Heading,
    title: str,
    kind: str,
    layer: str = "mask",
    opacity: float = 0.75,
    lines: bool = True,
    dark: bool = False,
    objects: Sequence[Outline] = (),
    by_hand: Mapping[str, Any] | None = None,
) -> Download:
    """Export one photograph's explanation as a picture, or as JSON with every number. `heading`: text in the picture;
    `title`: of the photograph, for the file's name; `kind`: of EXPLANATIONS; `opacity`: in [0, 1]; `objects`: outlined
    on top; `by_hand`: more JSON of a forced decision, see `decision_numbers`. ValueError for another kind, an unknown
    or missing layer, or an opacity out of range."""
    check_format(kind, EXPLANATIONS)
    if not 0.0 <= opacity <= 1.0:
        raise ValueError(f"opacity is {opacity}, but it must be between 0 and 1.")
    name = file_name(heading.model, title, layer, kind)
    if kind == "json":
        facts: dict[str, Any] = {"model": heading.model, "photo": title, "caption": heading.caption}
        facts |= {"dense_caption": heading.dense_caption, "explanation": plain(record)}
        return json_file(name, facts if by_hand is None else facts | {"by_hand": by_hand})
    palette = DARK if dark else LIGHT
    figure = picture(photo, record, Layer.parse(layer), heading, palette, opacity, lines, objects)
    return Download(name, render(figure, kind))

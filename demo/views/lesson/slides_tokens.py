"""The lesson's pictures of tokens: aggregation, all tokens, the patch-word matrix, the similarity."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from demo.drawing.layered import draw_photo, is_bright, map_colours, shades
from demo.drawing.overlay import draw_terms
from demo.drawing.page import POINT, Page, line_height, wrapped
from demo.drawing.palette import OPACITY
from demo.record.layers.layers import Layer
from demo.record.layers.sentences import describe_kept
from demo.record.texts.table import say
from demo.views.lesson.slide_parts import (
    BODY,
    HUGE,
    LARGE,
    MARGIN,
    MEDIUM,
    SMALL,
    TOP,
    Floats,
    Integers,
    Lesson,
    canvas,
    draw_arrow,
    draw_layer,
    draw_range,
    draw_tiles,
    framed,
    label,
)
from seps.common.numbers import written

Colours = NDArray[np.float64]


def aggregation_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Kept patches, the weights of the token that most words met best, and every token."""
    branch = lesson.record.sparse
    weights = branch.aggregation_weights
    quiet = page.palette.quiet
    label(page, MARGIN, TOP, describe_kept(branch), MEDIUM, color=quiet)
    draw_layer(page, lesson, framed(lesson.photo, (MARGIN, TOP + 28, 260, BODY - 56)), Layer("mask"))
    if weights is None or not len(weights):
        label(page, 350, TOP + BODY / 2, say("lesson.no_tokens"), LARGE, color=quiet)
        return
    first = int(lesson.record.has_cls)
    met = np.bincount(lesson.record.sparse_alignment.best_token, minlength=first + len(weights))
    chosen = int(met[first : first + len(weights)].argmax())
    if progress > 0.25:
        draw_arrow(page, 320, TOP + BODY / 2)
        layer = Layer("token", chosen + 1)
        label(page, 340, TOP, layer.values(lesson.record).title, MEDIUM, 270, color=quiet)
        draw_layer(page, lesson, framed(lesson.photo, (340, TOP + 28, 260, BODY - 56)), layer, marks=False)
        draw_range(page, 340, TOP + BODY - 22, 260, 0.0, float(weights[chosen].max()))
    if progress > 0.5:
        draw_arrow(page, 620, TOP + BODY / 2)
        label(
            page,
            640,
            TOP,
            say("title.tokens" if len(weights) > 1 else "title.tokens_one", count=len(weights)),
            MEDIUM,
            color=quiet,
        )
        draw_tiles(page, lesson, (640, TOP + 28, 280, BODY - 56), weights, progress * 2 - 1, chosen)
        label(page, 640, TOP + BODY - 22, say("lesson.own_scales"), SMALL, most=280, color=quiet)


def tokens_step(page: Page, lesson: Lesson, progress: float) -> None:
    """[CLS] where there is one, aggregated tokens and the extra token, over the patches that they take."""
    alignment, has_cls = lesson.record.sparse_alignment, lesson.record.has_cls
    aggregated, extra = alignment.token_weights[int(has_cls) : -1], alignment.token_weights[-1]
    left = float(MARGIN)
    if has_cls:
        axes = canvas(page, (left, TOP + 90, 80, 60))
        edge, face = page.palette.accent, page.palette.accent_soft
        axes.add_patch(Rectangle((1, 1), 78, 58, facecolor=face, edgecolor=edge))
        axes.text(40, 30, "[CLS]", fontsize=LARGE, ha="center", va="center", color=page.palette.ink)
        label(page, left + 98, TOP + 96, "+", 24, ha="center", color=page.palette.quiet)
        left += 116
    width = 624 - left
    if len(aggregated):
        text = say("file.aggregated", count=len(aggregated))
        label(page, left, TOP, text, MEDIUM, color=page.palette.quiet)
        draw_tiles(page, lesson, (left, TOP + 28, width, BODY - 56), aggregated, min(1.0, progress * 4 / 3))
        label(page, left, TOP + BODY - 22, say("lesson.own_scales"), SMALL, color=page.palette.quiet)
    if progress > 0.75:
        label(page, 645, TOP + BODY / 2 - 22, "+", 24, ha="center", color=page.palette.quiet)
        label(page, 670, TOP, say("file.extra"), MEDIUM, 245, color=page.palette.quiet)
        layer = Layer("extra")
        shown = layer.values(lesson.record)
        laid = shades(layer, extra, lesson.record.grid, 0.0, float(extra.max()), OPACITY)
        box = framed(lesson.photo, (670, TOP + 28, 250, BODY - 84))
        draw_photo(page.panel(*box), lesson.photo, layer, shown, laid, lines=False, marks=False)
        draw_range(page, 670, TOP + BODY - 50, 250, 0.0, float(extra.max()))
        total = say("file.in_all", count=len(alignment.tokens))
        label(page, 920, TOP + BODY - 28, total, LARGE, ha="right", fontweight="bold", color=page.palette.accent)


def matrix_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Draw the patch-word matrix, words down and tokens across, with its maxima and the K best of them."""
    alignment = lesson.record.sparse_alignment
    values = alignment.matrix.T  # (L, M)
    words, tokens = values.shape
    left, width, high, low_bars = 150, 590, 190, 30
    colours = map_colours(values, float(values.min()), float(values.max()))
    axes = page.axes(left, TOP, width, high)
    axes.imshow(colours.astype(np.uint8), extent=(0, tokens, words, 0), aspect="auto", interpolation="none")
    size = min(MEDIUM, 0.64 * high / words)
    for i, word in enumerate(alignment.words):
        (text,) = wrapped(word, left - MARGIN - 8, size, most=1) or [" "]
        middle = TOP + (i + 0.5) * high / words
        page.text(left - 8, middle - line_height(size) / 2, [text], size, ha="right")
    cell = min(high / words, width / tokens)
    axes.set_xlim(0, tokens)
    axes.set_ylim(words, 0)
    count = lesson.top_k if lesson.record.variant == "paper" and progress == 1 else 0
    if progress >= 0.5:
        _draw_marks(axes, np.arange(words), alignment.best_token, colours, "s", 0.9 * cell)
        best = values.max(axis=1)
        bars = page.axes(left + width + 10, TOP, 170, high)
        bars.barh(np.arange(words) + 0.5, best, height=0.7, color=_best(page, best, count))
        bars.set_ylim(words, 0)
    if progress >= 0.75:
        _draw_marks(axes, alignment.best_word, np.arange(tokens), colours, ".", 0.6 * cell)
        best = values.max(axis=0)
        bars = page.axes(left, TOP + high + 8, width, low_bars)
        bars.bar(np.arange(tokens) + 0.5, best, width=0.7, color=_best(page, best, count))
        bars.set_xlim(0, tokens)
    keys = [f"\N{WHITE SQUARE} {say('lesson.best_token')}", f"\N{BULLET} {say('lesson.best_word')}"]
    if lesson.record.variant == "paper":
        keys.append(say("file.coloured", highest=say("lesson.highest", count=lesson.top_k)))
    page.text(MARGIN, TOP + BODY - 46, ["      ".join(keys)], MEDIUM, color=page.palette.quiet)
    label(page, MARGIN, TOP + BODY - 22, say("lesson.matrix", tokens=tokens, words=words), MEDIUM)
    label(
        page,
        655,
        TOP + BODY - 22,
        say("scale.cosine" if lesson.record.variant == "paper" else "scale.leaky"),
        MEDIUM,
        ha="right",
    )
    draw_range(page, 660, TOP + BODY - 20, 260, float(values.min()), float(values.max()), opacity=None)


def _draw_marks(axes: Axes, rows: Integers, columns: Integers, colours: Colours, marker: str, side: float) -> None:
    """Hollow squares or dots, `side` CSS pixels wide, that are seen on their cells' colours (L, M, 3)."""
    bright = is_bright(colours[rows, columns])
    for at, ink in ((bright, "black"), (~bright, "white")):
        face = "none" if marker == "s" else ink
        area = (side / POINT) ** 2
        axes.scatter(columns[at] + 0.5, rows[at] + 0.5, s=area, marker=marker, facecolors=face, edgecolors=ink)


def _best(page: Page, values: Floats, count: int) -> list[str]:
    """The accent for the `count` highest values, a quiet colour for the rest."""
    highest = set(np.argsort(-values, kind="stable")[:count].tolist())
    return [page.palette.accent if i in highest else page.palette.line for i in range(len(values))]


def sum_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Draw the terms added one after the other, the similarity, and the rank that it earns."""
    record, heading = lesson.record, lesson.heading
    terms = len(record.terms)
    row = min(46.0, (BODY - 30) / (terms + 1))
    axes = page.axes(270, TOP + 24, 330, row * (terms + 1))
    axes.tick_params(labelsize=MEDIUM)
    draw_terms(axes, record, page.palette, MEDIUM)
    axes.set_xticks([])
    shown = terms + 1 if progress == 1 else ceil(progress * terms)
    for artist in [*axes.patches[shown:], *axes.texts[shown:], *axes.lines[max(0, shown - 1) : terms]]:
        artist.set_visible(False)
    if lesson.before is not None:
        label(page, 706, TOP, say("file.trained"), SMALL, ha="right", color=page.palette.quiet)
        terms_before = lesson.before.terms
        earlier = [written(terms_before[name], "+.4f") if name in terms_before else "" for name in record.terms]
        for i, text in enumerate([*earlier, written(lesson.before.similarity, ".4f")]):
            top = TOP + 24 + (i + 0.5) * row - line_height(MEDIUM) / 2
            page.text(706, top, [text], MEDIUM, ha="right", color=page.palette.quiet)
    if progress < 1:
        return
    label(page, 920, TOP + 30, "$S(I, T)$", 20, ha="right")
    bold: dict[str, Any] = {"ha": "right", "fontweight": "bold"}
    label(page, 920, TOP + 62, written(record.similarity, ".4f"), HUGE, **bold, color=page.palette.accent)
    if heading.rank is None:
        page.text(
            920, TOP + 150, [say("file.unranked"), say("file.drawn")], LARGE, ha="right", color=page.palette.quiet
        )
    else:
        label(page, 920, TOP + 140, say("file.rank", rank=heading.rank), 26, **bold)
        label(
            page, 920, TOP + 184, say("file.rank_of", total=heading.total), LARGE, ha="right", color=page.palette.quiet
        )

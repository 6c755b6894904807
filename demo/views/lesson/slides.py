"""The lesson's pictures: each draws one step of the method, or the first part of it while it builds up."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle
from numpy.typing import NDArray
from PIL import Image

from demo.drawing.layered import draw_photo, is_bright, map_colours, shades
from demo.drawing.overlay import draw_terms
from demo.drawing.page import MARGIN, POINT, Page, line_height, text_width, wrapped
from demo.drawing.palette import OPACITY, RING, VEIL
from demo.record.counterfactual import Trial, trial_columns, trial_rows
from demo.record.layers.layers import Layer, describe_kept
from demo.record.texts.table import SYMBOLS, mathtext, say
from demo.views.lesson.slide_parts import (
    BODY,
    HUGE,
    INNER,
    LARGE,
    MEDIUM,
    SMALL,
    TOP,
    WIDTH,
    Box,
    Floats,
    Lesson,
    canvas,
    draw_layer,
    draw_moved,
    draw_range,
    draw_sign,
    draw_tiles,
    framed,
    label,
)
from seps.common.numbers import written

Integers = NDArray[np.integer[Any]]
Chip = tuple[str, float, float, float]  # text, left, top, width
CHIP_SIZES = (22.0, 18.0, 15.0, 13.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0)


def patches_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Draw the photo, its patches apart, and a row of C channels for each."""
    rows, columns = lesson.record.grid
    count, quiet = rows * columns, page.palette.quiet
    label(page, MARGIN, TOP, say("name.photo"), MEDIUM, color=quiet)
    label(page, 350, TOP, say("lesson.grid", rows=rows, columns=columns, count=count), MEDIUM, color=quiet)
    box = framed(lesson.photo, (MARGIN, TOP + 28, 270, BODY - 28))
    draw_layer(page, lesson, box, Layer("photo"), lines=True)
    draw_sign(page, 330, TOP + BODY / 2 + 14)
    gap = round(5 * progress)
    _, _, width, height = framed(lesson.photo, (0, 0, 540 - 5 * columns, 2 * (BODY - 28) - 5 * rows))
    cell = max(1, round(width / columns)), max(1, round(height / rows))  # picture pixels
    photo = lesson.photo.convert("RGB").resize((cell[0] * columns, cell[1] * rows), Image.Resampling.LANCZOS)
    patches = np.asarray(photo).reshape(rows, cell[1], columns, cell[0], 3)
    apart = np.zeros((rows, cell[1] + gap, columns, cell[0] + gap, 4), np.uint8)  # the gaps are transparent
    apart[:, : cell[1], :, : cell[0], :3] = patches
    apart[:, : cell[1], :, : cell[0], 3] = 255
    pixels = apart.reshape(rows * (cell[1] + gap), columns * (cell[0] + gap), 4)
    whole = pixels.shape[1] / 2, pixels.shape[0] / 2
    page.axes(350, TOP + 28 + (BODY - 28 - whole[1]) / 2, *whole).imshow(pixels, aspect="auto", interpolation="none")
    if progress < 1:
        return
    draw_sign(page, 640, TOP + BODY / 2 + 14)
    label(page, 662, TOP, say("file.channels"), MEDIUM, color=quiet)
    axes = canvas(page, (662, TOP + 28, 258, BODY - 28))
    listed = [0, 1, 2, None, count - 1] if count > 4 else [*range(count)]
    centred: dict[str, Any] = {"fontsize": LARGE, "ha": "center", "va": "center"}
    for line, patch in enumerate(listed):
        y = 8 + line * 48
        if patch is None:
            axes.text(18, y + 18, "\N{VERTICAL ELLIPSIS}", color=quiet, **centred)
            continue
        axes.imshow(patches[patch // columns, :, patch % columns], extent=(0, 36, y + 36, y), aspect="auto")
        for channel in range(12):
            x, edge = 86 + 14 * channel, page.palette.accent
            axes.add_patch(Rectangle((x, y + 9), 14, 18, facecolor=page.palette.accent_soft, edgecolor=edge))
        name = rf"$v_{{{patch + 1}}}$"
        axes.text(62, y + 18, name, color=page.palette.ink, math_fontfamily="stix", **centred)
    axes.set_xlim(0, 258)
    axes.set_ylim(BODY - 28, 0)


def words_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Word tokens of the caption and of the dense caption, with their lengths."""
    words, dense = lesson.record.sparse_alignment.words, list(lesson.dense_words)
    room = 96 if dense else BODY - 40
    label(page, MARGIN, TOP, say("lesson.sparse_words", count=len(words)), LARGE, color=page.palette.accent)
    first = min(1.0, progress * 2) if dense else progress
    _draw_chips(page, (MARGIN, TOP + 32, INNER, room - 32), words, first)
    if dense and progress > 0.5:
        text = say("lesson.dense_words", count=len(dense), times=len(dense) / len(words))
        label(page, MARGIN, TOP + room + 6, text, LARGE, color=page.palette.accent)
        _draw_chips(page, (MARGIN, TOP + room + 38, INNER, BODY - room - 38), dense, progress * 2 - 1)


def _draw_chips(page: Page, box: Box, words: Sequence[str], progress: float) -> None:
    """Draw the first `progress` of words, each in a chip, in letters as large as let all of them fit."""
    _, _, width, height = box
    cut = {word: "".join(wrapped(word, width / 4, SMALL, most=1)) for word in set(words)}
    texts = [cut[word] for word in words]
    wide = {text: text_width(text, SMALL) / SMALL for text in set(texts)}  # CSS pixels, for letters of one point
    for size in CHIP_SIZES:
        chips, deep = _laid_out([(text, wide[text] * size) for text in texts], size, width)
        if deep <= height:
            break
    axes, tall = canvas(page, box), line_height(size)
    for text, x, y, across in chips[: ceil(progress * len(chips))]:
        if y + tall > height:
            break
        special = text.startswith("[") and text.endswith("]")
        face = page.palette.ground if special else page.palette.accent_soft
        style = f"round,pad=0,rounding_size={tall / 4}"
        edge = page.palette.line if special else page.palette.accent
        axes.add_patch(FancyBboxPatch((x, y), across, tall, style, facecolor=face, edgecolor=edge, linewidth=0.8))
        ink = page.palette.quiet if special else page.palette.ink
        axes.text(x + across / 2, y + 0.76 * tall, text, fontsize=size, ha="center", color=ink, parse_math=False)


def _laid_out(texts: Sequence[tuple[str, float]], size: float, width: float) -> tuple[list[Chip], float]:
    """Lay out chips for texts with their widths, in lines of `width`; return how far down they reach too."""
    chips, x, y, tall = [], 0.0, 1.0, line_height(size)
    for text, wide in texts:
        across = wide + 0.9 * size
        if x and x + across > width:
            x, y = 0.0, y + 1.25 * tall
        chips.append((text, x, y, across))
        x += across + 0.35 * size
    return chips, y + tall


def scores_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Draw the parts of the score with their coefficients, and their sum."""
    branch = lesson.record.sparse
    names = list(branch.parts)
    for i, name in enumerate(names[: ceil(progress * (len(names) + 1))]):
        left, top = MARGIN + i % 2 * 286, TOP + i // 2 * (BODY / 2 + 4)
        box = framed(lesson.photo, (left, top, 140, BODY / 2 - 10))
        draw_layer(page, lesson, box, Layer(name), marks=False)
        values, weight = branch.parts[name], branch.coefficients[name]
        text = left + 150
        sign = "" if i == 0 else "+ "
        label(page, text, top + 8, rf"{sign}{weight:g} $\times\ {SYMBOLS[name]}$", LARGE, fontweight="bold")
        label(page, text, top + 40, say(f"part.{name}"), MEDIUM, 132, color=page.palette.quiet)
        draw_range(page, text, top + 72, 116, float(values.min()), float(values.max()))
    if progress == 1:
        score = branch.score
        draw_sign(page, 624, TOP + BODY / 2 - 2, "=", 28)
        box = framed(lesson.photo, (650, TOP, 270, BODY - 60))
        draw_layer(page, lesson, box, Layer("score"), marks=False)
        label(page, 650, TOP + BODY - 54, say("title.score"), LARGE, fontweight="bold")
        draw_range(page, 650, TOP + BODY - 22, 270, float(score.min()), float(score.max()))


def decision_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Draw the decision mask, and every patch by its score with what was kept."""
    branch = lesson.record.sparse
    count, kept = branch.kept.size, int(branch.kept.sum())
    box = framed(lesson.photo, (MARGIN, TOP, 350, BODY - 50))
    axes = draw_layer(page, lesson, box, Layer("mask" if progress == 1 else "photo"), lines=True)
    lines = [describe_kept(branch)]
    if lesson.before is not None:
        before = lesson.before.sparse.kept
        lines.append(say("moved.against", gained=(branch.kept & ~before).sum(), lost=(before & ~branch.kept).sum()))
        draw_moved(axes, lesson, branch.kept, before)
    page.text(MARGIN, TOP + BODY - 46, lines, MEDIUM, color=page.palette.accent)
    left = MARGIN + box[2] + 80
    width = WIDTH - MARGIN - left
    order = np.argsort(branch.rank)
    drawn = lesson.keep_probability
    heights = (branch.score if drawn is None else drawn)[order]
    bars = page.axes(left, TOP + 30, width, BODY - 80)
    taken = branch.kept[order] & (branch.kept[order].cumsum() <= ceil(min(1.0, progress * 4 / 3) * kept))
    colours = [page.palette.accent if is_taken else page.palette.line for is_taken in taken]
    bars.bar(np.arange(count), heights, width=1.0, color=colours, linewidth=0)
    bars.set_xlim(-0.5, count - 0.5)
    bars.axhline(0.0, color=page.palette.quiet, linewidth=0.8)
    bars.tick_params(labelsize=SMALL)
    ends = [float(heights.min()), float(heights.max())]
    bars.set_yticks(ends, [written(end, ".2f") for end in ends])
    if drawn is None:
        bars.axvline(kept - 0.5, color=page.palette.ink, linewidth=1.5, linestyle="--")
        place = left + width * kept / count
        right = kept > 0.7 * count
        text = say("lesson.cut", kept=kept, score=branch.score[order[kept - 1]])
        label(page, place, TOP + 2, text, MEDIUM, ha="right" if right else "left")
    else:
        label(page, left, TOP + 2, f"{say('lesson.keep_probability')}; {say('lesson.coloured')}", MEDIUM, width)
    foot = say("lesson.order", count=count)
    label(page, left + width / 2, TOP + BODY - 46, foot, MEDIUM, ha="center", color=page.palette.quiet)


# CSS pixels: where the table begins, the width of each of its columns of numbers, and of the longest number.
LEFT, COLUMN, NUMBER = 440, 105, 84


def trial_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Draw the photo under the tried decision, or the model's with the ringed patch, and the numbers of both."""
    trial = lesson.trial
    shown = trial.now if trial.by_hand and trial.now is not None else trial.decided
    decided, kept = trial.decided.record.sparse.kept, shown.record.sparse.kept
    box = framed(lesson.photo, (MARGIN, TOP, 350, BODY - 50))
    layer = Layer("mask" if progress > 0.25 else "photo")
    axes = draw_layer(page, lesson, box, layer, lines=True, record=shown.record)
    lines = [describe_kept(shown.record.sparse)]
    if progress > 0.5:
        draw_moved(axes, lesson, kept, decided)
        if trial.by_hand:
            lines.append(say("trial.moved", gained=(kept & ~decided).sum(), lost=(decided & ~kept).sum()))
        elif trial.patch is not None:
            lines.append(say("trial.ringed", **trial.place))
            row, column = divmod(trial.patch, lesson.record.grid[1])
            for colour, width in ((VEIL, 4.0), (RING, 2.0)):
                ring = Rectangle((column, row), 1, 1, fill=False, edgecolor=colour, linewidth=width, clip_on=False)
                axes.add_patch(ring)
    page.text(MARGIN, TOP + BODY - 46, lines, MEDIUM, color=page.palette.accent)
    _draw_table(page, trial, progress)


def _draw_table(page: Page, trial: Trial, progress: float) -> None:
    heads, rows = trial_columns(trial), trial_rows(trial)
    ends = [WIDTH - MARGIN - COLUMN * number for number in (2, 1, 0)][: len(heads)]
    for end, head in zip(ends, heads, strict=True):
        label(page, end, TOP, head, MEDIUM, COLUMN - 8, ha="right", color=page.palette.quiet)
    high = min(34.0, (BODY - 30) / len(rows))
    for number, (key, title, numbers) in enumerate(rows[: ceil(progress * len(rows))]):
        top = TOP + 28 + number * high + (high - line_height(MEDIUM)) / 2
        style: dict[str, Any] = {"fontweight": "bold"} if key in ("score", "rank") else {}
        size = LARGE if style and high > line_height(LARGE) else MEDIUM
        room = ends[0] - NUMBER - LEFT
        label(page, LEFT, top, mathtext(title), size, room, math_fontfamily="dejavusans", **style)
        for place, (end, text) in enumerate(zip(ends, numbers, strict=True)):
            colour = page.palette.accent if place == 2 else page.palette.ink
            page.text(end, top, [text], size, ha="right", color=colour, **style)


def aggregation_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Kept patches, the weights of the token that most words met best, and every token."""
    branch, quiet = lesson.record.sparse, page.palette.quiet
    weights = branch.aggregation_weights
    label(page, MARGIN, TOP, describe_kept(branch), MEDIUM, color=quiet)
    draw_layer(page, lesson, framed(lesson.photo, (MARGIN, TOP + 28, 260, BODY - 56)), Layer("mask"))
    if weights is None or not len(weights):
        label(page, 350, TOP + BODY / 2, say("lesson.no_tokens"), LARGE, color=quiet)
        return
    first = int(lesson.record.has_cls)
    met = np.bincount(lesson.record.sparse_alignment.best_token, minlength=first + len(weights))
    chosen = int(met[first : first + len(weights)].argmax())
    if progress > 0.25:
        draw_sign(page, 320, TOP + BODY / 2)
        layer = Layer("token", chosen + 1)
        label(page, 340, TOP, layer.values(lesson.record).title, MEDIUM, 270, color=quiet)
        draw_layer(page, lesson, framed(lesson.photo, (340, TOP + 28, 260, BODY - 56)), layer, marks=False)
        draw_range(page, 340, TOP + BODY - 22, 260, 0.0, float(weights[chosen].max()))
    if progress > 0.5:
        draw_sign(page, 620, TOP + BODY / 2)
        title = say("title.tokens" if len(weights) > 1 else "title.tokens_one", count=len(weights))
        label(page, 640, TOP, title, MEDIUM, color=quiet)
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
        draw_sign(page, left + 98, TOP + 118, "+")
        left += 116
    width = 624 - left
    if len(aggregated):
        text = say("file.aggregated", count=len(aggregated))
        label(page, left, TOP, text, MEDIUM, color=page.palette.quiet)
        draw_tiles(page, lesson, (left, TOP + 28, width, BODY - 56), aggregated, min(1.0, progress * 4 / 3))
        label(page, left, TOP + BODY - 22, say("lesson.own_scales"), SMALL, color=page.palette.quiet)
    if progress > 0.75:
        draw_sign(page, 645, TOP + BODY / 2, "+")
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
    scale = say("scale.cosine" if lesson.record.variant == "paper" else "scale.leaky")
    label(page, 655, TOP + BODY - 22, scale, MEDIUM, ha="right")
    draw_range(page, 660, TOP + BODY - 20, 260, float(values.min()), float(values.max()), opacity=None)


def _draw_marks(axes: Axes, rows: Integers, columns: Integers, colours: Floats, marker: str, side: float) -> None:
    """Hollow squares or dots, `side` CSS pixels wide, that are seen on their cells' colours (L, M, 3)."""
    bright = is_bright(colours[rows, columns])
    for at, ink in ((bright, "black"), (~bright, "white")):
        face = "none" if marker == "s" else ink
        area = (side / POINT) ** 2
        axes.scatter(columns[at] + 0.5, rows[at] + 0.5, s=area, marker=marker, facecolors=face, edgecolors=ink)


def _best(page: Page, values: Floats, count: int) -> list[str]:
    highest = set(np.argsort(-values, kind="stable")[:count].tolist())
    return [page.palette.accent if i in highest else page.palette.line for i in range(len(values))]


def sum_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Draw the terms added one after the other, the similarity, and the rank that it earns."""
    record, palette, terms = lesson.record, page.palette, len(lesson.record.terms)
    row = min(46.0, (BODY - 30) / (terms + 1))
    axes = page.axes(270, TOP + 24, 330, row * (terms + 1))
    axes.tick_params(labelsize=MEDIUM)
    draw_terms(axes, record, palette, MEDIUM)
    axes.set_xticks([])
    shown = terms + 1 if progress == 1 else ceil(progress * terms)
    for artist in [*axes.patches[shown:], *axes.texts[shown:], *axes.lines[max(0, shown - 1) : terms]]:
        artist.set_visible(False)
    if lesson.before is not None:
        label(page, 706, TOP, say("file.trained"), SMALL, ha="right", color=palette.quiet)
        terms_before = lesson.before.terms
        earlier = [written(terms_before[name], "+.4f") if name in terms_before else "" for name in record.terms]
        for i, text in enumerate([*earlier, written(lesson.before.similarity, ".4f")]):
            top = TOP + 24 + (i + 0.5) * row - line_height(MEDIUM) / 2
            page.text(706, top, [text], MEDIUM, ha="right", color=palette.quiet)
    if progress < 1:
        return
    label(page, 920, TOP + 30, "$S(I, T)$", 20, ha="right")
    bold: dict[str, Any] = {"ha": "right", "fontweight": "bold"}
    label(page, 920, TOP + 62, written(record.similarity, ".4f"), HUGE, **bold, color=palette.accent)
    if lesson.rank is None:
        notes = [say("file.unranked"), say("file.drawn")]
        page.text(920, TOP + 150, notes, LARGE, ha="right", color=palette.quiet)
    else:
        label(page, 920, TOP + 140, say("file.rank", rank=lesson.rank), 26, **bold)
        label(page, 920, TOP + 184, say("file.rank_of", total=lesson.total), LARGE, ha="right", color=palette.quiet)


STEP_PICTURES: tuple[Callable[[Page, Lesson, float], None], ...] = (
    patches_step,
    words_step,
    scores_step,
    decision_step,
    aggregation_step,
    tokens_step,
    matrix_step,
    sum_step,
    trial_step,
)

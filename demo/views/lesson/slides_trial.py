"""The lesson's last picture: a decision beside the model's own."""

from __future__ import annotations

from math import ceil
from typing import Any

from matplotlib.patches import Rectangle

from demo.drawing.layered import draw_photo, shades
from demo.drawing.page import Page, line_height
from demo.drawing.palette import OPACITY, RING, VEIL
from demo.record.counterfactual import Trial, trial_columns, trial_rows
from demo.record.layers import Layer
from demo.record.sentences import describe_kept
from demo.record.table import mathtext, say
from demo.views.lesson.slide_parts import BODY, LARGE, MARGIN, MEDIUM, TOP, WIDTH, Lesson, draw_moved, framed, label

# CSS pixels: where the table begins, the width of each of its columns of numbers, and of the longest number.
LEFT, COLUMN, NUMBER = 440, 105, 84


def trial_step(page: Page, lesson: Lesson, progress: float) -> None:
    """Draw the photo under the decision by hand, or under the model's own with the patch that counts most, and the
    numbers of both decisions."""
    trial = lesson.tried
    shown = trial.now if trial.by_hand and trial.now is not None else trial.decided
    decided, kept = trial.decided.record.sparse.kept, shown.record.sparse.kept
    box = framed(lesson.photo, (MARGIN, TOP, 350, BODY - 50))
    layer = Layer("mask" if progress > 0.25 else "photo")
    values = layer.values(shown.record)
    laid = shades(layer, values.values, lesson.record.grid, values.low, values.high, OPACITY)
    axes = page.axes(*box)
    draw_photo(axes, lesson.photo, layer, values, laid, lines=True, marks=True)
    lines = [describe_kept(shown.record.sparse)]
    if progress > 0.5:
        draw_moved(axes, lesson, kept & ~decided, decided & ~kept)
        if trial.by_hand:
            lines.append(say("trial.moved", gained=(kept & ~decided).sum(), lost=(decided & ~kept).sum()))
        elif trial.patch is not None:
            lines.append(say("trial.ringed", **trial.place))
            row, column = divmod(trial.patch, lesson.record.grid[1])
            for colour, width in ((VEIL, 4.0), (RING, 2.0)):
                ring = Rectangle((column, row), 1, 1, fill=False, edgecolor=colour, linewidth=width, clip_on=False)
                axes.add_patch(ring)
    page.text(MARGIN, TOP + BODY - 46, lines, MEDIUM, color=page.palette.accent)
    draw_table(page, trial, progress)


def draw_table(page: Page, trial: Trial, progress: float) -> None:
    """Draw the first `progress` of the rows of both decisions, a column each and one of the differences."""
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

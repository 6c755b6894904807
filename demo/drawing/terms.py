"""Waterfall chart of the similarity's terms."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from demo.drawing.palette import Palette
from demo.record.sentences import term_titles
from demo.record.table import say
from seps import Explanation
from seps.numbers import written


def draw_terms(axes: Axes, record: Explanation, palette: Palette, size: float) -> None:
    """Draw the terms end to end, a row each, from 0 to the similarity in the last row; hollow bars are negative.

    `size` of letters in points.
    """
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

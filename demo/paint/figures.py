"""Pictures of an explanation: record in, figure with a sentence in words out.

Every number comes from the record. This is the only module that knows colours. Figures are made without pyplot,
which keeps global state, so that many requests can draw at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from seps import AlignmentExplanation, BranchExplanation, Explanation

COLOUR_MAP = colormaps["viridis"]
DPI = 192  # two picture pixels to a CSS pixel


@dataclass(frozen=True)
class Palette:
    """Every colour besides the colour map: `paper` under pictures, `ground` under the page, one accent."""

    ink: str
    quiet: str
    line: str
    paper: str
    ground: str
    accent: str
    accent_soft: str


LIGHT = Palette("#17211f", "#54625f", "#d5dddb", "#ffffff", "#f3f6f5", "#0d6b61", "#e2efec")
DARK = Palette("#e6eceb", "#a3b1ae", "#33403e", "#182120", "#101716", "#5ec9b6", "#1b3430")

PART_TITLES = {
    "s_p": "Part s_p: the score MLP",
    "s_st": "Part s_st: caption attention",
    "s_dt": "Part s_dt: dense caption attention",
    "s_im": "Part s_im: image attention",
}


@dataclass(frozen=True)
class Picture:
    """A figure, its title, and in words what it shows."""

    title: str
    sentence: str
    figure: Figure


def counted(count: int, noun: str) -> str:
    """A count with its noun: "1 token", "2 tokens", "2 patches"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('ch') else 's'}"


def rgb(figure: Figure) -> NDArray[np.uint8]:
    """Render a figure to pixels, (height, width, 3)."""
    buffer = BytesIO()
    figure.savefig(buffer, format="rgba", dpi=figure.dpi)
    width, height = (int(length) for length in figure.bbox.size)
    return np.frombuffer(buffer.getvalue(), dtype=np.uint8).reshape(height, width, 4)[..., :3].copy()


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Encode pixels as PNG."""
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float, palette: Palette) -> Axes:
    """Axes at a place given in inches, in the palette's colours."""
    total_width, total_height = figure.get_size_inches()
    axes = figure.add_axes((left / total_width, bottom / total_height, width / total_width, height / total_height))
    axes.set_facecolor(palette.paper)
    axes.tick_params(colors=palette.quiet, labelsize=8, length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return axes


def _colour_bar(figure: Figure, image: Any, axes: Axes, label: str, palette: Palette, mask: bool = False) -> None:
    """A labelled horizontal colour bar in `axes`: its two ends written out, or for a mask what each half means."""
    low, high = image.get_clim()
    ticks, names = ([0.25, 0.75], ["0 dropped", "1 kept"]) if mask else ([low, high], [f"{low:.3g}", f"{high:.3g}"])
    bar = figure.colorbar(image, cax=axes, orientation="horizontal", ticks=ticks)
    bar.minorticks_off()
    outline: Any = bar.outline  # its type differs among matplotlib's versions
    outline.set_visible(False)
    bar.ax.set_xticks(ticks, names)
    bar.ax.tick_params(length=0, pad=3)
    if not mask:
        for tick, side in zip(bar.ax.get_xticklabels(), ("left", "right"), strict=True):
            tick.set(horizontalalignment=side)
        bar.ax.set_xlabel(label, fontsize=8, color=palette.quiet, labelpad=-8)


def patch_figure(values: NDArray[Any], kept: NDArray[np.bool_], label: str, palette: Palette = LIGHT) -> Figure:
    """Patch values (H, W) on the grid with a colour bar; a cross marks each patch where `kept` (H, W) is False.

    Boolean values are drawn as the decision mask, in the two ends of the colour map.
    """
    rows, columns = values.shape
    figure = Figure(figsize=(2.1, 2.48), dpi=DPI, facecolor=palette.paper)
    axes = _axes(figure, 0.02, 0.36, 2.06, 2.06, palette)
    axes.set_xticks([])
    axes.set_yticks([])
    is_mask = values.dtype == np.bool_
    numbers = values.astype(float)
    low, high = float(numbers.min()), float(numbers.max())
    norm = BoundaryNorm([0, 0.5, 1], COLOUR_MAP.N) if is_mask else Normalize(low, high if high > low else low + 1)
    image = axes.imshow(numbers, cmap=COLOUR_MAP, norm=norm, interpolation="nearest")
    _colour_bar(figure, image, _axes(figure, 0.02, 0.2, 2.06, 0.1, palette), label, palette, is_mask)

    dark_cell = COLOUR_MAP(norm(numbers))[..., :3] @ [0.2126, 0.7152, 0.0722] < 0.45  # (H, W)
    for cells, colour in ((~kept & dark_cell, "white"), (~kept & ~dark_cell, "black")):
        y, x = np.nonzero(cells)
        size = (0.3 * 2.06 * 72 / max(rows, columns)) ** 2
        axes.scatter(x, y, s=size, marker="x", c=colour, linewidths=0.7, alpha=0.85)
    return figure


def branch_pictures(
    record: Explanation, branch: BranchExplanation, token: int, palette: Palette = LIGHT
) -> list[Picture]:
    """One branch patch by patch: parts, total score, decision mask, aggregated token `token` (from 1), extra token."""
    kept = record.on_grid(branch.kept)
    count, total = int(branch.kept.sum()), branch.kept.size
    pictures = []

    def add(title: str, values: NDArray[Any], label: str, sentence: str) -> None:
        pictures.append(Picture(title, sentence, patch_figure(record.on_grid(values), kept, label, palette)))

    for name, values in branch.parts.items():
        weight = branch.coefficients[name]
        sentence = f"From {values.min():.3f} to {values.max():.3f}; enters the total times {weight:g}."
        add(PART_TITLES[name], values, name, sentence)
    score = branch.score
    add("Total score", score, "total score", f"From {score.min():.3f} to {score.max():.3f}, the weighted sum.")
    add("Decision mask", branch.kept, "decision", f"{count} of {total} patches kept, {total - count} dropped.")
    if branch.aggregation_weights is not None and len(branch.aggregation_weights):
        weights = branch.aggregation_weights[token - 1]
        over = counted(count, "kept patch")
        sentence = f"Its weights over the {over}, up to {weights.max():.4f}; 0 on dropped ones."
        add(f"Aggregated token {token} of {len(branch.aggregation_weights)}", weights, "weight", sentence)
    over = counted(total - count, "dropped patch")
    sentence = f"Its weights over the {over}, up to {branch.extra_weights.max():.4f}; 0 on kept ones."
    if count == total:
        sentence = "Nothing was dropped, so that every weight is 0."
    add("Extra token", branch.extra_weights, "weight", sentence)
    return pictures


def matrix_picture(alignment: AlignmentExplanation, palette: Palette = LIGHT) -> Picture:
    """The patch-word matrix: tokens across, words down; a ring marks each word's best token."""
    tokens, words = alignment.matrix.shape
    height = max(0.2 * words, 0.6)
    figure = Figure(figsize=(4.8, height + 0.83), dpi=DPI, facecolor=palette.paper)
    axes = _axes(figure, 0.6, 0.75, 4.05, height, palette)
    image = axes.imshow(alignment.matrix.T, cmap=COLOUR_MAP, aspect="auto", interpolation="nearest")
    axes.set_yticks(range(words), list(alignment.words))
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if step * 6 > tokens)
    room = max(1, tokens // 9)  # so that no label runs into those at the two ends
    named = range(room, tokens - room)
    places = [place for place in named if int(alignment.tokens[place].rpartition(" ")[2]) % step == 0]
    places = sorted({0, *places, tokens - 1})
    labels = [alignment.tokens[place].removeprefix("aggregated ") for place in places]
    axes.set_xticks(places, labels)
    axes.set_xlabel("token", fontsize=8, color=palette.quiet, labelpad=1)
    ring = max(12.0, min(40.0, (4.05 * 72 / tokens) ** 2 * 0.5))
    for colour, width in (("black", 2.2), ("white", 1.0)):
        axes.scatter(
            alignment.best_token,
            np.arange(words),
            s=ring,
            facecolors="none",
            edgecolors=colour,
            linewidths=width,
            clip_on=False,
        )
    _colour_bar(figure, image, _axes(figure, 0.6, 0.2, 4.05, 0.1, palette), "patch-word value", palette)
    low, high = alignment.matrix.min(), alignment.matrix.max()
    sentence = (
        f"{counted(tokens, 'token')} by {counted(words, 'word')}, values from {low:.3f} to {high:.3f}. "
        "A ring marks the token with each word's highest value."
    )
    return Picture(f"Patch-word matrix, {alignment.caption} caption", sentence, figure)


def terms_picture(record: Explanation, palette: Palette = LIGHT) -> Picture:
    """The terms laid end to end, from 0 to the similarity."""
    names, values = list(record.terms), list(record.terms.values())
    ends = np.cumsum(values)  # (terms,)
    starts = np.concatenate([[0.0], ends[:-1]])
    count = len(values)
    figure = Figure(figsize=(4.8, 0.27 * (count + 1) + 0.32), dpi=DPI, facecolor=palette.paper)
    axes = _axes(figure, 1.65, 0.27, 3.1, 0.27 * (count + 1), palette)
    edges = [palette.accent] * count + [palette.ink]
    fills = [palette.accent if value >= 0 else palette.paper for value in values] + [palette.ink]
    lefts, widths = [*starts, 0.0], [*values, record.similarity]
    axes.barh(range(count + 1), widths, left=lefts, height=0.56, color=fills, edgecolor=edges, linewidth=1.2)
    for row in range(count):  # a thread from where a term ends to where the next begins
        axes.plot([ends[row]] * 2, [row + 0.28, row + 0.72], color=palette.quiet, linewidth=0.7)
    low, high = min(0.0, ends.min()), max(0.0, ends.max())
    span = max(high - low, 1e-6)
    for row, (left, width) in enumerate(zip(lefts, widths, strict=True)):
        text = f"{width:+.4f}" if row < count else f"{width:.4f}"
        colour, weight = palette.ink, "bold" if row == count else "normal"
        place = max(left, left + width) + 0.02 * span
        axes.text(place, row, text, va="center", fontsize=8, color=colour, fontweight=weight)
    axes.axvline(0.0, color=palette.quiet, linewidth=0.7)
    axes.set_xlim(low - 0.02 * span, high + 0.24 * span)
    axes.set_ylim(count + 0.5, -0.5)
    axes.set_yticks(range(count + 1), [*names, "similarity"])
    axes.get_yticklabels()[-1].set_color(palette.ink)
    sentence = f"The {count} terms end to end, from 0 to the similarity {record.similarity:.4f}."
    if min(values) < 0:
        sentence += " A hollow bar takes away."
    return Picture("Terms of the similarity", sentence, figure)

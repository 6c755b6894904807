"""How figures are written in a table of Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Figures = dict[str, Any]
DIRECTIONS = ("image_to_text", "text_to_image")


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table: titles of columns, and rows of as many cells.

    Raises:
        ValueError: a row has more or fewer cells than there are titles.
    """
    lines = [line(titles), "|" + "---|" * len(titles)]
    for cells in rows:
        if len(cells) != len(titles):
            raise ValueError(f"The row {line(cells)} has {len(cells)} cells, but the table {len(titles)} columns.")
        lines.append(line(cells))
    return "\n".join(lines)


def line(cells: Iterable[str]) -> str:
    """A row of a table."""
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def mean(figure: Mapping[str, float] | None, digits: int = 3) -> str:
    """A figure's mean; nothing where it was not measured."""
    return "" if figure is None else f"{figure['mean']:.{digits}f}"


def between(value: float, low: float, high: float, digits: int = 3) -> str:
    """A value with the ends of its interval."""
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def estimate(figure: Figures, digits: int = 3) -> str:
    """A mean with its interval, which results files hold as "low" and "high" or as one pair."""
    low, high = figure["interval"] if "interval" in figure else (figure["low"], figure["high"])
    return between(figure["mean"], low, high, digits)


def recalls(figures: Figures) -> list[str]:
    """Recall at 1 / 5 / 10 in per cent, a cell a direction."""
    return ["{r1:.1f} / {r5:.1f} / {r10:.1f}".format(**figures[direction]) for direction in DIRECTIONS]


def slashed(values: Iterable[float], digits: int = 3) -> str:
    """Several values in one cell."""
    return " / ".join(f"{value:.{digits}f}" for value in values)

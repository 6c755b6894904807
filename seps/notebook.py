"""Records and rankings in a notebook. What draws them is no part of this package, and is looked for when needed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

DRAWING = "demo.notebook"  # the module that draws: in the repository, beside this package
THEMES = ("auto", "light", "dark")


def show(subject: Any, *, layer: str = "mask", theme: str = "auto", **options: Any) -> Any:
    """Show a record or a ranking; a notebook draws what is returned.

    Args:
        subject: an `Explanation`, or a `Ranking`.
        layer: of a record, as the command line takes it: "mask", "score", "token:1", "word:2" (the caption's second
            word), ...
        theme: "light", "dark", or "auto" for that of the notebook.
        options: of a record `photo`, `caption`, `credit`, in the place of those that it knows; of a ranking `photos`
            or `captions`, what was ranked, `titles` and `top`, how many of the best are shown.

    Returns:
        A view, which has `save`: of a record as html, png, svg or pdf, of a ranking as html.

    Raises:
        ValueError: a layer that the record has not, a record without its photograph, or no code to draw with.
    """
    return _drawing().show(subject, layer=layer, theme=_theme(theme), **options)


def compare(records: Sequence[Any], *, layer: str = "mask", theme: str = "auto", **options: Any) -> Any:
    """Show two to six captions over one photograph, side by side, on one colour scale.

    Args:
        records: an `Explanation` for each caption.
        layer, theme, options: as `show` takes them; `captions` are a list.

    Returns:
        A view, as `show` gives it.

    Raises:
        ValueError: too few or too many records, or as `show`.
    """
    return _drawing().compare(records, layer=layer, theme=_theme(theme), **options)


def as_html(subject: Any) -> str | None:
    """Return what a notebook shows of a record or a ranking; None where there is no code to draw with."""
    return _representation(subject, "_repr_html_")


def as_png(subject: Any) -> bytes | None:
    """Return what a notebook shows where it shows no HTML, as `as_html`."""
    return _representation(subject, "_repr_png_")


def _representation(subject: Any, name: str) -> Any:
    try:
        return getattr(show(subject), name)()
    except ValueError:  # the text is shown instead
        return None


def _drawing() -> Any:
    """The code that draws; ValueError where it, or what it needs, is not there."""
    try:
        return import_module(DRAWING)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == DRAWING.partition(".")[0]:
            problem = "the folder of the repository is not on Python's path: work in it, or put it into PYTHONPATH"
        else:
            problem = f'the package {error.name} is missing: run pip install ".[app]" in the folder of the repository'
        raise ValueError(f"Records are drawn by the app, but {problem}.") from error


def _theme(theme: str) -> str:
    if theme not in THEMES:
        raise ValueError(f"theme is {theme!r}, but it must be one of {', '.join(THEMES)}.")
    return theme

"""Display of records and rankings in a notebook. The drawing code is outside this package and imported on demand."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from seps.common.checks import check_choice

DRAWING = "demo.notebook"  # the drawing module, in the repository next to this package
THEMES = ("auto", "light", "dark")


def show(subject: Any, *, layer: str = "mask", theme: str = "auto", **options: Any) -> Any:
    """Show a record or a ranking in a notebook.

    Args:
        layer: of a record, as on the command line: "mask", "score", "token:1", "word:2" (the caption's second word),
            ...
        theme: "light", "dark", or "auto" to follow the notebook.
        options: of a record `photo`, `caption`, `credit`, which replace the stored ones; of a ranking `photos` or
            `captions` (the ranked items), `titles` and `top` (how many to show).
    """
    return _drawing(theme).show(subject, layer=layer, theme=theme, **options)


def compare(records: Sequence[Any], *, layer: str = "mask", theme: str = "auto", **options: Any) -> Any:
    """Show two to six captions for one photograph side by side, on one colour scale."""
    return _drawing(theme).compare(records, layer=layer, theme=theme, **options)


def drawn_as(kind: str, subject: Any) -> Any:
    """Return the "html" or the "png" of a record or a ranking, or None without drawing code: its text is shown."""
    try:
        return getattr(show(subject), f"_repr_{kind}_")()
    except ValueError:
        return None


def _drawing(theme: str) -> Any:
    """Import the drawing code; ValueError for an unknown theme, or if the code or a package it needs is missing."""
    check_choice("theme", theme, THEMES)
    try:
        return import_module(DRAWING)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == DRAWING.partition(".")[0]:
            problem = "the folder of the repository is not on Python's path: work in it, or put it into PYTHONPATH"
        else:
            problem = f'the package {error.name} is missing: run pip install ".[app]" in the folder of the repository'
        raise ValueError(f"Records are drawn by the app, but {problem}.") from error

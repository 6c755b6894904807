"""Positions that the page's endpoints are given."""

from __future__ import annotations

from demo.record.table import say


def at(place: float | str, count: int) -> int:
    """Return one of `count` positions; ValueError for anything else, and for "", where none was given."""
    if isinstance(place, str) or place not in range(count):
        named = "missing" if isinstance(place, str) else f"{place:g}"[:20]
        raise ValueError(say("page.no_place", place=named, last=count - 1))
    return int(place)

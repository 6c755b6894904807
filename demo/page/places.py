"""Positions that the page's endpoints are given."""

from __future__ import annotations

from demo.record.table import say


def at(place: float, count: int) -> int:
    """Return one of `count` positions; ValueError for anything else."""
    if place not in range(count):
        raise ValueError(say("page.no_place", place=f"{place:g}"[:20], last=count - 1))
    return int(place)

"""Tables of the guide's page on galleries on disk."""

from __future__ import annotations

from tests.helpers.cards.cells import Figures, table

__all__ = ["pooled"]

SHORTLISTS = ("50", "100", "200")


def pooled(results: Figures) -> str:
    """The share of the exact top 10 that a shortlist holds, a row a way to pool."""
    rows = [
        [way["pooled"], f"{way['numbers']:,}", *(f"{way['found'][length]:.4f}" for length in SHORTLISTS)]
        for way in results["ways"]
    ]
    return table(["one photograph's", "numbers", *(f"shortlist of {length}" for length in SHORTLISTS)], rows)

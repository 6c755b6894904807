"""What large galleries need in Photos: a filter on names, how far indexing is, and exact scores of all."""

from __future__ import annotations

from demo.galleries.stored import IndexingStatus
from demo.record.table import say


def indexing_text(status: IndexingStatus) -> tuple[str, str]:
    """Return how far indexing is in a sentence, and what kind of a message that is."""
    counts = {"indexed": status.indexed, "total": status.total}
    if not status.running:
        skipped = say("many.skipped", count=status.skipped) if status.skipped else ""
        return f"{say('many.indexed', **counts)} {skipped}".rstrip(), "note"
    if status.problem:
        return f"{say('many.paused', **counts)} {status.problem}", "problem"
    if status.seconds is None:
        return say("many.indexing", **counts), "note"
    return say("many.indexing_for", minutes=max(1, round(status.seconds / 60)), **counts), "note"

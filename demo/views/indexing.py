"""How far a large gallery is indexed."""

from __future__ import annotations

from demo.galleries.stored import IndexingStatus
from demo.record.table import say


def indexing_text(status: IndexingStatus) -> str:
    """Return how far indexing is in a sentence."""
    counts = {"indexed": status.indexed, "total": status.total}
    if not status.running:
        skipped = say("many.skipped", count=status.skipped) if status.skipped else ""
        return f"{say('many.indexed', **counts)} {skipped}".rstrip()
    if status.problem:
        return f"{say('many.paused', **counts)} {status.problem}"
    if status.seconds is None:
        return say("many.indexing", **counts)
    return say("many.indexing_for", minutes=max(1, round(status.seconds / 60)), **counts)

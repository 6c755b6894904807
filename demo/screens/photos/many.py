"""What large galleries need in Photos: a filter on names, how far indexing is, and exact scores of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.galleries.index import IndexedGallery
from demo.galleries.stored import IndexingStatus
from demo.record.table import say
from demo.screens.parts import RANKED, UNQUEUED, message
from demo.service.registry import ModelRegistry
from demo.service.stored import folder_status

EVERY = 2.0  # seconds between looks at how far indexing is
LONGEST = 200  # characters of a filter


@dataclass(frozen=True)
class Many:
    """The components; those of indexing are None where nothing is indexed.

    Attributes:
        names: the filter; status: how far indexing is; again: ranks what was indexed meanwhile; timer: when the
            status is asked for.
    """

    names: gr.Textbox
    status: gr.HTML | None
    again: gr.Button | None
    timer: gr.Timer | None


def build(registry: ModelRegistry, indexed: IndexedGallery) -> Many:
    """Lay them out for the gallery that the page begins with."""
    names = names_box(indexed, elem_id="names", elem_classes="rows-1", label=say("many.names"), max_length=LONGEST)
    status = folder_status(registry.photos)
    if status is None or not status.running:
        return Many(names, None, None, None)
    line = gr.HTML(indexing_line(status), elem_id="indexing")
    again = gr.Button(say("many.again"), elem_id="rank-again", size="sm")
    return Many(names, line, again, gr.Timer(EVERY))


def names_box(indexed: IndexedGallery, name: str = "", **options: Any) -> gr.Textbox:
    """Build the filter of a gallery, where that has more photographs than a ranking shows."""
    return gr.Textbox(value=name, visible=len(indexed) > RANKED, **options)


def indexing_line(status: IndexingStatus) -> str:
    """Return how far indexing is, as HTML."""
    return message(*indexing_text(status))


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


def connect(registry: ModelRegistry, many: Many, rank: Callable[..., Any]) -> None:
    """Tell how far indexing is while it goes on; `rank(event)` lets an event rank again."""
    if many.status is None or many.again is None or many.timer is None:
        return

    def tick() -> tuple[Any, ...]:
        status = folder_status(registry.photos)
        if status is None:
            return gr.skip(), gr.Timer(active=False)
        return indexing_line(status), gr.Timer(active=status.running)

    many.timer.tick(tick, None, [many.status, many.timer], **UNQUEUED)
    rank(many.again.click)

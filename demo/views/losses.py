"""The losses on a small real batch, and claims that the live model bears out or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.explain.photo import with_new_key
from demo.lesson.claims import claims_value, run_claim
from demo.lesson.playground import playground_value
from demo.service.retrieval import RetrievalService
from demo.views.parts import ANSWERING, errors_as_message, scripted


@dataclass(frozen=True)
class Losses:
    """The view's components."""

    said: gr.HTML
    playground: gr.HTML
    claims: gr.HTML
    results: gr.State


def build() -> Losses:
    """Lay the view out."""
    said = gr.HTML(elem_id="losses-said")
    playground = scripted("playground", "seps-playground", "playground", ("turn",))
    gr.HTML("<h3 class='part'>Claims, shown on the live model</h3>")
    claims = scripted("claims", "seps-claims", "claims", ("run",), value=claims_value())
    return Losses(said, playground, claims, gr.State({}))


def connect(service: RetrievalService, view: Losses, tab: gr.Tab) -> None:
    """Give the view its events; the batch is scored when the tab is opened."""

    @errors_as_message(2)
    def opened() -> tuple[Any, ...]:
        return "", with_new_key(playground_value(service))

    tab.select(opened, None, [view.said, view.playground], **ANSWERING)

    @errors_as_message(2)
    def changed(event: gr.EventData) -> tuple[Any, ...]:
        return "", with_new_key(playground_value(service, float(event.margin), str(event.mining), bool(event.mask_ids)))

    view.playground.turn(changed, None, [view.said, view.playground], **ANSWERING)

    @errors_as_message(3)
    def run(results: dict[str, Any], event: gr.EventData) -> tuple[Any, ...]:
        results = results | {str(event.claim): run_claim(service, str(event.claim))}
        return "", with_new_key(claims_value(results)), results

    view.claims.run(run, view.results, [view.said, view.claims, view.results], **ANSWERING)

"""The losses on a small real batch, and claims that the live model bears out or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.explain.photo import fresh
from demo.lesson.claims import claims_value, run_claim
from demo.lesson.playground import playground_value
from demo.service.workbench import Workbench
from demo.views.parts import ANSWERING, scripted, told_below


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


def connect(bench: Workbench, view: Losses, tab: gr.Tab) -> None:
    """Give the view its events; the batch is scored when the tab is opened."""

    @told_below(2)
    def opened() -> tuple[Any, ...]:
        return "", fresh(playground_value(bench))

    tab.select(opened, None, [view.said, view.playground], **ANSWERING)

    @told_below(2)
    def changed(event: gr.EventData) -> tuple[Any, ...]:
        return "", fresh(playground_value(bench, float(event.margin), str(event.mining), bool(event.mask_ids)))

    view.playground.turn(changed, None, [view.said, view.playground], **ANSWERING)

    @told_below(3)
    def run(results: dict[str, Any], event: gr.EventData) -> tuple[Any, ...]:
        results = results | {str(event.claim): run_claim(bench, str(event.claim))}
        return "", fresh(claims_value(results)), results

    view.claims.run(run, view.results, [view.said, view.claims, view.results], **ANSWERING)

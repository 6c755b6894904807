"""Text boxes that are answered while one types: the page is told which text an answer is for.

What a person types is answered, and not what an answer puts into a box: that is shown already, and a message line that
says what was wrong stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from demo.screens.parts import ANSWERING, scripted

WATCHED = "answers-typed"  # the class of boxes whose answers are told, see assets/js/page/typed.js
PAGE = "page"  # who put a text into a box, where it is not the person
# Gradio tells of each change, whoever made it; assets/js/page/kept.js knows.
BY = "(text, _, ...inputs) => [text, window.seps?.isTyped?.({box!r}, text) === false ? {page!r} : '', ...inputs]"


def build() -> gr.HTML:
    """The page's part that hears which text was answered: what is pressed meanwhile waits for it."""
    return scripted("typed", "seps-typed", "typed", ())


def on_typed(
    box: gr.Textbox,
    answer: Callable[..., tuple[Any, ...]],
    inputs: Sequence[gr.components.Component],
    outputs: Sequence[gr.components.Component],
    events: Sequence[Callable[..., Any]] | None = None,
    answered: gr.HTML | None = None,
) -> None:
    """Let what a person types in a box be answered by `answer(text, *inputs)`: at each change and at Enter, or at
    `events`; `answered` is from `build`, where the page is told of it."""
    by = gr.Textbox(visible=False)

    def run(text: str, by: str, *values: Any) -> tuple[Any, ...]:
        shown = (gr.skip(),) * len(outputs) if by == PAGE else answer(text, *values)
        return shown if answered is None else (*shown, {"box": box.elem_id, "text": text})

    hearing = [] if answered is None else [answered]
    script = BY.format(box=box.elem_id, page=PAGE)
    gr.on(events or [box.change, box.submit], run, [box, by, *inputs], [*outputs, *hearing], js=script, **ANSWERING)


def connect_typed(
    box: gr.Textbox,
    answer: Callable[..., tuple[Any, ...]],
    inputs: Sequence[gr.components.Component],
    outputs: Sequence[gr.components.Component],
    answered: gr.HTML,
    events: Sequence[Callable[..., Any]] | None = None,
) -> None:
    """As `on_typed`, and what is pressed meanwhile waits for the answer."""
    box.elem_classes = [*box.elem_classes, *[WATCHED] * (WATCHED not in box.elem_classes)]
    on_typed(box, answer, inputs, outputs, events, answered)

"""Text boxes that are answered while one types: the page is told which text an answer is for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from demo.screens.parts import ANSWERING, scripted

WATCHED = "answers-typed"  # the class of boxes whose answers are told, see assets/js/page/typed.js


def build() -> gr.HTML:
    """The page's part that hears which text was answered: what is pressed meanwhile waits for it."""
    return scripted("typed", "seps-typed", "typed", ())


def connect_typed(
    box: gr.Textbox,
    answer: Callable[..., tuple[Any, ...]],
    inputs: Sequence[gr.components.Component],
    outputs: Sequence[gr.components.Component],
    answered: gr.HTML,
    events: Sequence[Callable[..., Any]] | None = None,
) -> None:
    """Let what is typed in a box be answered by `answer(text, *inputs)`: at each change and at Enter,
    or at `events`."""
    box.elem_classes = [*box.elem_classes, *[WATCHED] * (WATCHED not in box.elem_classes)]

    def run(text: str, *values: Any) -> tuple[Any, ...]:
        return *answer(text, *values), {"box": box.elem_id, "text": text}

    gr.on(events or [box.change, box.submit], run, [box, *inputs], [*outputs, answered], **ANSWERING)

"""Text boxes that are answered while one types: the page is told which text an answer is for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from demo.screens.parts import ANSWERING, message, scripted

WATCHED = "answers-typed"  # the class of boxes whose answers are told, see assets/js/page/typed.js


def build() -> gr.HTML:
    """Build the page's part that hears which text was answered: what is pressed meanwhile waits for it."""
    return scripted("typed", "seps-typed", "typed", ())


def connect_typed(
    box: gr.Textbox,
    answer: Callable[..., tuple[Any, ...] | str],
    inputs: Sequence[gr.components.Component],
    outputs: Sequence[gr.components.Component],
    answered: gr.HTML,
    events: Sequence[Callable[..., Any]] | None = None,
) -> None:
    """Let what is typed in a box be answered by `answer(text, *inputs)`: at each change and at Enter,
    or at `events`.

    Args:
        answer: gives the values of `outputs`, of which the first is a message line; a ValueError goes there. Where the
            text is what is shown already, it gives the line beside that alone, which takes the place of what was wrong
            with this box, and of nothing else: mostly the page itself filled the box.
    """
    box.elem_classes = [*box.elem_classes, *[WATCHED] * (WATCHED not in box.elem_classes)]
    wrong = gr.State(False)  # whether the box's last text was refused
    unchanged = [gr.skip()] * (len(outputs) - 1)

    def run(text: str, was_wrong: bool, *values: Any) -> tuple[Any, ...]:
        of_text = {"box": box.elem_id, "text": text}
        try:
            given = answer(text, *values)
        except ValueError as error:
            return message(str(error), "problem"), *unchanged, of_text, True
        if isinstance(given, str):
            return given if was_wrong else gr.skip(), *unchanged, of_text, False
        return *given, of_text, False

    gr.on(
        events or [box.change, box.submit],
        run,
        [box, wrong, *inputs],
        [*outputs, answered, wrong],
        **ANSWERING,
    )

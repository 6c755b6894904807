"""Boxes that are answered while one types: what was wrong stands until that box is right, whatever the page fills."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr

from demo.views import typed
from demo.views.state import message
from demo.server.guard import GuardedBlocks
from demo.server.sessions import Session
from tests.helpers.awaited import awaited

SKIPPED = None  # the line stays as it is


async def lines_of(texts: list[str]) -> list[Any]:
    """What the message line gets for each text that comes to stand in a box, beside which "shown" is shown."""

    def answer(text: str, seen: str) -> tuple[Any, ...] | str:
        if not text:
            raise ValueError("It is empty.")
        return "beside what is shown" if text == seen else ("", text)

    with GuardedBlocks() as page:
        box, line, state = gr.Textbox(elem_id="box"), gr.HTML(), gr.State("shown")
        typed.connect_typed(box, answer, [state], [line, state], typed.build())
    session = Session(page)
    values = [(await page.process_api(0, [text, None, None], state=session))["data"] for text in texts]
    assert [json.loads(value[2])[1] for value in values] == [{"box": "box", "text": text} for text in texts]
    return [SKIPPED if isinstance(value[0], dict) and "value" not in value[0] else value[0] for value in values]


def test_what_is_wrong_with_a_box_is_told_until_it_is_right() -> None:
    wrong = message("It is empty.", "problem")
    assert awaited(lines_of(["", "", "shown", "other"])) == [wrong, wrong, "beside what is shown", ""]


def test_a_box_that_the_page_fills_leaves_the_line() -> None:
    assert awaited(lines_of(["shown", "", "shown", "shown"]))[0::3] == [SKIPPED, SKIPPED]

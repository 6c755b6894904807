from collections.abc import Sequence
from errno import ENOSPC
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from demo.record.texts.table import say
from demo.server.gate import FAULT, FULL, STATUS
from demo.server.guard import LONGEST, GuardedBlocks, status_of, validate_value
from tests.helpers.web.awaited import awaited

HOSTILE: list[Any] = [None, True, 3, -1, 1.5, 1e308, 10**400, -(10**400), float("nan"), float("inf"), "", "x", "\ud800"]
HOSTILE += [[], ["a"], {}, {"a": 1}, {"path": 5, "meta": {"_type": "gradio.FileData"}}, "x" * 9999, "\0"]


def test_a_component_reads_what_comes_or_it_is_told() -> None:
    for component in (gr.Textbox, gr.Number, gr.Checkbox):
        field, refused = component(label="field", render=False), 0
        for value in HOSTILE:
            try:
                field.preprocess(validate_value(field, value))
            except (ValueError, gr.Error) as error:
                refused += 1
                assert len(str(error)) > 20
        assert refused >= 9, component


BOX, NUMBER = gr.Checkbox(True, label="compact", render=False), gr.Number(label="seed", render=False)


def test_a_wrong_value_is_named_and_a_checkbox_has_its_default_where_nothing_is_given() -> None:
    for component, value, message in (
        (NUMBER, -(10**400), "of more than 20 digits"),
        (NUMBER, float("nan"), "seed is nan"),
        (BOX, "false", "^compact is a text, but true or false is needed.$"),
    ):
        with pytest.raises(ValueError, match=message):
            validate_value(component, value)
    assert [validate_value(BOX, value) for value in (True, False, None)] == [True, False, True]


def test_the_status_of_an_answer_tells_what_was_wrong(caplog: pytest.LogCaptureFixture) -> None:
    event: Any = SimpleNamespace(api_name="picture", name="picture")
    assert status_of(event, ValueError("The caption is empty.")) == (400, "The caption is empty.")
    assert caplog.records == []
    assert status_of(event, OSError(ENOSPC, "No space left on device")) == (507, FULL)
    assert status_of(event, KeyError("x")) == (500, FAULT)
    assert [record.exc_info is not None for record in caplog.records] == [False, True]


async def event_of(value: Any, **options: Any) -> Any:
    """The answer of an event with a choice of two; without a loop, Gradio would leave some open."""
    with GuardedBlocks() as page:
        component = gr.Radio(["a", "b"], label="field")
        component.change(lambda given: f"{given}", component, component)
    return (await page.process_api(0, [value], **options))["data"][0]


async def spoken(requests: Sequence[Any]) -> list[str]:
    """The answers of an event to requests."""
    with GuardedBlocks() as page:
        component = gr.Textbox(label="field")
        component.change(lambda given: say("mask.kept"), component, component)
    return [(await page.process_api(0, ["x"], request=request))["data"][0] for request in requests]


def test_an_event_speaks_the_language_of_its_page() -> None:
    pages = [
        gr.Request(headers={}, query_params=query) for query in ({"lang": "zh"}, {"lang": "xx"}, {}, {"lang": "zh"})
    ]
    assert awaited(spoken([*pages, None])) == ["保留", "kept", "kept", "保留", "kept"]


def test_what_a_component_refuses_by_itself_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    request = SimpleNamespace(request=SimpleNamespace(scope={}))
    for options in ({"request": [request]}, {}):  # a call within the app has no request
        with pytest.raises(gr.Error) as raised:
            awaited(event_of("c" * 9999, **options))
    assert request.request.scope == {STATUS: 400}
    assert raised.value.message.startswith("Value: 'c") and len(raised.value.message) <= LONGEST
    assert raised.value.print_exception is False  # Gradio would write a traceback to the log
    assert caplog.records == []

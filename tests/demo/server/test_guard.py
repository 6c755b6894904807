import asyncio
from collections.abc import Sequence
from contextlib import suppress
from errno import ENOSPC
from functools import partial
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from demo.record.texts.table import say
from demo.server.gate import FAULT, FULL, STATUS
from demo.server.guard import LONGEST, GuardedBlocks, scope_of, status_of, validate_value
from demo.server.sessions import Session
from tests.helpers.web.awaited import awaited

HOSTILE: list[Any] = [None, True, 3, -1, 1.5, 1e308, 10**400, -(10**400), float("nan"), float("inf"), "", "x", "\ud800"]
HOSTILE += [[], ["a"], {}, {"a": 1}, {"path": 5, "meta": {"_type": "gradio.FileData"}}, "x" * 9999, "\0"]


@pytest.mark.parametrize(
    "component",
    [
        gr.Textbox(label="field", render=False),
        gr.Number(label="field", render=False),
        gr.Checkbox(label="field", render=False),
    ],
    ids=lambda component: str(type(component).__name__),
)
def test_a_component_reads_what_comes_or_it_is_told(component: Any) -> None:
    refused = 0
    for value in HOSTILE:
        try:
            component.preprocess(validate_value(component, value))
        except (ValueError, gr.Error) as error:
            refused += 1
            assert len(str(error)) > 20
    assert refused >= 9


@pytest.mark.parametrize(("value", "message"), [(-(10**400), "of more than 20 digits"), (float("nan"), "seed is nan")])
def test_a_number_that_is_too_large_is_named(value: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validate_value(gr.Number(label="seed", render=False), value)


def test_a_checkbox_is_true_or_false_and_its_default_where_nothing_is_given() -> None:
    box = gr.Checkbox(True, label="compact", render=False)
    assert [validate_value(box, value) for value in (True, False, None)] == [True, False, True]
    for value, kind in (("false", "text"), (0, "number"), ([], "list")):
        with pytest.raises(ValueError, match=f"^compact is a {kind}, but true or false is needed.$"):
            validate_value(box, value)


def test_the_status_of_an_answer_tells_what_was_wrong(caplog: pytest.LogCaptureFixture) -> None:
    event: Any = SimpleNamespace(api_name="picture", name="picture")
    assert status_of(event, ValueError("The caption is empty.")) == (400, "The caption is empty.")
    assert caplog.records == []
    assert status_of(event, OSError(ENOSPC, "No space left on device")) == (507, FULL)
    assert status_of(event, KeyError("x")) == (500, FAULT)
    assert [record.exc_info is not None for record in caplog.records] == [False, True]
    request = SimpleNamespace(request=SimpleNamespace(scope={}))
    for given in (request, [request]):
        scope_of(given)[STATUS] = 400
    assert request.request.scope == {STATUS: 400}
    absent: list[Any] = [None, [], SimpleNamespace()]
    for nothing in absent:
        scope_of(nothing)[STATUS] = 400  # a call within the app has no scope


async def event_of(make: Any, value: Any) -> Any:
    """The answer of an event that returns its component; without a loop, Gradio would leave some open."""
    with GuardedBlocks() as page:
        component = make(label="field")
        component.change(lambda given: f"{given}", component, component)
    return (await page.process_api(0, [value]))["data"][0]


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


@pytest.mark.parametrize("value", ["c", "c" * 9999])
def test_what_a_component_refuses_by_itself_is_no_fault(value: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(gr.Error) as raised:
        awaited(event_of(partial(gr.Radio, ["a", "b"]), value))
    assert raised.value.message.startswith("Value: 'c") and len(raised.value.message) <= LONGEST
    assert raised.value.print_exception is False  # Gradio would write a traceback to the log
    assert caplog.records == []


def test_a_text_that_is_not_there_is_an_empty_one() -> None:
    assert awaited(event_of(gr.Textbox, None)) == ""


async def overlapping_events() -> int:
    """Return how many of two events of one session ran at the same time."""
    both, met = Barrier(2), list[str]()

    def add(text: str, before: tuple[str, ...]) -> tuple[str, ...]:
        with suppress(BrokenBarrierError):
            both.wait(0.5)
            met.append(text)
        return (*before, text)

    with GuardedBlocks() as page:
        box, state = gr.Textbox(label="field"), gr.State(())
        for _ in range(2):
            box.change(add, [box, state], state, concurrency_id="open")
    session = Session(page)
    await asyncio.gather(*(page.process_api(number, [str(number), None], state=session) for number in range(2)))
    return len(met)


def test_what_takes_long_waits_for_none() -> None:
    assert awaited(overlapping_events()) == 2

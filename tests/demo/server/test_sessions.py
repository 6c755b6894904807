from asyncio import Queue
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.server_messages import HeartbeatMessage
from gradio.state_holder import SessionState

from demo.server import sessions
from demo.server.sessions import Answers, Session, Sessions


@dataclass(frozen=True)
class Held:
    nbytes: int


STATE, BOX, VIEW = 1, 2, 4


@pytest.fixture
def page() -> Any:
    """As much of a page as sessions look at; a real one leaves event loops open."""
    blocks = {STATE: gr.State(Held(0)), BOX: gr.Textbox("hello"), VIEW: gr.JSON(value={"drawn": 1})}
    return SimpleNamespace(
        default_config=SimpleNamespace(blocks=blocks),
        _queue=SimpleNamespace(event_ids_to_events={}),
        state_session_capacity=10_000,
    )


def used(held: Sessions, name: str, size: int = 0) -> Session:
    session = held[name]
    session[STATE] = Held(size)
    return session


def test_a_session_keeps_states_and_changed_components_without_copies(page: Any) -> None:
    session = Session(page)
    assert [number in session for number in (STATE, BOX, 3)] == [False, True, False]
    assert (session[STATE], session[BOX].value) == (Held(0), "hello")
    session[STATE] = Held(3)
    session[BOX] = gr.Textbox("other")
    session._update_value_in_config(BOX, "x" * 1000)
    assert (session[STATE], session[BOX].value) == (Held(3), "other")
    assert (session.config_values, session.nbytes) == ({}, 3)
    assert SessionState.__getitem__(session, STATE) == Held(3)
    session[VIEW] = gr.JSON(value={"drawn": "anew" * 1000})
    assert session[VIEW] is page.default_config.blocks[VIEW]


def test_a_call_without_a_session_leaves_nothing(page: Any) -> None:
    held = Sessions(page)
    page._queue.event_ids_to_events["event"] = None
    assert isinstance(held["event"], Session)
    assert (list(held.session_data), held.is_gone("event")) == ([], False)
    held["person"]
    assert list(held.session_data) == ["person"]


def test_programs_go_first_then_closed_pages_then_the_least_used(page: Any) -> None:
    held = Sessions(page, most=4)
    for name in ("first", "second", "third"):
        used(held, name)
    held["program"]
    used(held, "first")
    held.session_data["third"].is_closed = True
    used(held, "fifth")
    assert list(held.session_data) == ["second", "third", "first", "fifth"]
    used(held, "sixth")
    assert list(held.session_data) == ["second", "first", "fifth", "sixth"]
    used(held, "seventh")
    assert list(held.session_data) == ["first", "fifth", "sixth", "seventh"]
    assert [held.is_gone(name) for name in ("program", "second", "third", "first")] == [False, True, True, False]
    held["second"]  # does not return: it would silently start again
    assert "second" not in held.session_data


def test_closed_pages_go_after_an_hour_and_come_back_before(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr(sessions, "time", clock)
    held = Sessions(page)
    for name in ("open", "closed", "back"):
        used(held, name)
    held.session_data["closed"].is_closed = held.session_data["back"].is_closed = True
    clock.monotonic = lambda: 3000.0
    held["back"]  # a phone that slept
    clock.monotonic = lambda: 3601.0
    held.delete_all_expired_state()
    assert list(held.session_data) == ["open", "back"]
    assert held.is_gone("closed")


def test_the_largest_go_while_all_hold_too_much(page: Any) -> None:
    held = Sessions(page, max_bytes=100)
    for name, size in (("small", 30), ("large", 60), ("middle", 40)):
        used(held, name, size)
    held.delete_all_expired_state()
    assert list(held.session_data) == ["small", "middle"]
    assert held.is_gone("large")


def test_answers_for_somebody_who_has_left_go_nowhere() -> None:
    answers = Answers(2)
    waiting: Queue[Any] = Queue()
    answers["here"] = waiting
    assert answers["here"] is waiting
    answers["left"].put_nowait(HeartbeatMessage())
    assert list(answers) == ["here"]
    for _ in range(2):
        del answers["here"]  # two pages of one session leave
    assert "here" not in answers
    for name in ("first", "second", "third"):
        answers[name] = Queue()
    assert list(answers) == ["second", "third"]

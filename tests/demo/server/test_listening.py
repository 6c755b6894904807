import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from gradio.queueing import EventQueue, Queue

from demo.server.listening import UNHEARD, Listeners, start_only_heard

NAMES = frozenset({"video"})


def event(session: str, age: float = 0.0, name: str = "video") -> Any:
    fn = SimpleNamespace(batch=False)
    return SimpleNamespace(
        session_hash=session, _id=f"id-{session}", fn=fn, concurrency_id=name, alive=True,
        enqueue_time=time.monotonic() - age,
    )  # fmt: skip


@pytest.fixture
def queue() -> Queue:
    """A queue of Gradio's that reads one video at a time and answers two questions."""
    queue = Queue.__new__(Queue)  # without its locks, each of which makes an event loop
    queue.event_queue_per_concurrency_id = {}
    queue.event_ids_to_events, queue.pending_messages_per_session = {}, {}  # type: ignore[assignment]
    for name, limit in (("video", 1), ("answer", 2)):
        queue.event_queue_per_concurrency_id[name] = EventQueue(name, limit)
    return queue


def put(queue: Queue, *events: Any) -> None:
    for waiting in events:
        queue.event_queue_per_concurrency_id[waiting.concurrency_id].queue.append(waiting)
        queue.event_ids_to_events[waiting._id] = waiting
        queue.pending_messages_per_session[waiting.session_hash] = asyncio.Queue()


def started(queue: Queue) -> list[str]:
    batch = queue.get_events()
    return [event.session_hash for event in batch[0]] if batch else []


def test_videos_that_nobody_listens_for_wait_behind_one_that_somebody_does(queue: Queue) -> None:
    listeners = Listeners()
    start_only_heard(queue, listeners, NAMES)
    put(queue, event("silent"), event("mute"), event("honest"))
    assert started(queue) == []
    with listeners.listening("honest"):
        assert started(queue) == ["honest"]
        assert started(queue) == []
    with listeners.listening("mute"), listeners.listening("silent"):
        assert started(queue) == ["silent"]
        assert started(queue) == ["mute"]
    assert len(queue) == 0
    put(queue, event("anybody", name="answer"))  # other work is started as before
    assert started(queue) == ["anybody"]


def test_what_nobody_listens_for_is_refused_after_a_while(queue: Queue) -> None:
    listeners = Listeners()
    start_only_heard(queue, listeners, NAMES, patience=60.0)
    put(queue, event("silent", age=61), event("young", age=59))
    assert started(queue) == [] and len(queue) == 1
    message: Any = queue.pending_messages_per_session["silent"].get_nowait()
    assert (message.msg, message.output, message.success) == ("process_completed", {"error": UNHEARD}, False)
    assert list(queue.event_ids_to_events) == ["id-young"]

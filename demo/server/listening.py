"""Events of slow queues start only while their session listens for the result, and are refused after a while; results
that nobody receives would delay everybody."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradio.server_messages import ProcessCompletedMessage

PATIENCE = 60.0  # seconds that an event waits for a listener
UNHEARD = "Nobody received the answer, so the work was not started: send it again and open the stream of answers."


class Listeners:
    """Number of open answer streams per session."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def listening(self, session: str) -> Iterator[None]:
        """Count a stream while it is open."""
        self._open[session] += 1
        try:
            yield
        finally:
            self._open[session] -= 1
            if not self._open[session]:
                del self._open[session]

    def __contains__(self, session: str) -> bool:
        return session in self._open


def start_only_heard(queue: Any, listeners: Listeners, names: frozenset[str], patience: float = PATIENCE) -> None:
    """Make Gradio's queue start the events of some concurrency ids only while their session listens, and refuse them
    after `patience` seconds."""
    take = queue.get_events

    def get_events() -> Any:
        held = []
        for waiting in (queue.event_queue_per_concurrency_id.get(name) for name in names):
            if waiting is not None and waiting.queue:
                unheard = [event for event in waiting.queue if event.session_hash not in listeners]
                waiting.queue = [event for event in waiting.queue if event.session_hash in listeners]
                held.append((waiting, unheard))
        events = take()
        for waiting, unheard in held:
            late = time.monotonic() - patience
            waiting.queue += [event for event in unheard if event.enqueue_time >= late]
            for event in unheard:
                if event.enqueue_time < late:
                    queue.send_message(event, ProcessCompletedMessage(output={"error": UNHEARD}, success=False))
                    queue.event_ids_to_events.pop(event._id, None)
        return events

    queue.get_events = get_events

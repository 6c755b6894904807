"""Sessions on the server, limited in number, size and age; a call without a session leaves none."""

import time
from asyncio import Queue
from collections import OrderedDict
from copy import copy
from typing import Any

from gradio.blocks import Blocks
from gradio.components import JSON
from gradio.server_messages import EventMessage
from gradio.state_holder import SessionState, StateHolder
from gradio.utils import LRUCache

from demo.service.recent import Recent

MAX_SESSIONS = 300
MAX_WAITING = 2000  # sessions with answers that nobody has fetched
KEPT_CLOSED = 3600.0  # seconds after the last use of a page that was closed
MAX_BYTES = 2**30  # of all sessions together, mostly uploads
MAX_GONE = 10_000  # names of sessions that had to go, about 0.1 kB each


class Session(SessionState):
    """State of one session, without the copies (0.24 MB, 8 ms) that Gradio makes for its deep links, and without
    results."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks_config = copy(blocks.default_config)
        self.config_values: dict[int, Any] = {}
        self.state_data: dict[int, Any] = {}
        self._state_ttl: dict[int, Any] = {}
        self.is_closed = False
        self.used = time.monotonic()

    def __setitem__(self, key: int, value: Any) -> None:
        block = self.blocks_config.blocks.get(key)
        if block is not None and block.stateful:
            self.state_data[key] = value
        elif not isinstance(value, JSON):  # no call reads an answer here
            self.blocks_config.blocks[key] = value

    @property
    def nbytes(self) -> int:
        """Memory of the states that report it, in bytes."""
        return sum(getattr(value, "nbytes", 0) for value in self.state_data.values())

    def _update_config(self, key: int) -> None:
        """Keep no copy."""

    def _update_value_in_config(self, key: int, value: Any) -> None:
        """Keep no copy."""


class Answers(LRUCache[str, "Queue[EventMessage]"]):
    """Messages that wait to be fetched, by session; those for a session that has left are dropped."""

    def __missing__(self, session_id: str) -> Queue[EventMessage]:
        return Queue()

    def __delitem__(self, session_id: str) -> None:
        if session_id in self:
            super().__delitem__(session_id)


class Sessions(StateHolder):
    """The sessions of the page, the most recently used last. Above `most` sessions, those without state (of programs)
    are removed first, then closed pages, then the least recently used. Closed ones are also removed after `kept_closed`
    seconds, and the largest while all together hold more than `max_bytes`."""

    def __init__(
        self, blocks: Blocks, most: int | None = None, kept_closed: float = KEPT_CLOSED, max_bytes: int = MAX_BYTES
    ) -> None:
        super().__init__()
        self.set_blocks(blocks)
        self.capacity = MAX_SESSIONS if most is None else most
        self.kept_closed, self.max_bytes = kept_closed, max_bytes
        self.session_data: OrderedDict[str, Session] = OrderedDict()  # type: ignore[assignment]
        self._gone: Recent[str | None, bool] = Recent(MAX_GONE)

    def __getitem__(self, session_id: str) -> Session:
        with self.lock:
            session = self.session_data.get(session_id)
            if session is None:
                session = Session(self.blocks)
                # Gradio takes the name of an event for the session of a call that names none
                if session_id in self._gone or session_id in self.blocks._queue.event_ids_to_events:
                    return session
                self.session_data[session_id] = session
            self.session_data.move_to_end(session_id)
            session.used = time.monotonic()
            session.is_closed = False
            while len(self.session_data) > self.capacity:
                others = [(name, each) for name, each in self.session_data.items() if name != session_id]
                empty = (name for name, each in others if not each.state_data)
                closed = (name for name, each in others if each.is_closed)
                self._let_go(next(empty, next(closed, others[0][0])))
            return session

    def is_gone(self, session_id: str | None) -> bool:
        """Return whether a session with state was removed."""
        return session_id in self._gone

    def delete_all_expired_state(self) -> None:
        """Remove closed sessions after their time, and the largest if memory is full; Gradio calls this every
        second."""
        now = time.monotonic()
        with self.lock:
            for name, session in list(self.session_data.items()):
                if session.is_closed and now - session.used > self.kept_closed:
                    self._let_go(name)
            sizes = {name: session.nbytes for name, session in self.session_data.items()}
            total = sum(sizes.values())
            for name in sorted(sizes, key=lambda name: sizes[name], reverse=True):
                if total <= self.max_bytes:
                    break
                total -= sizes[name]
                self._let_go(name)

    def _let_go(self, name: str) -> None:
        if self.session_data.pop(name).state_data:
            self._gone.put(name, True)

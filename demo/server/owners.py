"""The session that an event belongs to, and the names of sessions in the bodies of requests."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

CANCEL = "/gradio_api/cancel"
# Addresses with a session in their body: Gradio's PredictBody, or its CancelBody, which also has an event.
WITH_SESSION = (CANCEL, "/gradio_api/queue/join", "/gradio_api/call/", "/gradio_api/run/", "/gradio_api/api/")
SESSION = re.compile(r"[\w.:@+=~-]{1,200}")  # Gradio warns of "" and splits names at "<gradio-sep>"


def find_session(queue: Any, event: Any) -> str | None:
    """Return the session that asked for an event, None if it is unknown or its answer was fetched."""
    if not isinstance(event, str):
        return None
    held = queue.event_ids_to_events.get(event)
    if held is not None:
        return str(held.session_hash)
    waiting = list(queue.pending_event_ids_session.items())
    return next((session for session, events in waiting if event in events), None)


def is_usable(session: Any) -> bool:
    """Return whether a body's session has a name that Gradio can work with; other types are Gradio's to refuse."""
    return not isinstance(session, str) or SESSION.fullmatch(session) is not None


def fields(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON body as Gradio reads them, empty if it is not an object."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


async def read_body(receive: Receive) -> tuple[bytes, Receive]:
    """Return a request's body, and a `receive` that gives all of it again; errors as in `receive`."""
    messages: list[Message] = []
    while not messages or messages[-1].get("more_body"):
        messages.append(await receive())
    body = b"".join(message.get("body", b"") for message in messages)

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return body, again

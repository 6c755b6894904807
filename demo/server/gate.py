"""Middleware that checks every request before Gradio sees it, and turns errors into responses."""

import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import nullcontext
from errno import EDQUOT, ENOSPC
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from demo.server.addresses import MCP, is_needed
from demo.server.files.folder import TemporaryFolder
from demo.server.frames import strip_root
from demo.server.listening import Listeners

LOG = logging.getLogger(__name__)
UNKNOWN = "There is nothing of this name: see the page's API documentation for what there is."
POST_ONLY = "The tools for assistants answer POST only: there is no stream and no session to open or to end."
UNREADABLE = "This request cannot be read: see the page's API documentation for what it takes."
FAULT = "The app failed; its log has the details. Reload the page and try again."
FULL = "The server's disk is full: try again in some minutes, when older files have gone."
NO_ANSWER = "There is no answer of this name, or no longer: ask again."
BAD_SESSION = 'No session can have the name in "session_hash": choose 1 to 200 letters, digits or . : @ + = ~ _ -.'
# What makes Gradio's scripts reload a page with lost answers.
LOST = f'data: {{"msg":"unexpected_error","success":false,"session_not_found":true,"message":"{NO_ANSWER}"}}\n\n'
STREAM = "text/event-stream"
TAKEN = "Another stream receives the answers of this session: read them there."
LONGEST_FILE = 255  # bytes of a file's name, in every file system
LONGEST_NAME = 200  # characters of a session's, an event's or an upload's name
NOT_IN_HOST = re.compile(r"[@/\\?#\s]")  # what would make a host a user, a path or a query
HOSTS = (b"host", b"x-forwarded-host", b"x-gradio-server")  # headers
MAX_BYTES = 4 * 2**20  # of a request's body that is no upload

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
STATUS = "seps.status"  # in a scope: the status of an answer that Gradio would give as 500

CANCEL = "/gradio_api/cancel"
# Addresses with a session in their body: Gradio's PredictBody, or its CancelBody, which also has an event.
WITH_SESSION = (CANCEL, "/gradio_api/queue/join", "/gradio_api/call/", "/gradio_api/run/", "/gradio_api/api/")
SESSION = re.compile(r"[\w.:@+=~-]{1,200}")  # Gradio warns of "" and splits names at "<gradio-sep>"


class Gate:
    """ASGI middleware that rejects routes outside the allow-list, bodies of more than MAX_BYTES (uploads: `max_bytes`),
    and unknown sessions and events, and turns errors into responses. It serves only downloads of the folder.
    `listeners` counts the open streams of each session."""

    def __init__(
        self, app: Any, folder: TemporaryFolder, max_bytes: int, mcp: bool = False, listeners: Listeners | None = None
    ) -> None:
        self.app, self.folder, self.max_bytes, self.mcp = app, folder, max_bytes, mcp
        self.listeners = Listeners() if listeners is None else listeners

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or reject it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = strip_root(scope["path"], scope.get("root_path", ""))
        most = self.max_bytes if path == "/gradio_api/upload" else MAX_BYTES
        length = dict(scope["headers"]).get(b"content-length", b"0")
        answer = self.refusal(scope, path)
        if answer is None and length.isdigit() and (len(length) > 15 or int(length) > most):
            answer = refused(413, large(most))
        receive = bounded(receive, most)
        if answer is None and scope["method"] == "POST" and path.startswith(WITH_SESSION):
            answer, receive = await self.refusal_of_body(scope, path, receive)
        if answer is not None:
            await answer(scope, receive, send)
            return
        session = ""  # the session that the request streams events of
        if scope["method"] == "GET" and path.startswith("/gradio_api/call/"):
            session = find_session(queue_of(scope), get_last_part(path)) or get_last_part(path)
        elif scope["method"] == "GET" and path == "/gradio_api/queue/data":
            session = query_of(scope).get("session_hash", [""])[-1]
        with self.listeners.listening(session) if session else nullcontext():
            await self.guard_request(scope, receive, send)

    def refusal(self, scope: Scope, path: str) -> Response | None:
        """Return the response to a rejected request, else None."""
        if self.mcp and path.rstrip("/") == MCP and scope["method"] != "POST":
            return refused(405, POST_ONLY, {"Allow": "POST"})
        is_long = any(len(part.encode()) > LONGEST_FILE for part in path.split("/"))
        if is_long or not is_needed(scope["method"], path, self.mcp):
            return refused(404, UNKNOWN)
        if not has_readable_hosts(scope["headers"]):
            return refused(400, UNREADABLE)
        name, _, file = path.partition("=")
        if name == "/gradio_api/file" and not self.folder.is_served(file):
            return refused(404, UNKNOWN)
        named = query_of(scope)
        if "deep_link" in named:  # with which Gradio would read a file: the app makes its own links
            return refused(404, UNKNOWN)
        if any(len(value) > LONGEST_NAME for value in named.get("session_hash", [])):
            return refused(400, UNREADABLE)
        queue = queue_of(scope)
        if path == "/gradio_api/queue/data" and (session := named.get("session_hash")):
            return None if session[-1] in queue.pending_messages_per_session else Response(LOST, media_type=STREAM)
        if path.startswith("/gradio_api/call/") and scope["method"] == "GET":
            event = get_last_part(path)
            owner = find_session(queue, event)
            if owner is None and event not in queue.pending_messages_per_session:
                return refused(404, NO_ANSWER)
            if owner is not None and owner in self.listeners:  # the two would share out its answers
                return refused(409, TAKEN)
        return None

    async def refusal_of_body(self, scope: Scope, path: str, receive: Receive) -> tuple[Response | None, Receive]:
        """Check a request's body. Return an error response or None, and a `receive` callable that passes the body to
        Gradio."""
        try:
            body, receive = await read_body(receive)
        except HTTPException as error:
            return refused(error.status_code, error.detail), receive
        sent = fields(body)
        session = sent.get("session_hash")
        if isinstance(session, str) and not SESSION.fullmatch(session):  # other types are Gradio's to refuse
            return refused(400, BAD_SESSION), receive
        owner = find_session(queue_of(scope), sent.get("event_id")) if path.rstrip("/") == CANCEL else None
        return (None if owner in (None, session) else refused(404, NO_ANSWER)), receive

    async def guard_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; an error becomes a response, or ends the response that has begun."""
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start" and message["status"] == 500:
                message["status"] = scope.get(STATUS, 500)
            await send(message)

        try:
            await self.app(scope, receive, sent)
        except ClientDisconnect:  # the client has gone
            return
        except Exception as error:
            if begun:
                LOG.warning("The answer to %s was broken off: %s", scope["path"], error.__cause__ or error)
                await send({"type": "http.response.body", "body": b""})
            elif is_full(error):
                LOG.error("%s: %s", scope["path"], error)
                await refused(507, FULL)(scope, receive, send)
            else:
                LOG.exception("%s failed", scope["path"])
                await refused(500, FAULT)(scope, receive, send)


def queue_of(scope: Scope) -> Any:
    """Return Gradio's queue of events."""
    return scope["app"].get_blocks()._queue


def query_of(scope: Scope) -> dict[str, list[str]]:
    """Return the query parameters of a request; Gradio takes the last value of each."""
    return parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def get_last_part(path: str) -> str:
    """Return the last name in a path."""
    return path.rstrip("/").rpartition("/")[2]


def refused(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return a JSON response with an error message."""
    return JSONResponse({"error": sentence}, status, headers)


def has_readable_hosts(headers: Sequence[tuple[bytes, bytes]]) -> bool:
    """Return whether the host headers of a request are valid, since Gradio builds an address from them."""
    for name, value in headers:
        if name in HOSTS:
            first, is_url = value.decode("latin-1").split(",")[0].strip(), name == b"x-gradio-server"
            try:
                httpx.URL(first if is_url else f"http://{first}")
                urlsplit(f"http://{first}")
            except (httpx.InvalidURL, ValueError):
                return False
            if not is_url and NOT_IN_HOST.search(first):
                return False
    return True


def is_full(error: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, is a full disk."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False


def bounded(receive: Receive, most: int) -> Receive:
    """Return a `receive` that limits a request's body to so many bytes, whatever its declared size."""
    left = most

    async def received() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, large(most))
        return message

    return received


def large(most: int) -> str:
    """Return the message on a body that is too large."""
    return f"This request has more than {most // 2**20} MB: send less at once."


def find_session(queue: Any, event: Any) -> str | None:
    """Return the session that started an event; None if it is unknown or was fetched."""
    if not isinstance(event, str):
        return None
    held = queue.event_ids_to_events.get(event)
    if held is not None:
        return str(held.session_hash)
    waiting = list(queue.pending_event_ids_session.items())
    return next((session for session, events in waiting if event in events), None)


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

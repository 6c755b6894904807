"""What every request passes before Gradio sees it, and what every fault passes on its way out."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from errno import EDQUOT, ENOSPC
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from demo.server.addresses import is_needed
from demo.server.folder import TemporaryFolder, lies_in
from demo.server.root import below_root

LOG = logging.getLogger(__name__)
UNKNOWN = "There is nothing of this name: see the page's API documentation for what there is."
UNREADABLE = "This request cannot be read: see the page's API documentation for what it takes."
FAULT = "This could not be done, by a fault of the app that its log tells: reload the page and try again."
FULL = "The server's disk is full: try again in some minutes, when older files have gone."
NO_ANSWER = "There is no answer of this name, or no longer: ask anew."
LONGEST_FILE = 255  # bytes of a file's name, in every file system
LONGEST_NAME = 200  # characters of a session's, an event's or an upload's name
HOSTS = (b"host", b"x-forwarded-host", b"x-gradio-server")  # headers
MAX_BYTES = 4 * 2**20  # of a request's body that is no upload

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
STATUS = "seps.status"  # in a scope: the status of an answer that Gradio would give as 500


class Gate:
    """Refuses addresses that are not needed, bodies that are too large and names that nothing has; turns a fault that
    nobody has told yet into an answer.

    Args:
        app: what comes next.
        folder: of the uploads and downloads, the only files that are served.
        max_bytes: of an upload's body.
        mcp: whether the tools for assistants are served.
    """

    def __init__(self, app: Any, folder: TemporaryFolder, max_bytes: int, mcp: bool = False) -> None:
        self.app, self.folder, self.max_bytes, self.mcp = app, folder, max_bytes, mcp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = below_root(scope["path"], scope.get("root_path", ""))
        most = self.max_bytes if path == "/gradio_api/upload" else MAX_BYTES
        answer = self.refusal(scope, path) or too_large(scope, most)
        if answer is not None:
            await answer(scope, receive, send)
            return
        await self.guarded(scope, bounded(receive, most), send)

    def refusal(self, scope: Scope, path: str) -> Response | None:
        """Return the answer to a request that goes no further."""
        if not is_needed(scope["method"], path, self.mcp) or any(
            len(part.encode()) > LONGEST_FILE for part in path.split("/")
        ):
            return refused(404, UNKNOWN)
        if not has_readable_hosts(scope["headers"]):
            return refused(400, UNREADABLE)
        name, _, file = path.partition("=")
        if name == "/gradio_api/file" and not lies_in(self.folder.path, file):
            return refused(404, UNKNOWN)
        named = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if any(len(value) > LONGEST_NAME for key in ("session_hash", "upload_id") for value in named.get(key, [])):
            return refused(400, UNREADABLE)
        queue = scope["app"].get_blocks()._queue
        if path == "/gradio_api/queue/data" and (session := named.get("session_hash")):
            return None if session[0] in queue.pending_messages_per_session else no_session()
        if path.startswith("/gradio_api/call/") and scope["method"] == "GET":
            return None if is_asked(queue, path.rstrip("/").rpartition("/")[2]) else refused(404, NO_ANSWER)
        return None

    async def guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; a fault becomes an answer, and where one has begun, its end."""
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start" and message["status"] == 500:
                message["status"] = scope.get(STATUS, 500)
            await send(message)

        try:
            await self.app(scope, receive, sent)
        except ClientDisconnect:  # nobody is there to be told
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


def refused(status: int, sentence: str) -> Response:
    """Return an answer that tells what is wrong."""
    return JSONResponse({"error": sentence}, status)


def has_readable_hosts(headers: Sequence[tuple[bytes, bytes]]) -> bool:
    """Return whether an address can be made of the names that a request gives this server, as Gradio makes it."""
    for name, value in headers:
        if name in HOSTS:
            first = value.decode("latin-1").split(",")[0].strip()
            try:
                httpx.URL(first if name == b"x-gradio-server" else f"http://{first}")
                urlsplit(f"http://{first}")
            except (httpx.InvalidURL, ValueError):
                return False
    return True


def no_session() -> Response:
    """Return the answer to a page whose answers nobody holds, as Gradio's scripts read it: they reload."""
    message = '{"msg":"unexpected_error","success":false,"session_not_found":true,"message":"' + NO_ANSWER + '"}'
    return Response(f"data: {message}\n\n", media_type="text/event-stream")


def is_asked(queue: Any, event: str) -> bool:
    """Return whether an event's answer is awaited or held."""
    return (
        event in queue.event_ids_to_events
        or event in queue.pending_messages_per_session
        or any(event in events for events in list(queue.pending_event_ids_session.values()))
    )


def is_full(error: BaseException | None) -> bool:
    """Return whether an error, or what led to it, is a disk that holds no more."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False


def too_large(scope: Scope, most: int) -> Response | None:
    """Return the answer to a request that tells of a body with more than `most` bytes."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return refused(413, large(most)) if length.isdigit() and (len(length) > 15 or int(length) > most) else None


def bounded(receive: Receive, most: int) -> Receive:
    """Return what gives a request's body, at most so many bytes of it, whatever the request tells of its size."""
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
    """Return the sentence on a body that is too large."""
    return f"This request has more than {most // 2**20} MB: send less at once."

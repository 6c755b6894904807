"""Validation of requests before the tool server, for short errors without tracebacks in the log, and cancellation of
the work for clients that have disconnected."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, get_args

import anyio
from mcp import types
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from demo.server.gate import LONGEST_NAME
from demo.server.guard import shortened, valid_text
from seps.common.checks import read_json

LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
MAX_ID = 10**20  # largest numeric id of a request
MAX_VALUES = 200_000  # JSON values in a request, counted by commas and opening brackets
EMPTY = {"prompts/get": "prompts", "resources/read": "resources"}  # served by the library, but the app has none
METHODS = {
    get_args(request.model_fields["method"].annotation)[0] for request in get_args(types.ClientRequestType)
}  # that the protocol knows


class Cancelled(Exception):  # noqa: N818 nothing is wrong
    """The work was cancelled by whoever asked for it."""


class Caller:
    """The client of a request; `has_left`: its connection is closed."""

    has_left = False


CALLER: ContextVar[Caller | None] = ContextVar("CALLER", default=None)


def iterate_until_disconnect(items: Iterable[Any], desc: str = "") -> Iterator[Any]:
    """Iterate as a progress of `seps.common.progress`; raise Cancelled once the client has disconnected."""
    caller = CALLER.get()
    for item in items:
        if caller is not None and caller.has_left:
            raise Cancelled
        yield item


class CheckedRequests:
    """ASGI middleware that passes on valid requests and cancels those of disconnected clients; with `is_local`,
    requests must name this machine (against DNS rebinding)."""

    def __init__(self, app: Any, is_local: bool) -> None:
        self.app, self.is_local = app, is_local

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or answer it."""
        answer = elsewhere(scope["headers"]) if self.is_local else None
        if answer is None:
            try:
                content = await Request(scope, receive).body()
            except ClientDisconnect:
                return
            answer = unreadable(content)
        if answer is not None:
            await answer(scope, receive, send)
            return
        caller = Caller()
        CALLER.set(caller)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(cancel_when_left, receive, caller, tasks.cancel_scope)
            await self.app(scope, body_of(content), send)
            tasks.cancel_scope.cancel()  # ends the task above


async def cancel_when_left(receive: Any, caller: Caller, scope: anyio.CancelScope) -> None:
    """Cancel a scope when the caller's connection is closed."""
    while (await receive())["type"] != "http.disconnect":
        pass
    caller.has_left = True
    scope.cancel()


def body_of(content: bytes) -> Any:
    """Return an ASGI `receive` for a body that was already read."""
    messages = [{"type": "http.request", "body": content, "more_body": False}]

    async def received() -> Any:
        if not messages:
            await anyio.sleep_forever()
        return messages.pop()

    return received


def elsewhere(headers: Sequence[tuple[bytes, bytes]]) -> Response | None:
    """Return the error for a request to another host or from another site, else None."""
    hosts, origins = (
        [value.decode("latin-1") for key, value in headers if key == name] for name in (b"host", b"origin")
    )
    if len(hosts) != 1 or not LOCAL.fullmatch(hosts[0]):
        return wrong(421, types.INVALID_REQUEST, "This app answers on this machine only: name 127.0.0.1 or localhost.")
    if not all(origin.startswith("http://") and LOCAL.fullmatch(origin[7:]) for origin in origins):
        return wrong(403, types.INVALID_REQUEST, "Pages of other sites cannot use the tools: call them from a program.")
    return None


def unreadable(content: bytes) -> Response | None:
    """Return the answer to an invalid body, or to one that the tool server need not see, else None."""
    try:
        message = parsed(content)
    except ValueError as error:
        return wrong(400, types.PARSE_ERROR, str(error))
    if not isinstance(message, dict) or not fits(types.JSONRPCMessage, message) or not is_short(message.get("id", 0)):
        sentence = (
            "This is no message of JSON-RPC 2.0: send one JSON object with jsonrpc, method, params and an id of "
            f"at most 20 digits or {LONGEST_NAME} characters."
        )
        return wrong(400, types.INVALID_REQUEST, sentence)
    if "method" not in message or "id" not in message:
        return Response(status_code=202)  # a response or a notification, of which a server without sessions needs none
    method, number = message["method"], message["id"]
    if method not in METHODS:
        sentence = f"There is no method {shortened(method)}: call tools/list for the tools."
        return wrong(400, types.METHOD_NOT_FOUND, sentence, number)
    if method in EMPTY:
        return wrong(400, types.INVALID_PARAMS, f"This app has no {EMPTY[method]}: call tools/list.", number)
    if not fits(types.ClientRequest, {key: message[key] for key in ("method", "params") if key in message}):
        sentence = f"The params of {method} cannot be used: see the Model Context Protocol for their fields."
        return wrong(400, types.INVALID_PARAMS, sentence, number)
    return None


def parsed(content: bytes) -> Any:
    """Parse a body; ValueError for invalid JSON, too many values, a lone surrogate or a number that is not finite."""
    if sum(content.count(mark) for mark in b",[{") > MAX_VALUES:  # which would keep everybody waiting while it is read
        raise ValueError(f"This request holds more than {MAX_VALUES:,} values: send less at once.")
    message = read_json(content, "This request")
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise ValueError("This request holds a number that is not finite: give finite numbers.") from error
    valid_text("This request", text)
    return message


def fits(kind: type[BaseModel], value: Any) -> bool:
    """Return whether a value is a valid message of this type."""
    try:
        kind.model_validate(value)
    except ValidationError:
        return False
    return True


def is_short(name: Any) -> bool:
    """Return whether a request's id can be repeated in an answer: a short string or an integer."""
    if isinstance(name, str):
        return len(name) <= LONGEST_NAME
    return isinstance(name, int) and not isinstance(name, bool) and abs(name) < MAX_ID


def wrong(status: int, code: int, sentence: str, number: Any = None) -> Response:
    """Return a JSON-RPC error; `number` is the request's id, None if unknown."""
    return JSONResponse({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": sentence}}, status)

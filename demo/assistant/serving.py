"""The MCP server, mounted at a path of the app, with one-sentence errors."""

import logging
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import anyio
from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.fastmcp.server import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import ValidationError
from starlette.routing import Route

from demo.assistant.requests import Cancelled, CheckedRequests
from demo.assistant.tools import Tools
from demo.page.api import offered
from demo.page.table import CALLED, DRAWING, GENERATING
from demo.record.texts.invalid import describe_errors
from demo.server.addresses import MCP
from demo.server.gate import FAULT
from demo.service.models.registry import ModelRegistry
from seps.common.checks import read_json

LOG = logging.getLogger(__name__)
NAME = "SEPS Explorer"
INSTRUCTIONS = (
    "SEPS scores how well a photograph fits a caption, S(I, T), by the patches that the caption keeps of it. "
    "Begin with list_photographs. Captions are English sentences. The models are small: say so with their scores."
)
LOCAL = ("127.0.0.1", "localhost", "::1")
MAX_WAITING = 50  # calls that wait for one limit
LONGEST_NUMBER = 40  # characters
BUSY = "Too many calls wait for their turn: call again in a minute."


class ToolServer(FastMCP):
    """FastMCP with the app's error messages; unexpected errors are logged."""

    is_local = True

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool, ignoring arguments that are null; ToolError with one sentence on failure."""
        try:
            return await super().call_tool(name, self.given(name, arguments))
        except ToolError as error:
            raise ToolError(self.sentence(name, error)) from error.__cause__
        except ValueError as error:
            raise ToolError(str(error)) from error

    def given(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a tool that have a value; ValueError for text that is not a list."""
        tool = self._tool_manager.get_tool(name)
        fields = tool.fn_metadata.arg_model.model_fields if tool else {}
        is_text = {key: field.annotation is str for key, field in fields.items()}
        values = {key: value for key, value in arguments.items() if value is not None}
        for key, value in values.items():
            if isinstance(value, str) and not is_text.get(key, True):  # as some assistants send lists and numbers
                if value.lstrip()[:1] in ("[", "{"):
                    values[key] = read_json(value, key)
                elif len(value) > LONGEST_NUMBER:
                    raise ValueError(f"{key} is a text of {len(value):,} characters, but a list or a number is needed.")
        return values

    def sentence(self, name: str, error: ToolError) -> str:
        """Return the message of an error for the assistant."""
        cause = error.__cause__
        if cause is None:
            known = ", ".join(tool.name for tool in self._tool_manager.list_tools())
            return f"There is no tool {name[:40]!r}: call one of {known}."
        if isinstance(cause, ValidationError) and cause.title == f"{name}Arguments":  # as FastMCP calls them
            return describe_errors(cause)
        if isinstance(cause, Cancelled):
            return "The client has left."
        if isinstance(cause, ValueError) and not isinstance(cause, ValidationError):
            return str(cause)
        LOG.error("%s failed", name, exc_info=cause)
        return FAULT


def tool_server(registry: ModelRegistry, host: str) -> ToolServer:
    """Return the server of the tools; on a `host` that is this machine, calls that name another are rejected."""
    # Hosts are checked in `CheckedRequests`: the library compares only prefixes, and 127.0.0.1:80@evil passes.
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server = ToolServer(
        NAME, INSTRUCTIONS, stateless_http=True, json_response=True, transport_security=unchecked, log_level="WARNING"
    )
    server.is_local = host in LOCAL
    logging.getLogger("mcp").setLevel(logging.ERROR)  # its warnings repeat whatever a caller sends
    turns = {
        str(limit["concurrency_id"]): anyio.CapacityLimiter(limit["concurrency_limit"])
        for limit in (CALLED, DRAWING, GENERATING)
    }
    tools = Tools(registry)
    for offer in offered(registry):
        if offer.tool:
            tool = in_thread(getattr(tools, offer.tool), turns[offer.tool_queue["concurrency_id"]])
            server.add_tool(tool, structured_output=True)
    return server


def in_thread(tool: Callable[..., Any], turns: anyio.CapacityLimiter) -> Callable[..., Any]:
    """Return a tool that waits for a free slot, which its client may leave, and runs in a thread."""

    @wraps(tool)
    async def run(**arguments: Any) -> Any:
        if turns.statistics().tasks_waiting >= MAX_WAITING:
            raise ValueError(BUSY)
        return await anyio.to_thread.run_sync(partial(tool, **arguments), limiter=turns)

    return run


def routes_of(server: ToolServer) -> tuple[Sequence[Route], Callable[[], Any]]:
    """Return the routes of the server, and the context manager that runs it."""
    server.streamable_http_app()  # makes the manager of its sessions
    manager = server.session_manager
    answering = CheckedRequests(StreamableHTTPASGIApp(manager), server.is_local)
    return [Route(MCP, answering, methods=["POST"])], manager.run

"""The MCP server: the tools at an address of the app, with one sentence for whatever is wrong with a call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.fastmcp.server import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import ValidationError
from starlette.routing import Route

from demo.assistant.tools import Tools
from demo.server.addresses import MCP
from demo.server.gate import FAULT
from demo.service.registry import ModelRegistry

LOG = logging.getLogger(__name__)
NAME = "SEPS Explorer"
INSTRUCTIONS = (
    "SEPS scores how well a photograph fits a caption, S(I, T), by the patches that the caption keeps of it. "
    "Begin with list_photographs. Captions are English sentences. The models are small: say so with their scores."
)
LOCAL = ("127.0.0.1", "localhost", "::1")


class ToolServer(FastMCP):
    """FastMCP whose errors are the app's sentences, and whose faults go to the log."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool; ToolError with a sentence where it cannot be done."""
        try:
            return await super().call_tool(name, arguments)
        except ToolError as error:
            raise ToolError(self.sentence(name, error)) from error.__cause__

    def sentence(self, name: str, error: ToolError) -> str:
        """Return what an assistant is told of an error."""
        cause = error.__cause__
        if cause is None:
            known = ", ".join(tool.name for tool in self._tool_manager.list_tools())
            return f"There is no tool {name[:40]!r}: call one of {known}."
        if isinstance(cause, ValidationError) and cause.title == f"{name}Arguments":  # as FastMCP calls them
            return " ".join(map(problem, cause.errors()))
        if isinstance(cause, ValueError) and not isinstance(cause, ValidationError):
            return str(cause)
        LOG.error("%s failed", name, exc_info=cause)
        return FAULT


def problem(error: Any) -> str:
    """Return what is wrong with an argument, in a sentence."""
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "missing":
        return f"{name} is missing: give it."
    return f"{name} cannot be used: {error['msg'][0].lower()}{error['msg'][1:]}."


def tool_server(registry: ModelRegistry, host: str) -> ToolServer:
    """Return the server of the tools.

    Args:
        registry: of the app's models and galleries.
        host: that the app serves on; on this machine alone, a call that names another host is refused, so that no web
            page can reach the tools by a name of its own.
    """
    checked = host in LOCAL
    names = ["127.0.0.1:*", "localhost:*", "[::1]:*"] if checked else []
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=checked,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    server = ToolServer(
        NAME, INSTRUCTIONS, stateless_http=True, json_response=True, transport_security=security, log_level="WARNING"
    )
    for tool in Tools(registry).all():
        server.add_tool(in_thread(tool), structured_output=True)
    return server


def in_thread(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool that runs in a thread: while it computes, the app answers others."""

    @wraps(tool)
    async def run(**arguments: Any) -> Any:
        return await asyncio.to_thread(tool, **arguments)

    return run


def routes_of(server: ToolServer) -> tuple[Sequence[Route], Callable[[], Any]]:
    """Return the routes of the server, and what runs it while the app is served."""
    server.streamable_http_app()  # makes the manager of its sessions
    manager = server.session_manager
    return [Route(MCP, StreamableHTTPASGIApp(manager), methods=["GET", "POST", "DELETE"])], manager.run

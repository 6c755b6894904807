"""The app's server with the tools for assistants, around an empty page."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
import uvicorn

from demo.assistant.serving import routes_of, tool_server
from demo.galleries.reading.photos import MAX_BYTES
from demo.server.addresses import MCP
from demo.server.files.folder import TemporaryFolder
from demo.server.routes import server_options
from demo.service.models.registry import ModelRegistry
from tests.demo.server.test_addresses import made
from tests.helpers.web.awaited import awaited


@contextmanager
def served(registry: ModelRegistry | None) -> Iterator[str]:
    """Serve the tools of a registry, or none; yield their address."""
    tools = None if registry is None else routes_of(tool_server(registry, "127.0.0.1"))
    with TemporaryFolder() as folder, socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        app = awaited(made(server_options(folder, MAX_BYTES, tools)))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}{MCP}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def address(registry: ModelRegistry, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(tmp_path_factory.mktemp("files")))
        with served(registry) as url:
            yield url

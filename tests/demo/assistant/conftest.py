"""The app's server with the tools for assistants, around an empty page."""

import socket
import tempfile
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
from demo.service.retrieval import RetrievalService
from tests.demo.server.test_addresses import made
from tests.helpers.web.awaited import awaited


@contextmanager
def served(registry: ModelRegistry) -> Iterator[str]:
    """Serve the tools of a registry, with a new folder for files; yield their address."""
    tools = routes_of(tool_server(registry, "127.0.0.1"))
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as outer, socket.socket() as listening:
        patch.setenv("GRADIO_TEMP_DIR", outer)
        with TemporaryFolder() as folder:
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
def address(service: RetrievalService) -> Iterator[str]:
    with served(ModelRegistry(service)) as url:
        yield url

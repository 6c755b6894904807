"""The server of the new page, and a call of its endpoints."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from gradio.routes import App
from starlette.testclient import TestClient

from demo.page.html import app_page
from demo.page.server import PageServer
from demo.server.files.folder import TemporaryFolder
from demo.service.models.registry import ModelRegistry
from tests.helpers.web.awaited import awaited


@pytest.fixture(scope="package")
def client(registry: ModelRegistry, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The server, with `PageServer`'s own options, as `launch` puts it together."""
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("GRADIO_TEMP_DIR", str(tmp_path_factory.mktemp("files")))
        folder = stack.enter_context(TemporaryFolder())

        async def made() -> App:  # where no loop runs, Gradio would leave some open
            server = PageServer(registry, folder, app_page(None))
            server.page_blocks.run_history = False
            return App.create_app(server.page_blocks, app=server, app_kwargs={"lifespan": server.running})

        yield stack.enter_context(TestClient(awaited(made()), base_url="http://127.0.0.1"))

"""The app on `gradio.Server`: Gradio's queue and endpoints behind the page's own HTML and the gate of `demo.server`."""

import os
from collections.abc import Sequence
from typing import Any

import gradio as gr
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from demo.galleries.reading.photos import MAX_BYTES
from demo.page.actions import PageActions, page_actions
from demo.page.api import api_actions
from demo.page.html import PREFIX, TITLE
from demo.page.pictures import answering
from demo.page.table import register
from demo.server.files.folder import TemporaryFolder
from demo.server.guard import GuardedBlocks
from demo.server.routes import Tools, server_options, text_response
from demo.service.models.registry import ModelRegistry

HEADERS = {"Cache-Control": "no-cache"}


class PageServer(gr.Server):
    """Serves the page, its endpoints and those for programs; arguments as `server_options`. `Server.launch` builds
    plain Blocks of functions; here they are `GuardedBlocks`, whose calls are all checked."""

    def __init__(
        self,
        registry: ModelRegistry,
        folder: TemporaryFolder,
        page: str,
        tools: Tools | None = None,
        sites: Sequence[str] = (),
    ) -> None:
        content = page.encode()

        async def answer(request: Request) -> Response:
            return text_response(request, content, "text/html; charset=utf-8", HEADERS)

        options = server_options(folder, MAX_BYTES, tools, sites)
        self.running = options.pop("lifespan")
        options["routes"] = [
            Route("/", answer),
            Route("/opening/state", started),
            Route(f"/{PREFIX}/{{gallery}}/{{size}}/{{index:int}}", answering(registry)),
            *options["routes"],
        ]
        super().__init__(title=TITLE, openapi_url=None, docs_url=None, redoc_url=None, **options)
        with GuardedBlocks(title=TITLE, mode="server") as blocks:
            register(api_actions(registry))
            actions = PageActions(registry, folder.path)
            actions.calls = register(page_actions(actions))
        self.page_blocks = blocks

    def launch(self, **options: Any) -> Any:  # type: ignore[override]
        """Serve it as `gradio.Server.launch` does with its blocks; options as for `Blocks.launch`."""
        os.environ["GRADIO_SERVER_MODE_ENABLED"] = "1"
        own = {"run_history": False, "enable_monitoring": False, "max_file_size": MAX_BYTES}
        return self.page_blocks.launch(_app=self, app_kwargs={"lifespan": self.running}, **own, **options)


async def started(request: Request) -> Response:
    """Answer that the app has started; until then `demo.opening.server` answers."""
    return JSONResponse({"opening": False}, headers={"Cache-Control": "no-store"})

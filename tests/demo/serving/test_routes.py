"""What the server answers before Gradio does."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from demo.serving.folder import TemporaryFolder
from demo.serving.routes import WithoutDeepLinks, server_options


def query(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(request.query_params))


@pytest.mark.parametrize(
    ("address", "left"),
    [
        ("/?deep_link=zzz", ""),
        ("/?view=search&deep_link=zzz&caption=a+caf%C3%A9", "view=search&caption=a+caf%C3%A9"),
        ("/?caption=deep_link", "caption=deep_link"),
        ("/?view=lesson&step=3", "view=lesson&step=3"),
    ],
)
def test_gradios_own_links_are_left_out_of_an_address(address: str, left: str) -> None:
    client = TestClient(Starlette(routes=[Route("/", query)], middleware=[Middleware(WithoutDeepLinks)]))
    assert client.get(address).text == left


def test_addresses_and_deep_links_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with TemporaryFolder() as folder:
        client = TestClient(Starlette(routes=server_options(folder, 2**20)["routes"]))
        for path in ("file=http://127.0.0.1/x", "file=https://example.org/x", "deep_link?session_hash=x"):
            answer = client.get(f"/gradio_api/{path}")
            assert (answer.status_code, "nothing of this name" in answer.text) == (404, True)

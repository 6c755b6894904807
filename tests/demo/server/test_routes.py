"""Requests that the server answers before Gradio."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from demo.server.routes import WithoutDeepLinks


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

"""The opening page's server, without a browser."""

from __future__ import annotations

import io
import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from PIL import Image

from demo.opening.first import first_view
from demo.opening.server import Opening


@pytest.fixture
def opening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Opening]:
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    served = Opening()
    yield served
    served.close()


def got(address: str) -> tuple[str, bytes]:
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read()


def test_page_photographs_and_state(opening: Opening) -> None:
    assert opening.port >= 7860
    kind, page = got(opening.address + "/?view=compare")
    assert kind.startswith("text/html")
    view = first_view()
    assert view is not None
    assert json.dumps(view["viewer"]["record"]["branches"][0]["kept"]) in page.decode()
    for item in view["ranking"]["items"]:
        kind, content = got(f"{opening.address}/opening/thumb/{item['name'].replace(' ', '%20')}")
        with Image.open(io.BytesIO(content)) as image:
            assert kind == "image/jpeg"
            assert 100 <= max(image.size) <= 192
    assert json.loads(got(opening.address + "/opening/state")[1]) == {"opening": True}


@pytest.mark.parametrize("path", ["/config", "/opening/thumb/..%2f..%2fapp.py", "/opening/photo/", "/opening/cat"])
def test_everything_else_is_told_to_wait(opening: Opening, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="503"):
        got(opening.address + path)


def test_the_address_is_free_at_once_after_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Opening()
    got(first.address)
    first.close()
    second = Opening(first.port, example=False)
    try:
        assert b'id="view">null</script>' in got(second.address)[1]
    finally:
        second.close()


def test_ports_that_cannot_be_had_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=rf"Port {port} is taken on 127.0.0.1: give another one with --port"):
            Opening(port)
    monkeypatch.setenv("GRADIO_SERVER_PORT", "eighty")
    with pytest.raises(ValueError, match="'eighty', but a whole number"):
        Opening()


def test_a_host_that_is_not_this_machine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    for host in ("192.0.2.1", "no.such.host.invalid"):
        monkeypatch.setenv("GRADIO_SERVER_NAME", host)
        with pytest.raises(ValueError, match=f"The host '{host}' cannot be served from here .*GRADIO_SERVER_NAME"):
            Opening()

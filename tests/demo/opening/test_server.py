"""The opening page's server, without a browser."""

from __future__ import annotations

import io
import json
import socket
import struct
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from demo.galleries.packaged import load_examples
from demo.opening import server
from demo.opening.server import Opening
from demo.page.addresses import PREFIX, picture_address

PAGE = "<!doctype html><title>the page</title>"


@pytest.fixture
def opening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Opening]:
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    served = Opening(None, PAGE)
    yield served
    served.close()


def got(address: str) -> tuple[str, bytes]:
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read()


def test_page_photographs_and_state(opening: Opening) -> None:
    assert opening.port >= 7860
    kind, page = got(opening.address + "/?view=compare")
    assert kind.startswith("text/html")
    assert page.decode() == PAGE
    for index in range(len(load_examples())):
        kind, content = got(f"{opening.address}/{picture_address('examples', 'thumb', index)}")
        with Image.open(io.BytesIO(content)) as image:
            assert kind == "image/jpeg"
            assert 100 <= max(image.size) <= 192
    assert json.loads(got(opening.address + "/opening/state")[1]) == {"opening": True}


@pytest.mark.parametrize(
    "path",
    [
        "/config",
        f"/{PREFIX}/examples/thumb/..%2f..%2fapp.py",
        f"/{PREFIX}/examples/photo/14",
        f"/{PREFIX}/scenes/thumb/0",
    ],
)
def test_everything_else_is_told_to_wait(opening: Opening, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="503"):
        got(opening.address + path)


def test_the_address_is_free_at_once_after_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Opening(None, PAGE)
    got(first.address)
    first.close()
    second = Opening(first.port, "another page")
    try:
        assert got(second.address)[1] == b"another page"
    finally:
        second.close()


def test_ports_that_cannot_be_had_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=rf"Port {port} is taken on 127.0.0.1: give another one with --port"):
            Opening(port, PAGE)
    monkeypatch.setenv("GRADIO_SERVER_PORT", "eighty")
    with pytest.raises(ValueError, match="The port is 'eighty'"):
        Opening(None, PAGE)


def test_a_host_that_is_not_this_machine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADIO_SERVER_PORT", raising=False)
    for host in ("192.0.2.1", "no.such.host.invalid"):
        monkeypatch.setenv("GRADIO_SERVER_NAME", host)
        with pytest.raises(ValueError, match=f"The host '{host}' cannot be served from here .*GRADIO_SERVER_NAME"):
            Opening(None, PAGE)


def raw(opening: Opening, request: bytes) -> bytes:
    """The answer to raw bytes."""
    with socket.create_connection((opening.host, opening.port), timeout=10) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_who_leaves_early_leaves_no_traceback(
    opening: Opening, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.Handler, "timeout", 0.1)
    ended: list[int] = []
    end = server.Server.shutdown_request

    def noted(*arguments: Any) -> None:
        end(*arguments)
        ended.append(1)

    monkeypatch.setattr(server.Server, "shutdown_request", noted)
    sent = (
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /opening/pho",
        b"",
        b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx",
    )
    for number, request in enumerate(sent * 5):
        with socket.create_connection((opening.host, opening.port), timeout=10) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", number % 2, 0))  # 1: a reset
            connection.sendall(request)
    assert b"SEPS Explorer" in raw(opening, b"GET / HTTP/1.0\r\n\r\n")
    assert raw(opening, b"") == b""  # never says what it wants: let go
    deadline = time.monotonic() + 30
    while len(ended) < 5 * len(sent) + 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(ended) == 5 * len(sent) + 2
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET //[ HTTP/1.0", b"503"),
        (b"GET /%00%ff/..//opening HTTP/1.0", b"503"),
        (b"GET /opening/photo/\xff HTTP/1.0", b"503"),
        (b"POST /gradio_api/upload HTTP/1.0", b"503"),
        (b"HEAD / HTTP/1.0", b"200"),
        (b"PUT / HTTP/1.0", b"501"),
    ],
)
def test_hostile_requests_are_answered(
    opening: Opening, capsys: pytest.CaptureFixture[str], request_line: bytes, status: bytes
) -> None:
    head, _, content = raw(opening, request_line + b"\r\n\r\n").partition(b"\r\n\r\n")
    assert head.split()[1] == status
    assert (content == b"") == request_line.startswith(b"HEAD")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("path", ["/", "/seps", "/seps/"])
def test_it_answers_below_the_root_path_too(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    monkeypatch.setenv("GRADIO_ROOT_PATH", "/seps/")
    opening = Opening(None, PAGE)
    try:
        assert got(opening.address + path)[0].startswith("text/html")
        assert json.loads(got(f"{opening.address}{path.rstrip('/')}/opening/state")[1]) == {"opening": True}
    finally:
        opening.close()

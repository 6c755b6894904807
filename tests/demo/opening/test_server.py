import base64
import io
import json
import re
import socket
import struct
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from demo.galleries.sources.packaged import load_examples
from demo.opening import first, server
from demo.opening.server import Opening
from demo.opening.write import compute_first_view
from demo.page.html import app_page, picture_address
from demo.service.models.registry import ModelRegistry

PAGE = "<!doctype html><title>SEPS Explorer</title>"


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
    for number, request in enumerate(sent * 2):
        with socket.create_connection((opening.host, opening.port), timeout=10) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", number % 2, 0))  # 1: a reset
            connection.sendall(request)
    assert b"SEPS Explorer" in raw(opening, b"GET / HTTP/1.0\r\n\r\n")
    assert raw(opening, b"") == b""  # never says what it wants: let go
    deadline = time.monotonic() + 30
    while len(ended) < 2 * len(sent) + 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(ended) == 2 * len(sent) + 2
    assert capsys.readouterr().err == ""


def test_hostile_requests_are_answered(opening: Opening, capsys: pytest.CaptureFixture[str]) -> None:
    for request_line, status in (
        (b"GET //[ HTTP/1.0", b"503"),
        (b"GET /%00%ff/..//opening HTTP/1.0", b"503"),
        (b"GET /opening/photo/\xff HTTP/1.0", b"503"),
        (b"POST /gradio_api/upload HTTP/1.0", b"503"),
        (b"HEAD / HTTP/1.0", b"200"),
        (b"PUT / HTTP/1.0", b"501"),
    ):
        head, _, content = raw(opening, request_line + b"\r\n\r\n").partition(b"\r\n\r\n")
        assert head.split()[1] == status, request_line
        assert (content == b"") == request_line.startswith(b"HEAD"), request_line
    assert capsys.readouterr().err == ""


def test_it_answers_below_the_root_path_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    monkeypatch.setenv("GRADIO_ROOT_PATH", "/seps/")
    opening = Opening(None, PAGE)
    try:
        for path in ("/", "/seps", "/seps/"):
            assert got(opening.address + path)[0].startswith("text/html")
            assert json.loads(got(f"{opening.address}{path.rstrip('/')}/opening/state")[1]) == {"opening": True}
    finally:
        opening.close()


NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_it_is_what_the_app_shows_on_load(registry: ModelRegistry) -> None:
    computed, written = compute_first_view(registry), first.first_view()
    assert written is not None, "The model's weights changed: run `python -m demo.opening`."
    assert_alike(json.loads(json.dumps(computed)), written, "view")


def assert_alike(first: Any, other: Any, where: str) -> None:
    """Equal but for the last digits of numbers, those in sentences too."""
    if isinstance(first, dict) and "float32" in first:
        assert first["shape"] == other["shape"], where
        left, right = (np.frombuffer(base64.b64decode(part["float32"]), "<f4") for part in (first, other))
        np.testing.assert_allclose(left, right, atol=1e-4, err_msg=where)
    elif isinstance(first, dict):
        assert first.keys() == other.keys(), where
        for name in first:
            assert_alike(first[name], other[name], f"{where}.{name}")
    elif isinstance(first, list):
        assert len(first) == len(other), where
        for place, (left, right) in enumerate(zip(first, other, strict=True)):
            assert_alike(left, right, f"{where}[{place}]")
    elif isinstance(first, float):
        assert first == pytest.approx(other, abs=1e-4), where
    elif isinstance(first, str) and first != other:
        assert NUMBER.sub("#", first) == NUMBER.sub("#", other), where
        for left, right in zip(NUMBER.findall(first), NUMBER.findall(other), strict=True):
            step = 10.0 ** -len(left.partition(".")[2])  # a value may be rounded up here and down there
            assert float(left) == pytest.approx(float(right), abs=1.01 * step if "." in left else 0), where
    else:
        assert first == other, where


def test_it_is_not_shown_with_other_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"others")
    monkeypatch.setattr(first, "WEIGHTS", tmp_path / "model.safetensors")
    assert first.first_view() is None
    page = app_page(None)
    assert json.loads(re.search(r'id="site">(.*?)</script>', page)[1])["example"] is None  # type: ignore[index]


def test_what_the_view_holds_ends_no_tag_of_the_page() -> None:
    view, mark = first.first_view(), "</script><b>"
    assert view is not None
    page = app_page(view | {"examples": [mark]})
    assert mark not in page
    value = json.loads(re.search(r'id="site">(.*?)</script>', page)[1])  # type: ignore[index]
    assert value["example"]["chips"] == [mark]

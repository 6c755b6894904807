import json
import socket
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from demo.assistant import serving
from demo.assistant.requests import elsewhere
from demo.page.api import Endpoints
from demo.page.table import GENERATING
from demo.service.generating.service import GeneratingService
from demo.service.models.start import load_shipped_generator
from tests.demo.assistant.conftest import served

HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The tools without a model: no request here gets as far as one."""
    registry: Any = SimpleNamespace(names=(), judging=None, generating=GeneratingService(load_shipped_generator))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Endpoints, "galleries", lambda _: {})
        with served(registry) as url:
            yield url


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(headers=HEADERS, timeout=60) as client:
        yield client


def message(method: str = "tools/list", **more: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method} | more)


def tool_call(name: str, **arguments: Any) -> str:
    return message("tools/call", params={"name": name, "arguments": arguments})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"a":' * 100_000, "nested more than 100 levels deep"),
        (tool_call("explain", caption="P").replace('"P"', "[" * 5000 + "]" * 5000), "nested more than 100 levels deep"),
        (message(id="N").replace('"N"', "9" * 5000), "too many digits"),
        (message(id="N").replace('"N"', "9" * 4000), "an id of at most 20 digits"),
        (tool_call("rank_photographs", caption="\ud800"), "lone surrogate"),
        (tool_call("rank_photographs", caption="a", top=float("nan")), "not finite"),
        (message(params={"a": [0] * 300_000}), "more than 200,000 values"),
        (message(id=True), "no message of JSON-RPC"),
        (message(id="x" * 201), "no message of JSON-RPC"),
        (f"[{message()}]", "no message of JSON-RPC"),
        ("", "it is empty"),
        ("\ufeff{", "cannot be read as JSON"),
        (message("prompts/get", params={"name": "nothing"}), "This app has no prompts"),
        (message("resources/read", params={"uri": "file:///etc/passwd"}), "This app has no resources"),
        (message("delete/everything"), "There is no method 'delete/everything'"),
        (message("tools/call", params={"name": 7}), "The params of tools/call cannot be used"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_a_wrong_body_gets_one_sentence(
    address: str, client: httpx.Client, caplog: pytest.LogCaptureFixture, body: str, words: str
) -> None:
    answer = client.post(address, content=body.encode())
    sentence = answer.json()["error"]["message"]
    assert answer.status_code == 400 and words in sentence
    assert sentence.endswith(".") and "\n" not in sentence and len(sentence) < 250
    assert [record for record in caplog.records if record.exc_info or record.name.startswith("mcp")] == []


def test_there_is_no_stream_and_no_session(address: str, client: httpx.Client) -> None:
    for method in ("GET", "DELETE", "HEAD", "PUT", "OPTIONS"):
        for path in (address, f"{address}/"):
            answer = client.request(method, path, headers={"Accept": "text/event-stream"})
            assert answer.status_code == 405 and answer.headers["Allow"] == "POST", (method, path)
            assert method == "HEAD" or answer.json()["error"].endswith(".")


def refusal(*hosts: str, origin: str | None = None) -> int | None:
    """The status of the answer to a request that names these hosts and this origin; None where it is let through."""
    headers = [(b"host", host.encode()) for host in hosts]
    headers += [] if origin is None else [(b"origin", origin.encode())]
    answer = elsewhere(headers)
    return None if answer is None else answer.status_code


def test_the_host_and_the_origin_are_compared_as_a_whole() -> None:
    for host in ("127.0.0.1", "127.0.0.1:7900", "localhost:1", "LOCALHOST", "[::1]:7860"):
        assert refusal(host) is refusal(host, origin=f"http://{host}") is None, host
    for host in (
        *("127.0.0.1:7900@evil", "127.0.0.1:7900/evil", "127.0.0.1:7900#evil", "localhost:80.evil.com"),
        *("localhost.evil.com", "localhost:80@evil.com", "[::1]:80@evil.com", "127.0.0.1.evil.com:80"),
        *("evil.example", ""),
    ):
        assert refusal(host) == 421 and refusal("localhost", origin=f"http://{host}") == 403, host
    for origin in ("null", "file://", "https://evil.example", "http://localhost:80/", "localhost:80"):
        assert refusal("localhost", origin=origin) == 403, origin
    assert refusal("localhost", "evil.example") == refusal() == 421


def test_another_host_or_site_cannot_call(address: str, client: httpx.Client) -> None:
    for header, status in (("Host", 421), ("Origin", 403)):
        assert client.post(address, content=message(), headers={header: "evil.example"}).status_code == status


class Drawings:
    """Stands for drawings that take five seconds each, and counts them."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.steps = 100
        self.finished, self.most, self.running = 0, 0, 0

    def draw(self, caption: str, *others: Any) -> Any:
        progress = others[-1]
        self.started.append(caption)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            for _step in progress(range(self.steps)):
                time.sleep(0.05)
            self.finished += 1
            raise ValueError("This drawing is finished.")
        finally:
            self.running -= 1


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> Drawings:
    counted = Drawings()
    monkeypatch.setattr(Endpoints, "draw", lambda _, *arguments: counted.draw(*arguments))
    return counted


def asked(address: str, body: str) -> socket.socket:
    place = urlsplit(address)
    connection = socket.create_connection((place.hostname, place.port))
    headers = HEADERS | {"Host": place.netloc, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    connection.sendall(f"POST {place.path} HTTP/1.1\r\n{head}\r\n{body}".encode())
    return connection


def soon(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_few_calls_wait_for_their_turn(
    address: str, client: httpx.Client, drawings: Drawings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MAX_WAITING", 1)
    waiting = [asked(address, tool_call("generate", caption=f"a red car {number}")) for number in range(3)]
    assert soon(lambda: drawings.running == 2)
    time.sleep(0.5)
    refused = client.post(address, content=tool_call("generate", caption="one too many"))
    assert refused.json()["result"]["isError"]
    assert refused.json()["result"]["content"][0]["text"].startswith("Too many calls wait for their turn")
    ranked = client.post(address, content=tool_call("list_photographs"))
    assert not ranked.json()["result"]["isError"]  # other tools wait for other turns
    for connection in waiting:
        connection.close()


def test_calls_nobody_waits_for_are_dropped(
    address: str, client: httpx.Client, drawings: Drawings, caplog: pytest.LogCaptureFixture
) -> None:
    left = [asked(address, tool_call("generate", caption=f"a red car {number}")) for number in range(8)]
    assert soon(lambda: drawings.running == 2)
    time.sleep(0.5)  # the others wait
    for connection in left:
        connection.close()
    assert soon(lambda: drawings.running == 0, 3.0)  # less than a drawing takes
    drawings.steps = 1
    last = client.post(address, content=tool_call("generate", caption="the last"))
    assert last.json()["result"]["content"][0]["text"] == "This drawing is finished."
    assert len(drawings.started) == 3 and drawings.started[-1] == "the last"
    assert drawings.most == 2 == GENERATING["concurrency_limit"] and drawings.finished == 1
    assert not any(record.exc_info for record in caplog.records)

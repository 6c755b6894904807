"""An event belongs to the session that asked for it: nobody else ends it or takes its answer.

Against a real server, with several programs at once.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.server.gate import BAD_SESSION, NO_ANSWER, TAKEN, UNREADABLE

API = "/gradio_api"
LONG = 400  # steps of 0.05 s: work that a test ends


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "log.txt"


@pytest.fixture(scope="module")
def http(log: Path) -> Iterator[httpx.Client]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_TEMP_DIR": str(log.parent)}
    with log.open("wb") as file:
        command = [sys.executable, "-m", "tests.helpers.counting", str(port)]
        server = subprocess.Popen(command, cwd=Path(__file__).parents[3], env=environment, stdout=file, stderr=file)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        for _ in range(1200):
            try:
                client.get("/config")
                break
            except httpx.TransportError:
                assert server.poll() is None, log.read_text()
                time.sleep(0.1)
        yield client
    server.terminate()
    server.wait(30)


def join(http: httpx.Client, session: Any, steps: int = 3) -> httpx.Response:
    return http.post(f"{API}/queue/join", json={"data": [steps], "fn_index": 0, "session_hash": session})


def cancel(http: httpx.Client, session: Any, event: Any) -> httpx.Response:
    return http.post(f"{API}/cancel", json={"session_hash": session, "fn_index": 0, "event_id": event})


def call(http: httpx.Client, steps: int, **more: Any) -> str:
    return str(http.post(f"{API}/call/count", json={"data": [steps], **more}).json()["event_id"])


def made(http: httpx.Client) -> int:
    return int(http.post(f"{API}/run/made", json={"data": []}).json()["data"][0])


def stream(http: httpx.Client, session: str, begun: threading.Event) -> list[dict[str, Any]]:
    """All messages for a session, until its answer is there."""
    messages = []
    with http.stream("GET", f"{API}/queue/data", params={"session_hash": session}) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                messages.append(json.loads(line.removeprefix("data: ")))
                if messages[-1]["msg"] == "process_generating":
                    begun.set()
    return messages


def last(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return next(message for message in messages if message["msg"] == "process_completed")


def test_only_its_own_session_ends_an_event(http: httpx.Client) -> None:
    begun = threading.Event()
    event = join(http, "owner", 30).json()["event_id"]
    other = join(http, "waiting").json()["event_id"]
    with ThreadPoolExecutor() as pool:
        owner = pool.submit(stream, http, "owner", begun)
        assert begun.wait(20)
        answers = [cancel(http, session, event) for session in ("stranger", "waiting", event)]
        answers.append(cancel(http, "owner", other))  # one that waits
        messages = owner.result()
    assert [(answer.status_code, answer.json()) for answer in answers] == [(404, {"error": NO_ANSWER})] * 4
    assert last(messages)["success"] and made(http) == 30
    assert last(stream(http, "waiting", begun))["success"] and made(http) == 3


def test_its_own_session_ends_an_event(http: httpx.Client) -> None:
    begun = threading.Event()
    event = join(http, "owner", LONG).json()["event_id"]
    with ThreadPoolExecutor() as pool:
        owner = pool.submit(stream, http, "owner", begun)
        assert begun.wait(20)
        assert cancel(http, "owner", event).json() == {"success": True}
        assert last(owner.result())["output"] == {}
    assert made(http) < LONG
    assert cancel(http, "owner", event).json() == {"success": True}  # once more, as a page that is late does


def test_a_call_without_a_session_is_ended_by_its_own_name(http: httpx.Client) -> None:
    event = call(http, LONG)
    with ThreadPoolExecutor() as pool, http.stream("GET", f"{API}/call/count/{event}") as answer:
        lines = answer.iter_lines()
        assert "event: generating" in lines
        assert cancel(http, "stranger", event).status_code == 404
        assert cancel(http, event, event).status_code == 200
        pool.submit(list, lines).result(timeout=20)
    assert made(http) < LONG


def test_nobody_else_takes_the_answers_of_a_session_that_listens(http: httpx.Client) -> None:
    begun = threading.Event()
    event = join(http, "owner", 30).json()["event_id"]
    with ThreadPoolExecutor() as pool:
        owner = pool.submit(stream, http, "owner", begun)
        assert begun.wait(20)
        answer = http.get(f"{API}/call/count/{event}")
        messages = owner.result()
    assert (answer.status_code, answer.json()) == (409, {"error": TAKEN})
    assert last(messages)["success"]
    assert len([message for message in messages if message["msg"] == "process_generating"]) >= 30


@pytest.mark.parametrize("more", [{}, {"session_hash": "named"}])
def test_long_work_of_a_call_starts_when_its_event_is_listened_for(http: httpx.Client, more: dict[str, str]) -> None:
    answer = http.get(f"{API}/call/count/{call(http, 3, **more)}", timeout=30)
    assert "event: complete" in answer.text


@pytest.mark.parametrize("session", ["", " ", "a\nb", "a<gradio-sep>b", "x" * 201, "\0"])
def test_a_session_without_a_usable_name_gets_a_sentence(http: httpx.Client, log: Path, session: str) -> None:
    before = log.read_text()
    answers = [join(http, session), cancel(http, session, "0")]
    for path in ("call/count", "run/count", "api/count"):
        answers.append(http.post(f"{API}/{path}", json={"data": [3], "session_hash": session}))
    assert [(answer.status_code, answer.json()) for answer in answers] == [(400, {"error": BAD_SESSION})] * 5
    data = http.get(f"{API}/queue/data", params={"session_hash": session})
    assert data.text == '{"error":"' + UNREADABLE + '"}' if len(session) > 200 else "session_not_found" in data.text
    assert log.read_text() == before


def test_of_two_names_in_an_address_the_last_counts_as_in_gradio(http: httpx.Client, log: Path) -> None:
    before = log.read_text()
    call(http, 1, session_hash="here")
    data = http.get(f"{API}/queue/data?session_hash=here&session_hash=none")
    assert "session_not_found" in data.text
    assert log.read_text() == before


def test_a_body_that_holds_no_session_is_gradios_to_refuse(http: httpx.Client) -> None:
    for content in (b"", b"[]", b"{", b'{"session_hash": 5}', b"[" * 100_000, b"1" * 5000):
        answer = http.post(f"{API}/cancel", content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), content[:20]
        assert answer.json() in ({"error": UNREADABLE}, {"detail": "There was an error parsing the body"}), content[:20]

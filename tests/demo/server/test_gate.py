"""The gate in front of Gradio, with a small server in its place."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from errno import EDQUOT, ENOSPC
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from demo.server import gate
from demo.server.folder import TemporaryFolder
from demo.server.gate import FAULT, FULL, NO_ANSWER, STATUS, UNKNOWN, UNREADABLE
from demo.server.routes import server_options

API = "/gradio_api"


class Page(Starlette):
    """As much of Gradio's server as the gate looks at: one session waits for answers, and one event is under way."""

    def get_blocks(self) -> Any:
        queue = SimpleNamespace(
            pending_messages_per_session={"here": None},
            event_ids_to_events={"running": SimpleNamespace(session_hash="here")},
            pending_event_ids_session={"here": {"answered"}},
        )
        return SimpleNamespace(_queue=queue, upload_file_set=set())


async def answered(request: Request) -> Response:
    """A stand-in for Gradio's answer: the number of bytes, or the fault that the address names."""
    fault = request.query_params.get("fault")
    if fault == "disk":
        raise OSError(ENOSPC, "No space left on device")
    if fault == "quota":
        try:
            raise OSError(EDQUOT, "Disk quota exceeded")
        except OSError as error:
            raise RuntimeError("The file could not be stored.") from error
    if fault == "left":
        raise ClientDisconnect
    if fault == "other":
        raise AttributeError("none of that")
    if fault == "wrong value":
        request.scope[STATUS] = 400
        return PlainTextResponse("a sentence", 500)
    if fault == "late":
        return StreamingResponse(broken(), media_type="text/event-stream")
    return PlainTextResponse(str(len(await request.body())))


async def broken() -> Any:
    yield "data: first\n\n"
    raise HTTPException(404)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TemporaryFolder]:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with TemporaryFolder() as folder:
        yield folder


@pytest.fixture
def client(folder: TemporaryFolder) -> Iterator[TestClient]:
    options = server_options(folder, max_bytes=2**20)
    options.pop("lifespan")
    options["routes"].append(Route("/{path:path}", answered, methods=["GET", "POST", "HEAD"]))
    with TestClient(Page(**options)) as client:
        yield client


def test_what_is_needed_passes(client: TestClient) -> None:
    assert client.get("/config").text == "0"
    assert client.post(f"{API}/queue/join", content=b"x" * 1000).text == "1000"
    assert client.get(f"{API}/queue/data?session_hash=here").text == "0"
    for event in ("running", "answered", "here"):
        assert client.get(f"{API}/call/explain/{event}").text == "0"


@pytest.mark.parametrize("path", ["/monitoring", f"{API}/proxy=a%00b", f"{API}/process_recording", "/x", f"{API}/"])
def test_what_is_not_needed_gets_a_sentence(client: TestClient, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS", "TRACE"):
        answer = client.request(method, path)
        assert (answer.status_code, answer.json()) == (404, {"error": UNKNOWN})


def test_only_files_of_the_folder_are_served(client: TestClient, folder: TemporaryFolder, tmp_path: Path) -> None:
    file = folder.new("drawn.png")
    file.write_bytes(b"x")
    outside = tmp_path / "outside.png"
    outside.write_bytes(b"x")
    (folder.path / "link").symlink_to(outside)
    assert client.get(f"{API}/file={file}").status_code == 200
    refused = [outside, folder.path, folder.path / "link", folder.path / ".." / "other" / "x", "a%00b", "x" * 6000]
    refused += ["http://127.0.0.1/x", "https://example.org/x", f"file://{outside}", "", "%ff", "/etc/passwd"]
    for path in refused:
        answer = client.get(f"{API}/file={path}")
        assert (answer.status_code, answer.json()) == (404, {"error": UNKNOWN}), path


@pytest.mark.parametrize("event", ["0", "zz", "%00", "x" * 250, "running%0a"])
def test_an_answer_that_nobody_asked_for_gets_a_sentence(client: TestClient, event: str) -> None:
    for path in (f"{API}/call/explain/{event}", f"{API}/call/v2/explain/{event}"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()) == (404, {"error": NO_ANSWER})


def test_a_page_whose_answers_nobody_holds_is_told_so_in_its_own_terms(client: TestClient) -> None:
    answer = client.get(f"{API}/queue/data?session_hash=zz")
    assert answer.headers["content-type"].startswith("text/event-stream")
    message = json.loads(answer.text.removeprefix("data: "))
    assert (message["msg"], message["session_not_found"], message["message"]) == ("unexpected_error", True, NO_ANSWER)


@pytest.mark.parametrize("name", ["host", "x-forwarded-host"])
@pytest.mark.parametrize("value", [b"[", b"[::1", b"a b\x7f", b"\xff[", b"x:a"])
def test_a_host_of_which_no_address_can_be_made_is_told(client: TestClient, name: str, value: bytes) -> None:
    answer = client.post(f"{API}/queue/join", headers={name.encode(): value})
    assert (answer.status_code, answer.json()) == (400, {"error": UNREADABLE})


def test_usual_hosts_pass(client: TestClient) -> None:
    for headers in (
        {"host": "127.0.0.1:7860"},
        {"host": "[::1]:7860"},
        {"x-forwarded-host": "example.org, proxy.example.org"},
        {"x-gradio-server": "http://127.0.0.1:7861/seps"},
    ):
        assert client.get("/config", headers=headers).status_code == 200, headers


def test_a_name_that_no_file_can_have_is_not_looked_for(client: TestClient) -> None:
    for path in ("/static/" + "x" * 5000, "/assets/a/" + "%C3%A4" * 200 + "/b", f"{API}/call/" + "x" * 300 + "/0"):
        assert client.get(path).status_code == 404
    assert client.get("/static/" + "x" * 255).status_code == 200  # it is Gradio's to say


def test_names_and_bodies_are_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for query in ("session_hash=" + "x" * 201, "upload_id=" + "x" * 201, "a=1&session_hash=" + "%41" * 201):
        answer = client.get(f"{API}/upload_progress?{query}")
        assert (answer.status_code, answer.json()) == (400, {"error": UNREADABLE})
    monkeypatch.setattr(gate, "MAX_BYTES", 2**20)
    for content in (b"x" * (2**20 + 1), iter([b"x" * 2**19] * 3)):  # the second has no length
        answer = client.post(f"{API}/run/explain", content=content)
        assert answer.status_code == 413
        assert "more than 1 MB" in answer.text
    assert client.post(f"{API}/run/explain", content=iter([b"x" * 2**19] * 2)).text == str(2**20)


@pytest.mark.parametrize(
    ("fault", "status", "sentence"),
    [("disk", 507, FULL), ("quota", 507, FULL), ("other", 500, FAULT)],
)
def test_a_fault_becomes_a_sentence(
    client: TestClient, caplog: pytest.LogCaptureFixture, fault: str, status: int, sentence: str
) -> None:
    answer = client.get("/config", params={"fault": fault})
    assert (answer.status_code, answer.json()) == (status, {"error": sentence})
    assert len(caplog.records) == 1
    assert (caplog.records[0].exc_info is not None) == (fault == "other")  # a full disk is no fault of the code


def test_the_status_of_a_wrong_value_is_not_that_of_a_fault(client: TestClient) -> None:
    answer = client.get("/config", params={"fault": "wrong value"})
    assert (answer.status_code, answer.text) == (400, "a sentence")


def test_who_leaves_or_loses_an_answer_leaves_no_traceback(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert client.get("/config", params={"fault": "late"}).text == "data: first\n\n"
    assert [record.exc_info for record in caplog.records if record.name == "demo.server.gate"] == [None]
    caplog.clear()
    with pytest.raises(AssertionError):  # the client of the tests misses an answer
        client.get("/config", params={"fault": "left"})
    assert [record for record in caplog.records if record.name == "demo.server.gate"] == []


@pytest.mark.parametrize("query", ["", "?upload_id=u1"])
@pytest.mark.parametrize(
    "head", [b'name="files"', b"name=\"files\"; filename*=utf-8''%ff%00.png", b"", b'filename="a"']
)
def test_an_upload_that_is_no_file_is_told(
    client: TestClient, folder: TemporaryFolder, head: bytes, query: str
) -> None:
    content = b"--x\r\nContent-Disposition: form-data; " + head + b"\r\n\r\nhi\r\n--x--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = client.post(f"{API}/upload{query}", content=content, headers=kind)
    assert answer.status_code in (200, 400), answer.text
    assert answer.status_code == 400 or answer.json() == []
    assert [path for path in folder.path.rglob("*") if path.is_file()] == []


def test_an_upload_to_a_full_disk_is_told_and_leaves_nothing(
    client: TestClient, folder: TemporaryFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    files = {"files": ("photo.png", b"x" * 2**16)}
    path = Path(client.post(f"{API}/upload", files=files).json()[0])
    assert path.is_file()
    before = sorted(folder.path.rglob("*"))

    def full(*_: Any, **__: Any) -> Any:
        raise OSError(ENOSPC, "No space left on device")

    for name in ("os.rename", "gradio.route_utils.NamedTemporaryFile", "tempfile.mkdtemp"):
        with monkeypatch.context() as patch:
            patch.setattr(name, full)
            patch.setattr("shutil.move", full)
            answer = client.post(f"{API}/upload", files=files)
        assert (answer.status_code, answer.json()) == (507, {"error": FULL}), name
        assert sorted(folder.path.rglob("*")) == before
    assert [record.exc_info for record in caplog.records] == [None] * 3
    assert client.post(f"{API}/upload", files=files).status_code == 200

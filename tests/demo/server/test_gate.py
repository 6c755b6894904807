import gc
import json
import logging
import socket
import time
from collections.abc import Iterator
from errno import EDQUOT, ENOSPC
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import httpx
import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from demo.server import gate
from demo.server.addresses import MCP
from demo.server.files.folder import TemporaryFolder
from demo.server.gate import BAD_SESSION, FAULT, FULL, NO_ANSWER, STATUS, TAKEN, UNKNOWN, UNREADABLE
from demo.server.guard import GuardedBlocks
from demo.server.launching import launch
from demo.server.routes import server_options
from tests.helpers.web.awaited import awaited

pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

API = "/gradio_api"
LONG = 400  # steps of 0.05 s: work that a test ends


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
    for name, value in (
        ("host", "127.0.0.1:7860"),
        ("host", "[::1]:7860"),
        ("x-forwarded-host", "example.org, proxy.example.org"),
        ("x-gradio-server", "http://127.0.0.1:7861/seps"),
    ):
        assert client.get("/config", headers={name: value}).status_code == 200, value


REFUSED: list[tuple[str, str, dict[bytes, bytes], int, str]] = [
    *[
        (method, path, {}, 404, UNKNOWN)
        for method in ("GET", "POST", "OPTIONS", "TRACE")
        for path in ("/monitoring", f"{API}/proxy=a%00b", f"{API}/process_recording", "/x", f"{API}/", MCP)
    ],
    *[
        ("GET", f"{API}/call/{version}explain/{event}", {}, 404, NO_ANSWER)
        for version in ("", "v2/")
        for event in ("0", "zz", "%00", "x" * 250, "running%0a")
    ],
    *[  # names that no file can have, and Gradio's links
        ("GET", path, {}, 404, UNKNOWN)
        for path in (f"{API}/file=/a/" + "x" * 5000, f"{API}/scripts/" + "%C3%A4" * 200 + "/b", "/?a=1&deep_link=zzz")
    ],
    *[
        ("POST", f"{API}/queue/join", {name: value}, 400, UNREADABLE)
        for name in (b"host", b"x-forwarded-host")
        for value in (b"[", b"[::1", b"a b\x7f", b"\xff[", b"x:a")  # of which no address can be made
    ],
    *[
        ("GET", f"{API}/queue/data?{query}", {}, 400, UNREADABLE)
        for query in ("session_hash=" + "x" * 201, "a=1&session_hash=" + "%41" * 201)
    ],
]


def test_only_its_own_session_ends_an_event(client: TestClient) -> None:
    for session in ("stranger", "running"):
        for event in ("running", "answered"):
            answer = cancel(client, session, event)
            assert (answer.status_code, answer.json()) == (404, {"error": NO_ANSWER})
    for session, event in (("here", "running"), ("stranger", "gone")):
        assert cancel(client, session, event).status_code == 200


def test_what_is_not_needed_or_not_readable_gets_a_sentence(client: TestClient) -> None:
    for method, path, headers, status, sentence in REFUSED:
        answer = client.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()) == (status, {"error": sentence}), (method, path, headers)


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


def test_a_page_whose_answers_nobody_holds_is_told_so_in_its_own_terms(client: TestClient) -> None:
    answer = client.get(f"{API}/queue/data?session_hash=zz")
    assert answer.headers["content-type"].startswith("text/event-stream")
    message = json.loads(answer.text.removeprefix("data: "))
    assert (message["msg"], message["session_not_found"], message["message"]) == ("unexpected_error", True, NO_ANSWER)


def test_bodies_are_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "MAX_BYTES", 2**20)
    for content in (b"x" * (2**20 + 1), iter([b"x" * 2**19] * 3)):  # the second has no length
        answer = client.post(f"{API}/run/explain", content=content)
        assert answer.status_code == 413
        assert "more than 1 MB" in answer.text
    assert client.post(f"{API}/run/explain", content=iter([b"x" * 2**19] * 2)).text == str(2**20)


@pytest.mark.parametrize(
    ("fault", "status", "sentence"), [("disk", 507, FULL), ("quota", 507, FULL), ("other", 500, FAULT)]
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


def test_an_upload_that_is_no_file_is_told(client: TestClient, folder: TemporaryFolder) -> None:
    for head in (b'name="files"', b"name=\"files\"; filename*=utf-8''%ff%00.png", b"", b'filename="a"'):
        content = b"--x\r\nContent-Disposition: form-data; " + head + b"\r\n\r\nhi\r\n--x--\r\n"
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        answer = client.post(f"{API}/upload", content=content, headers=kind)
        assert answer.status_code == 400, (head, answer.text)
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


steps_made = {"last": 0}


def count(steps: float) -> Iterator[int]:
    """Count slowly, as a picture is generated."""
    for step in range(int(steps)):
        steps_made["last"] = step + 1
        time.sleep(0.05)
        yield step


async def launched(folder: TemporaryFolder, port: int) -> GuardedBlocks:
    """A page with one long event, served as the app is; where no loop runs, Gradio would leave some open."""
    with GuardedBlocks() as page:
        number = gr.Number(label="Steps")
        gr.Button().click(count, number, number, api_name="count", concurrency_id="generate")
    options = server_options(folder, 1000)
    launch(page, "127.0.0.1", port, app_kwargs=options, prevent_thread_lock=True, quiet=True)
    return page


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(tmp_path_factory.mktemp("files")))
        with TemporaryFolder() as folder:
            page = awaited(launched(folder, port))
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                yield client
            page.close(verbose=False)
    del page
    gc.collect()  # what Gradio leaves open is closed while its warnings are ignored


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[list[logging.LogRecord]]:
    """What the app and its server log."""
    server = logging.getLogger("uvicorn.error")
    server.addHandler(caplog.handler)
    yield caplog.records
    server.removeHandler(caplog.handler)


def join(http: httpx.Client, session: Any, steps: int = 3) -> httpx.Response:
    return http.post(f"{API}/queue/join", json={"data": [steps], "fn_index": 0, "session_hash": session})


def cancel(http: Any, session: Any, event: Any) -> Any:
    return http.post(f"{API}/cancel", json={"session_hash": session, "fn_index": 0, "event_id": event})


def call(http: httpx.Client, steps: int, **more: Any) -> str:
    return str(http.post(f"{API}/call/count", json={"data": [steps], **more}).json()["event_id"])


def test_a_call_without_a_session_is_ended_by_its_own_name(http: httpx.Client) -> None:
    event = call(http, LONG)
    with http.stream("GET", f"{API}/call/count/{event}") as answer:
        lines = answer.iter_lines()
        assert "event: generating" in lines
        assert cancel(http, "stranger", event).status_code == 404
        assert cancel(http, event, event).json() == {"success": True}
        list(lines)  # until it has ended
    assert steps_made["last"] < LONG
    assert cancel(http, event, event).json() == {"success": True}  # once more, as a page that is late does


def test_nobody_else_takes_the_answers_of_a_session_that_listens(http: httpx.Client) -> None:
    event = join(http, "owner", 15).json()["event_id"]
    with http.stream("GET", f"{API}/queue/data", params={"session_hash": "owner"}) as stream:
        parts = (line.partition("data: ")[2] for line in stream.iter_lines())
        messages = (json.loads(part) for part in parts if part)
        assert any(message["msg"] == "process_generating" for message in messages)
        answer = http.get(f"{API}/call/count/{event}")
        *others, last = (message for message in messages if message["msg"] != "close_stream")
    assert (answer.status_code, answer.json()) == (409, {"error": TAKEN})
    assert (last["msg"], last["success"]) == ("process_completed", True)
    assert sum(message["msg"] == "process_generating" for message in others) >= 14


@pytest.mark.parametrize("more", [{}, {"session_hash": "named"}])
def test_long_work_of_a_call_starts_when_its_event_is_listened_for(http: httpx.Client, more: dict[str, str]) -> None:
    answer = http.get(f"{API}/call/count/{call(http, 3, **more)}", timeout=30)
    assert "event: complete" in answer.text


def test_a_session_without_a_usable_name_gets_a_sentence(
    http: httpx.Client, log: list[logging.LogRecord], capsys: pytest.CaptureFixture[str]
) -> None:
    for session in ("", " ", "a\nb", "a<gradio-sep>b", "x" * 201, "\0"):
        answers = [join(http, session), cancel(http, session, "0")]
        for path in ("call/count", "run/count", "api/count"):
            answers.append(http.post(f"{API}/{path}", json={"data": [3], "session_hash": session}))
        assert [(answer.status_code, answer.json()) for answer in answers] == [(400, {"error": BAD_SESSION})] * 5
        data = http.get(f"{API}/queue/data", params={"session_hash": session})
        assert data.text == '{"error":"' + UNREADABLE + '"}' if len(session) > 200 else "session_not_found" in data.text
    call(http, 1, session_hash="here")  # of two names in an address, the last counts, as in Gradio
    data = http.get(f"{API}/queue/data?session_hash=here&session_hash=none")
    assert "session_not_found" in data.text
    assert log == [] and capsys.readouterr().err == ""

"""Malformed calls against the running app: every one ends in a sentence, and nothing outside the uploads is touched."""

import json
import random
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from demo.server.files.uploads import NOT_THERE
from tests.helpers.pictures.clips import BLUE, RED, write_clip

# How many values an endpoint needs, and how many there are.
VALUES = {"rank_images": (1, 3), "rank_captions": (0, 4), "explain": (3, 7)}
VALUES |= {"compare": (3, 3), "why": (4, 5), "picture": (3, 8)}
PEOPLE = 5
CAPTIONS = ["", " ", "\0", "\ud800", "a \udfff cat", "🐈" * 50, "x" * 2001, "猫が座っている"]
CAPTIONS += ["\n\n", "%s{0}${x}", "'; drop"]


@pytest.fixture(scope="module")
def http(page_address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=page_address, timeout=300) as client:
        yield client


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image outside the uploads, with a text in it that no answer may hold."""
    folder = tmp_path_factory.mktemp("outside")
    Image.new("RGB", (8, 8), (1, 2, 3)).save(folder / "canary.png", pnginfo=None)
    with (folder / "canary.png").open("ab") as file:
        file.write(b"the canary sings")
    return folder / "canary.png"


def png(width: int, height: int) -> bytes:
    stream = BytesIO()
    Image.new("RGB", (width, height), (90, 120, 60)).save(stream, "PNG")
    return stream.getvalue()


def body(value: Any) -> dict[str, Any]:
    """A body as a program sends it, lone surrogates escaped."""
    return {"content": json.dumps(value).encode("ascii"), "headers": {"Content-Type": "application/json"}}


def call(http: httpx.Client, endpoint: str, data: Any, **more: Any) -> tuple[bool, str]:
    """Whether a call was answered, and what it was told."""
    sent = http.post(f"/gradio_api/call/{endpoint}", **body({"data": data, **more}))
    if sent.status_code != 200:
        assert sent.status_code < 500, sent.text
        return False, sent.text
    answer = http.get(f"/gradio_api/call/{endpoint}/{sent.json()['event_id']}").text
    event, _, content = answer.strip().split("\n\n")[-1].partition("\ndata: ")  # heartbeats stand before it
    return event.endswith("complete"), content.strip()


def refusal(http: httpx.Client, endpoint: str, data: Any) -> str:
    """The sentence with which a call is refused."""
    answered, content = call(http, endpoint, data)
    assert not answered, (endpoint, data)
    sentence = json.loads(content)["error"]
    assert isinstance(sentence, str), (endpoint, data)
    assert re.search(r"[.)]$", sentence), sentence
    assert "Traceback" not in sentence
    return sentence


def folder_of(http: httpx.Client) -> Path:
    return uploaded(http, png(4, 4)).parents[3]


def uploaded(http: httpx.Client, content: bytes, name: str = "photo.png") -> Path:
    """Upload a file; its path."""
    answer = http.post("/gradio_api/upload", files={"files": (name, content)})
    assert answer.status_code == 200, answer.text
    return Path(answer.json()[0])


def test_no_event_that_takes_files_can_either(http: httpx.Client, canary: Path) -> None:
    before, folder = canary.read_bytes(), folder_of(http)
    config = http.get("/config").json()
    kinds = {component["id"]: component["type"] for component in config["components"]}
    events = [event for event in config["dependencies"] if {"image", "file"} & {kinds[i] for i in event["inputs"]}]
    assert len(events) >= 5  # four endpoints for programs, and the photos of a person
    for event in events:
        for value in ({"path": str(canary)}, {"path": f"file://{canary}", "meta": {"_type": "gradio.FileData"}}):
            files = {"file": [value], "image": value}
            data = [files.get(kinds[i]) for i in event["inputs"]]
            answer = queued(http, event["id"], data, f"attack{event['id']}")
            assert answer["output"]["error"] == NOT_THERE, event["api_name"]
            assert "canary" not in answer["text"]
    assert canary.read_bytes() == before
    assert folder.is_dir()


def test_nothing_is_fetched_from_an_address(http: httpx.Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/photo.png"
        marked = {"path": address, "url": address, "meta": {"_type": "gradio.FileData"}}
        assert refusal(http, "explain", [marked, "", "a cat", ""]) == NOT_THERE
        assert "text is needed" in refusal(http, "explain", [None, marked, "a cat", ""])
        assert "text is needed" in refusal(http, "rank_images", [marked, "", "examples"])
        assert http.get(f"/gradio_api/file={address}").status_code == 404
        with pytest.raises(BlockingIOError):
            server.accept()  # no connection waits


@pytest.mark.parametrize("endpoint", VALUES)
def test_wrong_values_and_missing_ones_get_a_sentence(http: httpx.Client, endpoint: str) -> None:
    required, count = VALUES[endpoint]
    draw = random.Random(endpoint)
    wrong: list[Any] = [3, 1.5, True, [], {}, ["a"], {"a": 1}, "\ud800", {"path": "x"}, 10**30]
    usual = [None, "examples/cat", "examples", "a cat"]
    for _ in range(8):
        data = [draw.choice(usual) for _ in range(count)]
        data[draw.randrange(1, count)] = draw.choice(wrong)
        refusal(http, endpoint, data)
    for number in (*range(required), count + 1, 50):
        data = ["x"] * number
        assert "values are needed" in refusal(http, endpoint, data)


def test_captions_of_every_kind_are_read_or_refused(http: httpx.Client) -> None:
    draw = random.Random(0)
    letters = "aé猫🐈\u200f\u0301 \t\n\0<&\"'%{}\\\ud83d\u2028[]##" + "abcdefgh "
    captions = CAPTIONS + ["".join(draw.choice(letters) for _ in range(draw.randrange(1, 120))) for _ in range(15)]
    answered = 0
    for caption in captions:
        good, content = call(http, "rank_images", [caption, "", "examples"])
        answered += good
        scores = [row["score"] for row in json.loads(content)[0]["ranking"]] if good else []
        assert all(-10 < score < 10 for score in scores)
        assert good or isinstance(json.loads(content)["error"], str)
    assert 5 < answered < len(captions)


def test_unknown_names_and_unreadable_bodies_get_a_sentence(http: httpx.Client) -> None:
    for method, path, content in (
        ("POST", "/gradio_api/call/moon", b'{"data": []}'),
        ("POST", "/gradio_api/call/v2/moon", b"{}"),
        ("POST", "/gradio_api/call/v2/explain", b'{"moon": 3}'),
        ("POST", "/gradio_api/call/explain", b"[" * 100_000),
        ("POST", "/gradio_api/call/explain", b'{"data": 3}'),
        ("POST", "/gradio_api/call/explain", b"\xff\xfe"),
        ("POST", "/gradio_api/run/moon", b'{"data": []}'),
        ("POST", "/gradio_api/queue/join", b'{"data": [], "fn_index": 10000, "session_hash": "x"}'),
        ("POST", "/gradio_api/upload", b"no form"),
        ("GET", "/gradio_api/file=/etc/passwd", b""),
        ("GET", "/gradio_api/deep_link?session_hash=x", b""),
    ):
        answer = http.request(method, path, content=content, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500, (path, answer.status_code)
        assert len(answer.text) > 20
        assert "Traceback" not in answer.text
    assert "nested more than 100 levels" in refusal(http, "edit_scene", ["scenes/0", "[" * 100_000, "a cat"])


HOSTILE: list[Any] = [None, {}, [], "x", 10**400, -1, 0.5, 10**30, True, "\ud800", "<img src=x>", "../../etc/passwd"]
HOSTILE += [["a"], {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}, "[" * 1000, "x" * 3000]


def test_events_of_the_page_that_are_told_anything_answer_with_a_sentence(http: httpx.Client) -> None:
    calls = calls_of(http)
    assert len(calls) > 20
    draw = random.Random(0)
    usual = {"gallery": "examples", "index": 0, "caption": "a cat", "captions": "a cat\na dog", "prompt": "a cat"}
    for name, each in calls.items():
        if name in ("start", "measure", "degrade", "several"):  # measured for long where the values are right
            continue
        for number in range(2):
            values = [None if value == "session" else usual.get(value) for value in each["names"]]
            wrong = draw.randrange(len(values)) if values else 0
            for place in (wrong, *([draw.randrange(len(values))] if values and number % 2 else ())):
                values[place : place + 1] = [draw.choice(HOSTILE)] if values else []
            if name in ("generate", "claims") and values[0] in (None, "", "x"):
                continue  # right, and drawn or measured for long
            answer = queued(http, each["id"], values, "hostile")
            if not answer["success"]:
                sentence = answer["output"]["error"]
                assert re.search(r"[.)]$", sentence), (name, values, sentence)
                assert "The app failed" not in sentence, (name, values)
            assert "Traceback" not in answer["text"] and "root:" not in answer["text"]


def test_markup_in_captions_and_names_comes_back_as_text(http: httpx.Client) -> None:
    markup = "<img src=x onerror=alert(1)>"
    answer = ask(http, "explain", gallery="examples", index=0, caption=markup)
    assert answer["success"] and answer["output"]["data"][0]["caption"] == markup
    path = uploaded(http, png(40, 30), f"{markup}.png")
    photos = [{"path": str(path), "meta": {"_type": "gradio.FileData"}}]
    facts = ask(http, "photos", "markup", photos=photos)["output"]["data"][0]
    assert "/" not in facts["items"][0]["title"] and facts["total"] == 1
    page = http.get("/", params={"caption": markup})
    assert markup not in page.text


def test_photos_of_a_person_reach_nobody_else(http: httpx.Client) -> None:
    path = uploaded(http, png(48, 36), "private.png")
    photos = [{"path": str(path), "meta": {"_type": "gradio.FileData"}}]
    assert ask(http, "photos", "owner", photos=photos)["success"]
    values: dict[str, Any] = {"gallery": "uploads", "index": 0, "caption": "a wall", "prompt": "a wall"}
    values["layer"] = "mask"
    for name in ("explain", "rank", "captions", "judge", "lesson", "recaption", "gallery"):
        stranger = ask(http, name, "stranger", **values)
        assert not stranger["success"] and "private" not in stranger["text"], name
        assert "private" not in ask(http, name, "", **values)["text"], name
    assert ask(http, "explain", "owner", **values)["success"]
    with httpx.Client(base_url=http.base_url) as other:
        assert other.get(f"/gradio_api/file={path}").status_code == 404


def test_malformed_uploads_are_refused_and_good_ones_go_on(http: httpx.Client) -> None:
    for content in (b"", b"GIF89a", b"<svg xmlns='http://www.w3.org/2000/svg'/>", png(60, 40)[:20]):
        path = uploaded(http, content, "ph\u00f6to.png")
        assert str(path.parent) not in refusal(http, "compare", [{"path": str(path)}, "", "a cat\na dog"])
    assert call(http, "compare", [{"path": str(uploaded(http, png(60, 40)))}, "", "a cat"])[0]


def test_people_upload_the_same_photo_at_once_and_use_it_twice(page_address: str) -> None:
    content = png(80, 60)

    def use(_: int) -> list[float]:
        with httpx.Client(base_url=page_address, timeout=300) as http:
            path = uploaded(http, content)
            calls = [call(http, "compare", [{"path": str(path)}, "", "a green wall"]) for _ in range(2)]
            assert all(answered for answered, _ in calls), calls
            return [json.loads(content)[0]["scores"][0] for _, content in calls]

    with ThreadPoolExecutor(PEOPLE) as pool:
        scores = [score for both in pool.map(use, range(PEOPLE)) for score in both]
    assert scores == pytest.approx([scores[0]] * 2 * PEOPLE, abs=1e-5)


def calls_of(http: httpx.Client) -> dict[str, Any]:
    """How each endpoint of the page is called: its event's number, and the names of its values."""
    answer = http.post("/gradio_api/run/page_start", **body({"data": [], "session_hash": "calls"}))
    calls: dict[str, Any] = answer.json()["data"][0]["calls"]
    return calls


def queued(http: httpx.Client, number: int, data: list[Any], session: str) -> dict[str, Any]:
    """The last answer of an event, as a page joins the queue for it, and under `text` all that came."""
    sent = {"data": data, "fn_index": number, "session_hash": session}
    joined = http.post("/gradio_api/queue/join", **body(sent))
    if joined.status_code != 200:
        assert joined.status_code < 500, joined.text
        return {"success": False, "output": joined.json(), "text": joined.text}
    lines = http.get("/gradio_api/queue/data", params={"session_hash": session}).text.splitlines()
    messages = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    return next(entry for entry in messages if entry["msg"] == "process_completed") | {"text": "\n".join(lines)}


def ask(http: httpx.Client, name: str, session: str = "someone", **values: Any) -> dict[str, Any]:
    """The answer of an endpoint of the page to named values, see `queued`."""
    call_of = calls_of(http)[name]
    return queued(http, call_of["id"], [values.get(each) for each in call_of["names"]], session)


def test_malformed_videos_are_read_or_refused_and_their_files_go(http: httpx.Client, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", [(RED, 2), (BLUE, 1)]).read_bytes()
    playlist = b"#EXTM3U\n#EXTINF:5,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n"
    videos = {"empty.mp4": b"", "list.mp4": playlist, "photo.mp4": png(8, 8), "cut.mp4": clip[: len(clip) // 2]}
    outcomes = set()
    for number, (name, content) in enumerate((videos | {"\u202egpm.exe": clip}).items()):
        sent = http.post("/gradio_api/upload?video", files={"files": (name, content)})
        assert sent.status_code == 200, sent.text
        path = Path(sent.json()[0])
        answer = ask(http, "video", f"video{number}", file=str(path))
        problem = "" if answer["success"] else answer["output"]["error"]
        assert "The app failed" not in problem and "Traceback" not in problem, (name, problem)
        assert str(path.parent) not in answer["text"]
        assert not path.exists()
        outcomes.add(bool(problem))
    assert outcomes == {True, False}


def test_no_event_reads_or_deletes_a_file_that_is_no_upload(http: httpx.Client, canary: Path) -> None:
    before = canary.read_bytes()
    for path in (str(canary), f"{folder_of(http)}/../{canary.name}", "/etc/hostname", str(folder_of(http)), ""):
        answer = ask(http, "video", "canary", file=path)
        assert NOT_THERE in answer["text"], answer["text"]
    assert canary.read_bytes() == before


def test_frames_of_no_camera_get_a_sentence(http: httpx.Client) -> None:
    for frame in ("", "%%%", "AAAA", "A" * 399_996):
        answer = ask(http, "look", "lens", gallery="examples", caption="a cat", frame=frame)
        problem = answer["output"]["error"] if "error" in answer["output"] else answer["output"]["data"][0]["problem"]
        assert re.search(r"[.)]$", problem), frame[:10]
    answer = ask(http, "look", "lens", gallery="examples", caption="a cat", frame="A" * 400_004)
    assert "At most 400,000 are read" in answer["output"]["error"]

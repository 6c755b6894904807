import json
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from demo.page import actions
from demo.page.html import picture_address
from demo.page.table import PREFIX
from demo.page.values import network_at
from demo.server.files.uploads import NOT_THERE
from demo.service.explaining import explain_pair
from demo.service.masks import mask_text
from demo.service.models.personal import index_uploads
from demo.service.retrieval import RetrievalService
from demo.views.losses.page import advice_rows
from tests.helpers.web.page_calls import ask

CAPTION = "a tabby cat with green eyes"


def test_the_page_is_served_with_the_rule_of_frames(client: TestClient) -> None:
    answer = client.get("/")
    assert "explorer.js" in answer.text and answer.headers["content-security-policy"] == "frame-ancestors 'self'"


def test_a_ranking_and_an_explanation_agree(client: TestClient) -> None:
    _, ranking = ask(client, "rank", gallery="examples", index=0, caption=CAPTION)
    best = ranking["best"]
    _, value = ask(client, "explain", gallery="examples", index=best, caption=CAPTION)
    assert value["photo"]["title"] == "cat"
    assert value["similarity"] == pytest.approx(ranking["ranking"]["lists"][0]["items"][0]["score"], abs=1e-5)
    assert value["photo"]["src"] == picture_address("examples", "photo", best)


def test_a_ratio_keeps_as_many_and_scores_as_the_network_of_that_ratio(
    client: TestClient, service: RetrievalService
) -> None:
    indexed, ratio = service.galleries["examples"], 0.2
    _, ranking = ask(client, "rank", gallery="examples", index=0, caption=CAPTION, ratio=ratio)
    index = ranking["best"]
    encoded = service.encode_caption(CAPTION)
    exact = explain_pair(service.model, indexed.patches(index), encoded, network_at(service, ratio))
    own = service.explain(indexed, index, CAPTION)
    assert (exact.sparse.kept == (own.sparse.rank < np.ceil(ratio * own.sparse.rank.size))).all()
    _, value = ask(
        client, "explain", gallery="examples", index=index, caption=CAPTION, mask=mask_text(exact.sparse.kept)
    )
    assert value["similarity"] == pytest.approx(exact.similarity, abs=1e-5)
    assert ranking["ranking"]["lists"][0]["items"][0]["score"] == pytest.approx(exact.similarity, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("explain", {"gallery": "examples", "index": 0, "caption": ""}, "The caption is empty"),
        ("explain", {"gallery": "examples", "index": 99, "caption": "a cat"}, "The position is 99. Choose one from 0"),
        ("explain", {"gallery": "/etc", "index": 0, "caption": "a cat"}, "There is no gallery '/etc'"),
        ("rank", {"gallery": "examples", "index": 0, "caption": "a cat", "ratio": 2}, "ratio is 2"),
        ("compare", {"gallery": "examples", "index": 0, "captions": "a cat"}, "There are 1 caption. Write 2 to 6"),
        ("look", {"gallery": "examples", "caption": "a cat", "frame": "?"}, "not a picture in base64"),
        ("look", {"gallery": "examples", "caption": "a cat", "frame": "AAAA"}, "is no photo that can be read"),
        ("look", {"gallery": "examples", "caption": "a cat", "frame": "A" * 400_001}, "At most 400,000 are read"),
    ],
)
def test_a_wrong_value_gets_a_sentence(client: TestClient, name: str, values: dict[str, Any], says: str) -> None:
    status, problem = ask(client, name, **values)
    assert status == 400 and says in problem and "Traceback" not in problem


def test_no_file_of_the_server_is_read(client: TestClient, tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"secret")
    photos = [{"path": str(secret), "meta": {"_type": "gradio.FileData"}}]
    body = {"data": [None, photos], "session_hash": "someone"}
    answer = client.post(f"/gradio_api/run/{PREFIX}photos", json=body)
    assert answer.status_code == 400 and answer.json()["error"] == NOT_THERE
    body = {"data": [None, str(secret)], "session_hash": "someone"}
    answer = client.post(f"/gradio_api/run/{PREFIX}video", json=body)
    assert answer.status_code == 400 and answer.json()["error"] == NOT_THERE and secret.exists()


def test_a_session_sees_its_own_photos_and_no_others(client: TestClient) -> None:
    content = client.get(f"/{picture_address('examples', 'photo', 2)}").content
    path = client.post("/gradio_api/upload", files={"files": ("mine.jpg", content)}).json()[0]
    photos = [{"path": path, "meta": {"_type": "gradio.FileData"}}]
    answer = client.post(f"/gradio_api/run/{PREFIX}photos", json={"data": [None, photos], "session_hash": "owner"})
    facts = answer.json()["data"][0]
    assert facts["name"] == "uploads" and facts["items"][0]["thumb"].startswith("data:image/jpeg")
    values = {"gallery": "uploads", "index": 0, "caption": CAPTION}
    status, value = ask(client, "explain", "owner", **values)
    assert status == 200 and value["photo"]["src"].startswith("data:")
    assert ask(client, "explain", "another", **values)[0] == 400
    assert client.get("/gradio_api/pictures/uploads/photo/0").status_code == 404
    assert client.get(f"/gradio_api/file={path}").status_code == 404


def test_pictures_that_are_sent_at_the_same_time_are_all_kept(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = client.get(f"/{picture_address('examples', 'photo', 2)}").content
    path = client.post("/gradio_api/upload", files={"files": ("mine.jpg", content)}).json()[0]
    photos = [{"path": path, "meta": {"_type": "gradio.FileData"}}]
    is_started, is_frozen = Event(), Event()

    def index_slowly(*values: Any) -> Any:
        is_started.set()
        assert is_frozen.wait(60)
        return index_uploads(*values)

    monkeypatch.setattr(actions, "index_uploads", index_slowly)
    with ThreadPoolExecutor(1) as pool:
        body = {"data": [None, photos], "session_hash": "both"}
        sent = pool.submit(client.post, f"/gradio_api/run/{PREFIX}photos", json=body)
        assert is_started.wait(60)
        assert ask(client, "freeze", "both", frame=b64encode(content).decode())[0] == 200
        is_frozen.set()
        assert sent.result().status_code == 200
    for gallery in ("camera", "uploads"):
        assert ask(client, "explain", "both", gallery=gallery, index=0, caption=CAPTION)[0] == 200, gallery


def test_other_pictures_are_not_found(client: TestClient) -> None:
    for path in ("examples/photo/99", "examples/huge/0", "none/photo/0", "examples/photo/x", "../x"):
        assert client.get(f"/gradio_api/pictures/{path}").status_code == 404, path


def test_answers_are_chinese_where_the_page_is(client: TestClient) -> None:
    body = {"data": [None, "examples", 99, "a cat"], "session_hash": "someone"}
    answer = client.post(f"/gradio_api/run/{PREFIX}explain?lang=zh", json=body)
    assert "位置" in json.loads(answer.text)["error"]


def test_the_guide_has_all_advice_and_the_tasks(client: TestClient) -> None:
    _, guide = ask(client, "guide")
    assert all(row[0] in guide["html"] for row in advice_rows())
    assert guide["tasks"].startswith("## ") and "L_ratio" in guide["tasks"]


def test_a_model_that_does_not_ship_and_a_missing_position_get_a_sentence(client: TestClient) -> None:
    for name in ("judge", "several", "degrade", "recaption"):
        status, problem = ask(client, name, gallery="examples", index=0, prompt="a cat")
        assert status == 400 and "ships with this copy of the app" in problem, name
    status, problem = ask(client, "judge", gallery="examples", prompt="a cat")
    assert status == 400 and problem.startswith("The position is missing. Choose one from 0")

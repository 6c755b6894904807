"""The actions by name, as a program calls them, and many people at once."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gradio_client import Client, handle_file  # type: ignore[import-untyped]
from gradio_client.exceptions import AppError  # type: ignore[import-untyped]
from PIL import Image

from demo.service.generating.service import generator_ships
from demo.service.judging import judge_ships
from demo.service.retrieval import RetrievalService
from seps.models.hub import shipped_models

# They leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

CAPTION = "a motorcycle parked indoors"
PEOPLE = 20


@pytest.fixture(scope="module")
def client(page_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    client = Client(page_address, verbose=False, download_files=str(tmp_path_factory.mktemp("downloads")))
    yield client
    client.close()


def test_every_action_has_a_documented_name(client: Any) -> None:
    endpoints = client.view_api(return_format="dict")["named_endpoints"]
    expected = {"/galleries", "/rank_images", "/rank_captions", "/explain", "/compare", "/picture", "/why"}
    expected |= {"/edit_scene"} if "scenes" in shipped_models() else set()
    expected |= {"/judge"} if judge_ships() else set()
    expected |= {"/generate", "/caption_image"} if generator_ships() else set()
    assert set(endpoints) == expected
    for endpoint in endpoints.values():
        assert len(endpoint["description"]) > 20


@pytest.mark.journey
def test_ranking_explaining_and_comparing(client: Any, service: RetrievalService) -> None:
    indexed = service.find("examples")
    listed = client.predict(api_name="/galleries")["examples"]
    assert [item["title"] for item in listed] == [item.title for item in indexed.gallery.items]
    ranking = service.rank_images(indexed, CAPTION)
    answer = client.predict(CAPTION, "", "examples", api_name="/rank_images")
    assert [row["item"] for row in answer["ranking"]] == [
        f"examples/{indexed.gallery.items[i].key}" for i in ranking.order
    ]
    assert [row["score"] for row in answer["ranking"]] == pytest.approx(ranking.scores, abs=1e-4)
    answer = client.predict(None, "examples/motorcycle", "examples", "a zebra", api_name="/rank_captions")
    assert (len(answer["ranking"]), "R@1" in answer["recall"]) == (72, True)
    record = service.explain(indexed, indexed.gallery.position("motorcycle"), CAPTION)
    answer = client.predict(None, "examples/motorcycle", CAPTION, "", api_name="/explain")
    assert answer["similarity"] == pytest.approx(record.similarity, abs=1e-4)
    answer = client.predict(None, "examples/motorcycle", CAPTION, "", "7-9", "all", api_name="/explain")
    assert np.flatnonzero(answer["branches"][0]["kept"]).tolist() == [6, 7, 8] and answer["branches"][0]["forced"]
    answer = client.predict(None, "examples/motorcycle", f"{CAPTION}\na wall", api_name="/compare")
    assert answer["kept"][0] == record.sparse.kept.astype(int).tolist()
    assert answer["overlap"][0][0] == 1.0
    answer = client.predict(None, "examples/motorcycle", "examples/cat", CAPTION, api_name="/why")
    assert answer["left"]["similarity"] == pytest.approx(record.similarity, abs=1e-4)
    parts = [*answer["words"], *answer["rest"].values()]
    assert sum(part["left"] for part in parts) == pytest.approx(record.similarity, abs=1e-4)
    assert sum(part["difference"] for part in parts) == pytest.approx(answer["difference"], abs=1e-6)
    answer = client.predict(None, "examples/motorcycle", "", f"{CAPTION}\na wall", api_name="/why")
    assert answer["right"]["caption"] == "a wall"


def test_why_takes_a_dense_caption_beside_that_of_two_photos(client: Any, service: RetrievalService) -> None:
    indexed, dense = service.find("examples"), "a motorcycle with a black seat stands inside a room"
    answer = client.predict(None, "examples/motorcycle", "examples/cat", CAPTION, dense, api_name="/why")
    parts = [*answer["words"], *answer["rest"].values()]
    for name, key in (("left", "motorcycle"), ("right", "cat")):
        expected = service.explain(indexed, indexed.gallery.position(key), CAPTION, dense).similarity
        assert answer[name]["similarity"] == pytest.approx(expected, abs=1e-4)
        assert sum(part[name] for part in parts) == pytest.approx(expected, abs=1e-4)
    assert any("A dense caption is used" in says for says in answer["says"])


def test_a_photo_goes_up_and_a_picture_comes_down(client: Any, service: RetrievalService, tmp_path: Path) -> None:
    index = service.find("examples").gallery.position("coffee")
    service.find("examples").gallery.items[index].photo().save(tmp_path / "photo.png")
    photo = handle_file(str(tmp_path / "photo.png"))
    answer = client.predict(photo, "", "a cup", "", api_name="/explain")
    record = service.explain(service.find("examples"), index, "a cup")
    assert answer["similarity"] == pytest.approx(record.similarity, abs=1e-3)
    file = client.predict(photo, "", "a cup", "", "word:2", "png", api_name="/picture")
    with Image.open(file) as image:
        assert image.width >= 1400
    file = client.predict(None, "examples/coffee", "a cup\na table", "", "mask", "svg", api_name="/picture")
    assert Path(file).read_text(encoding="utf-8").startswith("<?xml")
    pair = (None, "examples/coffee", "a cup", "")
    file = client.predict(*pair, "effect", "json", "7-9", "all", api_name="/picture")
    drawn = json.loads(Path(file).read_text(encoding="utf-8"))
    explained = client.predict(*pair, "7-9", "all", api_name="/explain")
    branch = drawn["explanation"]["branches"][0]
    assert np.flatnonzero(branch["kept"]).tolist() == [6, 7, 8] and branch["forced"]
    assert drawn["explanation"]["similarity"] == pytest.approx(explained["similarity"], abs=1e-5)
    assert len(drawn["explanation"]["measures"]["effect"]["values"]) == 196
    assert sum(drawn["by_hand"]["model"]["kept"]) > 3 and drawn["by_hand"]["rank"] >= 1


@pytest.mark.parametrize(
    ("arguments", "name", "message"),
    [
        (("", "", "examples"), "/rank_images", "The caption is empty"),
        (("a cat", "", "moon"), "/rank_images", "There is no gallery 'moon'"),
        ((None, "examples/moon", "a cat", ""), "/explain", "has no photo 'moon'"),
        ((None, "examples/cat", "", "a cat"), "/why", "1 captions are there, but two captions"),
        ((None, "examples/cat", "scenes/0", "a cat"), "/why", "Both photos must be of one gallery"),
        ((None, "examples/cat", "", "a cat\na dog", "a cat"), "/why", "dense_caption goes with one caption"),
        ((None, "examples/cat", "examples/dog", "a cat", "\U0001f436"), "/why", "knows none of the words"),
        ((None, "examples/cat", "a cat", "", "moon", "png"), "/picture", "There is no layer"),
        ((None, "examples/cat", "a cat", "", "mask", "exe"), "/picture", "format is 'exe'"),
        ((None, "examples/cat", "a cat", "", "mask", "png", "197", ""), "/picture", "there are patches 1 to 196"),
        ((None, "examples/cat", "a\nb", "", "mask", "png", "1", ""), "/picture", "go with a single caption, but 2"),
        (({"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}, "", "a cat", ""), "/explain", ""),
    ],
)
def test_a_wrong_call_is_refused_in_a_sentence(
    client: Any, arguments: tuple[Any, ...], name: str, message: str
) -> None:
    with pytest.raises((AppError, ValueError, PermissionError)) as caught:
        client.predict(*arguments, api_name=name)
    assert message in str(caught.value)
    assert "root:" not in str(caught.value)


def test_twenty_people_each_get_their_own_answer(page_address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    captions = [caption for item in indexed.gallery.items for caption in item.captions][:PEOPLE]
    clients = [Client(page_address, verbose=False) for _ in range(3)]

    def ask(number: int) -> tuple[list[str], float]:
        started = time.monotonic()
        answer = clients[number % 3].predict(captions[number], "", "examples", api_name="/rank_images")
        return [row["item"] for row in answer["ranking"]], time.monotonic() - started

    try:
        with ThreadPoolExecutor(PEOPLE) as pool:
            answers = list(pool.map(ask, range(PEOPLE)))
    finally:
        for client in clients:
            client.close()
    for caption, (items, _) in zip(captions, answers, strict=True):
        order = service.rank_images(indexed, caption).order
        assert items == [f"examples/{indexed.gallery.items[index].key}" for index in order]
    assert max(seconds for _, seconds in answers) < 10

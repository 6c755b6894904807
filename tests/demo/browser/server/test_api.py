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
from PIL import Image

from demo.service.retrieval import RetrievalService

# They leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

CAPTION = "a motorcycle parked indoors"
PEOPLE = 20


@pytest.fixture(scope="module")
def client(page_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    client = Client(page_address, verbose=False, download_files=str(tmp_path_factory.mktemp("downloads")))
    yield client
    client.close()


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
    pair = (None, "examples/coffee", "a cup", "")
    file = client.predict(*pair, "effect", "json", "7-9", "all", api_name="/picture")
    drawn = json.loads(Path(file).read_text(encoding="utf-8"))
    branch = drawn["explanation"]["branches"][0]
    assert np.flatnonzero(branch["kept"]).tolist() == [6, 7, 8] and branch["forced"]
    assert len(drawn["explanation"]["measures"]["effect"]["values"]) == 196


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

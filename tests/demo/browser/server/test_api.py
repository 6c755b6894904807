"""Files that a program sends and gets, and many people at once."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from gradio_client import Client, handle_file  # type: ignore[import-untyped]
from PIL import Image

from demo.service.retrieval import RetrievalService
from tests.demo.browser.server.test_attack import call

# They leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

PEOPLE = 20


@pytest.fixture(scope="module")
def client(page_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    client = Client(page_address, verbose=False, download_files=str(tmp_path_factory.mktemp("downloads")))
    yield client
    client.close()


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

    def ask(caption: str) -> tuple[list[str], float]:
        started = time.monotonic()
        with httpx.Client(base_url=page_address, timeout=300) as http:
            is_answered, content = call(http, "rank_images", [caption, "", "examples"])
        assert is_answered, content
        return [row["item"] for row in json.loads(content)[0]["ranking"]], time.monotonic() - started

    with ThreadPoolExecutor(PEOPLE) as pool:
        answers = list(pool.map(ask, captions))
    for caption, (items, _) in zip(captions, answers, strict=True):
        order = service.rank_images(indexed, caption).order
        assert items == [f"examples/{indexed.gallery.items[index].key}" for index in order]
    assert max(seconds for _, seconds in answers) < 10

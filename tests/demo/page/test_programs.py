"""Endpoints for programs: their numbers are the service's, and no call reads a file that was not uploaded."""

import random
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from demo.server.files.uploads import NOT_SENT, NOT_THERE
from demo.service.retrieval import RetrievalService
from tests.helpers.web.canaries import forms

CAPTION = "a motorcycle parked indoors"
TAKES_PHOTO = {
    "rank_captions": [None, "", "examples", "a cat"],
    "explain": [None, "", "a cat", ""],
    "compare": [None, "", "a cat\na dog"],
    "picture": [None, "", "a cat", "", "mask", "png"],
}


def run(client: TestClient, endpoint: str, *values: Any) -> tuple[int, Any]:
    """The status and the answer of a call, all of one session: for a new one Gradio describes all its components."""
    sent = client.post(f"/gradio_api/run/{endpoint}", json={"data": values, "session_hash": "programs"})
    return sent.status_code, sent.json()


def answer(client: TestClient, endpoint: str, *values: Any) -> Any:
    status, value = run(client, endpoint, *values)
    assert status == 200, value
    return value["data"][0]


def test_numbers_are_the_services(client: TestClient, service: RetrievalService) -> None:
    indexed = service.find("examples")
    ranking = service.rank_images(indexed, CAPTION)
    ranked = answer(client, "rank_images", CAPTION, "", "examples")["ranking"]
    assert [row["item"] for row in ranked] == [f"examples/{indexed.gallery.items[i].key}" for i in ranking.order]
    assert [row["score"] for row in ranked] == pytest.approx(ranking.scores, abs=1e-4)
    captions = answer(client, "rank_captions", None, "examples/motorcycle", "examples", "a zebra")
    assert (len(captions["ranking"]), "R@1" in captions["recall"]) == (72, True)
    record = service.explain(indexed, indexed.gallery.position("motorcycle"), CAPTION)
    pair = (None, "examples/motorcycle", CAPTION, "")
    assert answer(client, "explain", *pair)["similarity"] == pytest.approx(record.similarity, abs=1e-4)
    branch = answer(client, "explain", *pair, "7-9", "all")["branches"][0]
    assert np.flatnonzero(branch["kept"]).tolist() == [6, 7, 8] and branch["forced"]
    compared = answer(client, "compare", None, "examples/motorcycle", f"{CAPTION}\na wall")
    assert compared["kept"][0] == record.sparse.kept.astype(int).tolist() and compared["overlap"][0][0] == 1
    why = answer(client, "why", None, "examples/motorcycle", "examples/cat", CAPTION)
    assert why["left"]["similarity"] == pytest.approx(record.similarity, abs=1e-4)
    parts = [*why["words"], *why["rest"].values()]
    assert sum(part["left"] for part in parts) == pytest.approx(record.similarity, abs=1e-4)
    assert sum(part["difference"] for part in parts) == pytest.approx(why["difference"], abs=1e-6)
    why = answer(client, "why", None, "examples/motorcycle", "", f"{CAPTION}\na wall")
    assert why["right"]["caption"] == "a wall"


@pytest.mark.parametrize("endpoint", TAKES_PHOTO)
def test_no_call_can_name_a_file_of_the_server(client: TestClient, endpoint: str, tmp_path: Path) -> None:
    canary, stream = tmp_path / "canary.png", BytesIO()
    Image.new("RGB", (8, 8), (1, 2, 3)).save(canary)
    Image.new("RGB", (4, 4)).save(stream, "PNG")
    before = canary.read_bytes()
    uploaded = client.post("/gradio_api/upload", files={"files": ("photo.png", stream.getvalue())}).json()[0]
    folder, missing = Path(uploaded).parents[3], canary.with_name("missing.png")
    link = folder / "link.png"
    link.symlink_to(canary)
    draw = random.Random(endpoint)
    values = [*draw.sample(list(forms(canary, folder)), 12), *draw.sample(list(forms(missing, folder)), 4)]
    marked: dict[str, Any] = {"meta": {"_type": "gradio.FileData"}}
    beside: list[dict[str, Any]] = [{}, marked, {"meta": {}}]
    values += [{"path": str(target)} | more for target in (canary, missing, link) for more in beside]
    for value in values:
        status, refusal = run(client, endpoint, value, *TAKES_PHOTO[endpoint][1:])
        expected = NOT_SENT if isinstance(value, str) else NOT_THERE
        assert (status, refusal["error"]) == (400, expected), value
    assert canary.read_bytes() == before
    link.unlink()

import csv
import json
from base64 import b64decode
from io import BytesIO, StringIO
from typing import Any

import pytest
from PIL import Image
from starlette.testclient import TestClient

from demo.galleries.sources.scenes import MOVING
from demo.service.masks import mask_text
from demo.service.retrieval import RetrievalService
from tests.helpers.web.page_calls import ask

CAPTION = "a tabby cat with green eyes"
PAIR = {"gallery": "examples", "index": 2, "caption": CAPTION}
BEGINS = {"png": b"\x89png", "svg": b"<?xml", "html": b"<!doctype html>"}
FILES: list[tuple[str, str, dict[str, Any]]] = [
    ("pair", "html", {}),
    ("compare", "png", {"captions": "a cat\na dog"}),
    ("contrast", "svg", {}),
    ("lesson", "html", {}),
]


def saved(client: TestClient, what: str, /, **values: Any) -> bytes:
    status, file = ask(client, f"save_{what}", **values)
    assert status == 200, file
    assert file["name"].startswith("seps-")
    return b64decode(file["base64"])


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"))))


def test_a_file_is_of_its_kind(client: TestClient) -> None:
    for name, kind, values in FILES:
        content = saved(client, name, file_format=kind, **PAIR, **values)
        assert content.lower().startswith(BEGINS[kind])
        if kind == "png":
            assert min(Image.open(BytesIO(content)).size) > 300


def test_the_json_is_the_explanation_that_is_drawn(client: TestClient) -> None:
    numbers = json.loads(saved(client, "pair", file_format="json", **PAIR))
    _, value = ask(client, "explain", **PAIR)
    assert numbers["explanation"]["similarity"] == pytest.approx(value["similarity"], abs=1e-6)
    assert sum(numbers["explanation"]["terms"].values()) == pytest.approx(value["similarity"], abs=1e-5)
    assert numbers["caption"] == CAPTION


@pytest.mark.parametrize("ratio", [None, 0.2])
def test_the_csv_is_the_ranking_that_is_listed(client: TestClient, ratio: float | None) -> None:
    table = rows(saved(client, "ranking", ratio=ratio, **PAIR))
    _, answer = ask(client, "rank", ratio=ratio, **PAIR)
    items = answer["ranking"]["lists"][0]["items"]
    assert [row["photo"] for row in table] == [item["key"] for item in items]
    assert [float(row["score"]) for row in table] == pytest.approx([item["score"] for item in items], abs=1e-5)


def test_a_decision_by_hand_is_named_in_the_csv_and_in_the_json(client: TestClient, service: RetrievalService) -> None:
    kept = service.explain(service.galleries["examples"], 2, CAPTION).sparse.kept.copy()
    kept[:50] = False
    mask = mask_text(kept)
    table = rows(saved(client, "ranking", mask=mask, **PAIR))
    assert [row["decision"] for row in table].count("by hand") == 1
    assert "by_hand" in json.loads(saved(client, "pair", mask=mask, file_format="json", **PAIR))
    status, problem = ask(client, "save_pair", mask=mask, file_format="html", **PAIR)
    assert status == 400 and "decision by hand" in problem


def test_a_part_of_a_name_and_a_longer_list(client: TestClient) -> None:
    _, answer = ask(client, "rank", name="a", count=2, **PAIR)
    items = answer["ranking"]["lists"][0]["items"]
    assert len(items) == 2 and answer["more"] and all("a" in item["title"] for item in items)
    assert {row["photo"] for row in rows(saved(client, "ranking", name="a", **PAIR))} > {items[0]["key"]}
    status, problem = ask(client, "rank", name="qqq", **PAIR)
    assert status == 400 and "qqq" in problem
    _, item = ask(client, "locate", gallery="examples", photo=items[0]["key"])
    assert item["index"] == items[0]["index"]


def test_captions_follow_a_video_and_are_saved(client: TestClient) -> None:
    _, facts = ask(client, "gallery", gallery=MOVING)
    values = {"gallery": MOVING, "caption": facts["chips"][0], "other": facts["chips"][1]}
    _, answer = ask(client, "rank", index=0, **values)
    first, second = answer["timeline"]["lines"]
    assert (first["caption"], second["caption"]) == tuple(facts["chips"][:2])
    table = rows(saved(client, "film", file_format="csv", **values))
    for line in (first, second):
        assert [float(row[line["caption"]]) for row in table] == pytest.approx(line["scores"], abs=1e-4)
    assert ask(client, "save_film", gallery="examples", caption="a cat")[0] == 400


def test_captions_and_scenes_are_ranked_in_files(client: TestClient) -> None:
    table = rows(saved(client, "captions", gallery="examples", index=2, typed="a cat"))
    _, answer = ask(client, "captions", gallery="examples", index=2, typed="a cat")
    listed = [row["caption"] for row in answer["rows"]]
    assert [row["caption"] for row in table][: len(listed)] == listed
    assert [row["caption"] for row in table if not row["written for this photo"]] == ["a cat"]
    assert {row["written for this photo"] for row in table} == {"yes", "no", ""}
    _, edited = ask(client, "edit", index=0, changes='[{"do": "redraw", "seed": 1}]')
    changed = {"index": 0, "caption": edited["caption"], "changes": '[{"do": "redraw", "seed": 1}]'}
    assert rows(saved(client, "edit", **changed))[0]["title"] == edited["items"][0]["title"]

import csv
import io
import json
from typing import Any

import pytest
from PIL import Image

from demo.galleries.indexes.index import IndexedGallery, require_in_memory
from demo.page.questions import Two
from demo.page.values import contrasted
from demo.record.contrast import contrast_record
from demo.service.models.personal import SessionData
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.why.export import why_file
from demo.views.why.values import WhyState, why_value
from tests.demo.record.test_contrast import FIRST, SECOND, contrast_of


def total(value: dict[str, Any], place: int) -> float:
    """What a side's parts add up to."""
    side = ("left", "right")[place]
    return sum(part[side] or 0.0 for name in ("rows", "rest") for part in value[name])


def asked(
    service: RetrievalService, indexed: IndexedGallery, index: int, *values: Any, **more: Any
) -> tuple[RetrievalService, IndexedGallery, WhyState]:
    session = SessionData({indexed.gallery.name: require_in_memory(indexed)})
    return Two(session, indexed.gallery.name, index, *values, **more).read(ModelRegistry(service))


def test_it_opens_on_the_best_two(service: RetrievalService) -> None:
    indexed, caption = service.find("examples"), "a tabby cat"
    value = contrasted(*asked(service, indexed, -1, caption))
    ranking = service.rank_images(indexed, caption)
    assert [side["index"] for side in value["sides"]] == ranking.order[:2]
    assert [side["reads"] for side in value["sides"]] == [
        f"S = {score:.4f}, rank {rank} of 14" for rank, score in enumerate(ranking.scores[:2], start=1)
    ]
    totals = [total(value, place) for place in (0, 1)]
    assert totals == pytest.approx(ranking.scores[:2], abs=1e-4)
    assert value["sum"] == pytest.approx([*totals, totals[0] - totals[1]], abs=1e-9)
    assert [index for index, _ in value["options"]] == ranking.order
    itself = contrasted(*asked(service, indexed, ranking.order[0], caption, ranking.order[0]))  # never against itself
    assert [side["index"] for side in itself["sides"]] == ranking.order[:2]


def test_two_captions_of_a_photo_add_up_too(service: RetrievalService) -> None:
    state = WhyState("examples", 1, "a tabby cat", other="a red car in the snow")
    indexed = service.find("examples")
    value = why_value(service, indexed, state)
    for place, caption in enumerate((state.caption, state.other)):
        assert total(value, place) == pytest.approx(service.explain(indexed, 1, caption).similarity, abs=1e-5)
    rows = {row["word"]: row for row in value["rows"]}
    assert rows["a"]["left"] is not None and rows["a"]["right"] is not None
    assert rows["tabby"]["right"] is None and rows["car"]["left"] is None


def test_a_dense_caption_takes_part_and_goes_with_its_caption(service: RetrievalService) -> None:
    dense, indexed = "a cat with green eyes and long whiskers looks into the camera", service.find("examples")
    state = asked(service, indexed, 1, "a cat", 4, dense=dense)[2]
    value = why_value(service, indexed, state)
    ranking = service.rank_images(indexed, "a cat", dense)
    for place, index in enumerate((1, 4)):
        assert total(value, place) == pytest.approx(ranking.scores[ranking.order.index(index)], abs=1e-4)
        assert abs(total(value, place) - service.explain(indexed, index, "a cat").similarity) > 1e-4
    assert "A dense caption is used" in " ".join(value["says"])
    state = asked(service, indexed, 1, "a cat", 4, other="a dog", dense=dense)[2]
    value = why_value(service, indexed, state)
    assert state.dense is None and "A dense caption" not in " ".join(value["says"])


PHOTOS = (Image.new("RGB", (300, 200), "#80a0c0"), Image.new("RGB", (200, 260), "#c0a080"))


def test_a_picture_has_both_photographs() -> None:
    file = why_file(contrast_of(FIRST, FIRST), PHOTOS, "random", "png", "mask", True, "somebody, CC BY 2.0")
    assert file.name == "seps-random-house-boat-why.png"
    with Image.open(io.BytesIO(file.content)) as image:
        assert image.width == 2304
        assert len(image.resize((300, 200)).convert("RGB").getcolors(60000) or []) > 100


def test_a_table_adds_up_to_its_last_row() -> None:
    contrast = contrast_of(FIRST, SECOND)
    text = why_file(contrast, PHOTOS, "random", "csv").content.decode("utf-8-sig")
    *parts, total = csv.DictReader(io.StringIO(text))
    for name in ("left", "right", "difference"):
        assert sum(float(part[name] or 0) for part in parts) == pytest.approx(float(total[name]), abs=1e-5)
    assert (total["part"], total["left_photo"], total["right_caption"]) == ("S(I, T)", "house", " ".join(SECOND))
    assert [part["part"] for part in parts if part["kind"] == "word"] == [part.name for part in contrast.words]


def test_json_and_vectors() -> None:
    contrast = contrast_of(FIRST, SECOND)
    assert json.loads(why_file(contrast, PHOTOS, "random", "json").content) == contrast_record(contrast, "random")
    assert why_file(contrast, PHOTOS, "random", "svg", "word:0").content.startswith(b"<?xml")
    with pytest.raises(ValueError, match="format is 'gif'"):
        why_file(contrast, PHOTOS, "random", "gif")

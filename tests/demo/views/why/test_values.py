"""The view "Why": it opens on the best two, links lead back, captions and photographs can be chosen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from demo.galleries.folder import uploads_gallery
from demo.galleries.index import index_gallery
from demo.galleries.openings import get_opening
from demo.galleries.photos import shrink_photo
from demo.page.values import contrasted, why_state
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.views.why.values import WhyState, first_two, why_download, why_value
from seps.explanation.caption_words import is_content


def total(value: dict[str, Any], place: int) -> float:
    """What a side's parts add up to."""
    side = ("left", "right")[place]
    return sum(part[side] or 0.0 for name in ("rows", "rest") for part in value[name])


def test_it_opens_on_the_best_two(service: RetrievalService) -> None:
    opening = get_opening(service.find("examples").gallery, "why")
    assert opening is not None
    indexed, caption = service.find("examples"), opening.captions[0]
    value = contrasted(service, indexed, None, None, caption, "", "")
    ranking = service.rank_images(indexed, caption)
    assert [side["index"] for side in value["sides"]] == ranking.order[:2]
    assert [side["reads"] for side in value["sides"]] == [
        f"S = {score:.4f}, rank {rank} of 14" for rank, score in enumerate(ranking.scores[:2], start=1)
    ]
    for place in (0, 1):
        assert total(value, place) == pytest.approx(ranking.scores[place], abs=1e-4)
        assert value["sum"][place] == pytest.approx(total(value, place), abs=1e-9)
    assert value["sum"][2] == value["sum"][0] - value["sum"][1] > 0
    assert [index for index, _ in value["options"]] == ranking.order
    most = max(value["rows"], key=lambda row: row["difference"])
    assert is_content(most["word"])
    assert abs(most["difference"]) >= max(abs(row["difference"]) for row in value["rows"])


def test_two_captions_of_a_photo_add_up_too(service: RetrievalService) -> None:
    state = WhyState("examples", 1, "a tabby cat", other="a red car in the snow")
    indexed = service.find("examples")
    value = why_value(service, indexed, state)
    for place, caption in enumerate((state.caption, state.other)):
        record = service.explain(indexed, 1, caption)
        assert total(value, place) == pytest.approx(record.similarity, abs=1e-5)
    assert [side["caption"] for side in value["sides"]] == ["a tabby cat", "a red car in the snow"]
    assert value["sides"][0]["photo"] == value["sides"][1]["photo"]
    rows = {row["word"]: row for row in value["rows"]}
    assert rows["a"]["left"] is not None and rows["a"]["right"] is not None
    assert rows["tabby"]["right"] is None and rows["car"]["left"] is None


def test_one_photograph_never_stands_against_itself(service: RetrievalService) -> None:
    indexed = service.find("examples")
    order = service.rank_images(indexed, "a tabby cat").order
    value = contrasted(service, indexed, order[0], order[0], "a tabby cat", "", "")
    assert [side["index"] for side in value["sides"]] == order[:2]


def test_a_dense_caption_takes_part_and_goes_with_its_caption(service: RetrievalService) -> None:
    dense, indexed = "a cat with green eyes and long whiskers looks into the camera", service.find("examples")
    state = why_state(service, indexed, 1, 4, "a cat", "", dense)
    value = why_value(service, indexed, state)
    ranking = service.rank_images(indexed, "a cat", dense)
    for place, index in enumerate((1, 4)):
        assert total(value, place) == pytest.approx(ranking.scores[ranking.order.index(index)], abs=1e-4)
        assert total(value, place) == pytest.approx(
            service.explain(indexed, index, "a cat", dense).similarity, abs=1e-5
        )
        assert abs(total(value, place) - service.explain(indexed, index, "a cat").similarity) > 1e-4
    assert "A dense caption is used" in " ".join(value["says"]) and "dense=" in value["link"]
    state = why_state(service, indexed, 1, 4, "a cat", "a dog", dense)
    value = why_value(service, indexed, state)
    assert state.dense is None and "A dense caption" not in " ".join(value["says"]) and "dense=" not in value["link"]


def test_scenes_have_their_own_model(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    caption = indexed.gallery.items[0].captions[0]
    left, right = first_two(service.rank_images(indexed, caption), 0)
    value = why_value(service, indexed, WhyState("scenes", left, caption, against=right))
    assert (value["model"], left) == ("scenes", 0)
    assert value["link"].startswith("?view=why&model=scenes&gallery=scenes")


def test_ones_own_photos_have_no_link(service: RetrievalService) -> None:
    photos = [service.find("examples").gallery.items[index].photo() for index in (0, 1)]
    files = [(f"{number}.jpg", shrink_photo(photo).content) for number, photo in enumerate(photos)]
    uploads = index_gallery(service.model, uploads_gallery(files), None)
    value = contrasted(service, uploads, 0, 1, "a cat", "", "")
    assert value["link"] is None
    assert [side["photo"]["title"] for side in value["sides"]] == ["0.jpg", "1.jpg"]
    alone = index_gallery(service.model, uploads_gallery(files[:1]), None)
    with pytest.raises(ValueError, match="one photo"):
        contrasted(service, alone, 0, None, "a cat", "", "")
    assert contrasted(service, alone, 0, None, "a cat", "a dog", "")["captions"]


@pytest.mark.parametrize("kind", ["png", "json", "csv"])
def test_what_is_saved_is_what_is_shown(registry: ModelRegistry, kind: str) -> None:
    state = WhyState("examples", 1, "a tabby cat", against=2, layer="word:1")
    file = why_download(registry, SessionData(), state, kind)
    assert file.name.startswith("seps-photos-cat-") and file.name.endswith(f"-why.{kind}")
    if kind == "json":
        value = why_value(*registry.find("examples"), state)
        numbers = json.loads(file.content)
        assert numbers["difference"] == pytest.approx(value["sum"][2])
        assert [word["word"] for word in numbers["words"]] == [row["word"] for row in value["rows"]]

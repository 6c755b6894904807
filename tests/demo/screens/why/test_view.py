"""The view "Why": it opens on the best two, links lead back, captions and photographs can be chosen."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import pytest

from demo.galleries.folder import UPLOADS, uploads_gallery
from demo.galleries.index import index_gallery
from demo.galleries.openings import get_opening
from demo.galleries.photos import shrink_photo
from demo.screens.session import fill
from demo.screens.why.values import WhyState, first_two, why_download
from demo.screens.why.view import filled, show, start, two_captions
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from seps.explanation.caption_words import is_content


def opened(registry: ModelRegistry, query: str, view: str = "why") -> list[Any]:
    """The values of the view that a query leads to."""
    seen, values = fill(registry, dict(parse_qsl(query.lstrip("?"))))
    assert seen == view
    return values[view]


def total(value: dict[str, Any], place: int) -> float:
    """What a side's parts add up to."""
    side = ("left", "right")[place]
    return sum(part[side] or 0.0 for name in ("rows", "rest") for part in value[name])


def test_it_opens_on_the_best_two(registry: ModelRegistry, service: RetrievalService) -> None:
    status, gallery, caption, other, value, state = start(registry)
    opening = get_opening(service.find("examples").gallery, "why")
    assert opening is not None
    ranking = service.rank_images(service.find("examples"), opening.captions[0])
    assert (status, gallery.value, caption, other) == ("", "examples", opening.captions[0], "")
    assert [state.index, state.against] == ranking.order[:2] == [side["index"] for side in value["sides"]]
    assert [side["reads"] for side in value["sides"]] == [
        f"S = {score:.4f}, rank {rank} of 14" for rank, score in enumerate(ranking.scores[:2], start=1)
    ]
    for place in (0, 1):
        assert total(value, place) == pytest.approx(ranking.scores[place], abs=1e-4)
        assert value["sum"][place] == pytest.approx(total(value, place), abs=1e-9)
    assert value["sum"][2] == value["sum"][0] - value["sum"][1] > 0
    assert [index for index, _ in value["options"]] == ranking.order


def test_a_content_word_decides_where_it_opens(registry: ModelRegistry) -> None:
    value = start(registry)[4]
    most = max(value["rows"], key=lambda row: row["difference"])
    assert is_content(most["word"])
    assert abs(most["difference"]) >= max(abs(row["difference"]) for row in value["rows"])


def test_two_captions_of_a_photo_add_up_too(registry: ModelRegistry, service: RetrievalService) -> None:
    state = WhyState("examples", 1, "a tabby cat", other="a red car in the snow")
    _, value, state = show(registry, None, state)
    indexed = service.find("examples")
    for place, caption in enumerate((state.caption, state.other)):
        record = service.explain(indexed, 1, caption)
        assert total(value, place) == pytest.approx(record.similarity, abs=1e-5)
    assert [side["caption"] for side in value["sides"]] == ["a tabby cat", "a red car in the snow"]
    assert value["sides"][0]["photo"] == value["sides"][1]["photo"]
    rows = {row["word"]: row for row in value["rows"]}
    assert rows["a"]["left"] is not None and rows["a"]["right"] is not None
    assert rows["tabby"]["right"] is None and rows["car"]["left"] is None


@pytest.mark.parametrize(
    "state",
    [
        WhyState("examples", 3, "a cat's eyes & ears", against=7, layer="word:1"),
        WhyState("examples", 1, "a cat & its eyes", other="two eyes", layer="word:0"),
        WhyState("examples", 1, "a cat", against=0),
        WhyState("examples", 1, "a cat", "a cat with green eyes looks into the camera", against=0),
    ],
)
def test_a_link_leads_back(registry: ModelRegistry, state: WhyState) -> None:
    _, value, now = show(registry, None, state)
    link = value["link"] + (f"&layer={state.layer}" if state.layer != "mask" else "")
    status, _, caption, other, again, restored = opened(registry, link)
    assert (status, caption, other) == ("", state.caption, state.other)
    assert again | {"key": 0} == value | {"key": 0}
    assert (restored.index, restored.layer) == (now.index, state.layer)
    if not state.other:
        assert restored == now


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?view=why&photo=cat&caption=a+cat&against=moon", "has no photo"),
        ("?view=why&photo=cat&caption=a+cat&other=%F0%9F%90%B6", "knows none of the words"),
        ("?view=why&photo=cat&caption=%F0%9F%90%B6", "knows none of the words"),
    ],
)
def test_a_wrong_link_is_told_above_the_worked_example(registry: ModelRegistry, query: str, message: str) -> None:
    assert message in opened(registry, query, "search")[0]


def test_a_link_without_a_second_one_takes_the_next(registry: ModelRegistry, service: RetrievalService) -> None:
    order = service.rank_images(service.find("examples"), "a tabby cat").order
    state = opened(registry, "?view=why&caption=a+tabby+cat")[-1]
    assert [state.index, state.against] == order[:2]
    best = service.find("examples").gallery.items[order[0]].key
    state = opened(registry, f"?view=why&photo={best}&caption=a+tabby+cat&against={best}")[-1]
    assert [state.index, state.against] == order[:2]  # never one photograph twice


def test_a_dense_caption_takes_part_and_goes_with_its_caption(
    registry: ModelRegistry, service: RetrievalService
) -> None:
    dense, indexed = "a cat with green eyes and long whiskers looks into the camera", service.find("examples")
    _, value, state = show(registry, None, WhyState("examples", 1, "a cat", dense, against=4))
    ranking = service.rank_images(indexed, "a cat", dense)
    for place, index in enumerate((1, 4)):
        assert total(value, place) == pytest.approx(ranking.scores[ranking.order.index(index)], abs=1e-4)
        assert total(value, place) == pytest.approx(
            service.explain(indexed, index, "a cat", dense).similarity, abs=1e-5
        )
        assert abs(total(value, place) - service.explain(indexed, index, "a cat").similarity) > 1e-4
    assert "A dense caption is used" in " ".join(value["says"]) and "dense=" in value["link"]
    _, value, state = show(registry, None, replace(state, other="a dog"))
    assert state.dense is None and "A dense caption" not in " ".join(value["says"]) and "dense=" not in value["link"]


def test_scenes_have_their_own_model(registry: ModelRegistry) -> None:
    service, indexed = registry.open("scenes")
    caption = indexed.gallery.items[0].captions[0]
    left, right = first_two(service.rank_images(indexed, caption), 0)
    _, value, _ = show(registry, None, WhyState("scenes", left, caption, against=right))
    assert (value["model"], left) == ("scenes", 0)
    assert value["link"].startswith("?view=why&model=scenes&gallery=scenes")


def test_ones_own_photos_stay_with_the_view_and_have_no_link(
    registry: ModelRegistry, service: RetrievalService
) -> None:
    photos = [service.find("examples").gallery.items[index].photo() for index in (0, 1)]
    files = [(f"{number}.jpg", shrink_photo(photo).content) for number, photo in enumerate(photos)]
    uploaded = SessionData(index_gallery(service.model, uploads_gallery(files), None))
    state = WhyState(UPLOADS, 0, "a cat", against=1, uploaded=uploaded)
    _, gallery, _, _, value, now = filled(registry, None, state)
    assert (gallery.value, value["link"], now.nbytes) == (None, None, uploaded.nbytes)
    assert [side["photo"]["title"] for side in value["sides"]] == ["0.jpg", "1.jpg"]
    alone = SessionData(index_gallery(service.model, uploads_gallery(files[:1]), None))
    with pytest.raises(ValueError, match="There is one photograph here"):
        show(registry, None, WhyState(UPLOADS, 0, "a cat", uploaded=alone))
    assert show(registry, None, WhyState(UPLOADS, 0, "a cat", other="a dog", uploaded=alone))[1]["captions"]


def test_the_captions_of_a_ranking_begin_with_the_best(registry: ModelRegistry, service: RetrievalService) -> None:
    indexed = service.find("examples")
    ranking = service.rank_captions(indexed, 1, "examples", "a dog")
    best, second = list(dict.fromkeys(ranking.captions))[:2]
    assert two_captions(ranking, best) == (best, second)
    assert two_captions(ranking, "a dog") == (best, "a dog")
    with pytest.raises(ValueError, match="There is one caption alone"):
        two_captions(service.rank_captions(indexed, 1, None, "a dog"), "a dog")


@pytest.mark.parametrize("kind", ["png", "json", "csv"])
def test_what_is_saved_is_what_is_shown(registry: ModelRegistry, kind: str) -> None:
    state = WhyState("examples", 1, "a tabby cat", against=2, layer="word:1")
    file = why_download(registry, SessionData(), state, kind)
    assert file.name.startswith("seps-photos-cat-") and file.name.endswith(f"-why.{kind}")
    if kind == "json":
        value = show(registry, None, state)[1]
        numbers = json.loads(file.content)
        assert numbers["difference"] == pytest.approx(value["sum"][2])
        assert [word["word"] for word in numbers["words"]] == [row["word"] for row in value["rows"]]

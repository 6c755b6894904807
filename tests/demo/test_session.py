"""A link brings its view back; a wrong one says what is wrong and shows the worked example instead."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import pytest

from demo.views.parts import Shown, link_to
from demo.views.search import FIRST_CAPTION
from demo.views.session import fill
from demo.workbench import Workbench


def opened(bench: Workbench, query: str, view: str = "search") -> list[Any]:
    """The values of the view that a query leads to."""
    seen, values = fill(bench, dict(parse_qsl(query.lstrip("?"))))
    assert seen == view
    assert list(values) == [view]
    return values[view]


def test_without_a_link_there_is_a_worked_example(bench: Workbench) -> None:
    values = opened(bench, "")
    said, caption, dense, gallery, ranking, viewer, shown = values
    assert (said, caption, dense, gallery) == ("", FIRST_CAPTION, "", "examples")
    assert len(ranking["lists"][0]["items"]) == 14
    assert ranking["selected"] == shown.place == bench.rank_images(bench.find("examples"), FIRST_CAPTION).order[0]
    assert viewer["caption"] == FIRST_CAPTION
    assert viewer["similarity"] == pytest.approx(ranking["lists"][0]["items"][0]["score"], abs=1e-5)


def test_the_other_views_begin_with_the_same_photo(bench: Workbench) -> None:
    place = bench.rank_images(bench.find("examples"), FIRST_CAPTION).order[0]
    for view, count in (("captions", 7), ("compare", 7), ("lesson", 8)):
        values = fill(bench, {}, view)[1][view]
        assert len(values) == count
        assert values[3].place == place
    assert len(fill(bench, {}, "compare")[1]["compare"][5]["items"]) == 3
    assert fill(bench, {"view": "about"}) == ("about", {})


@pytest.mark.parametrize("layer", ["mask", "score", "word:2", "token:3"])
def test_a_link_leads_back(bench: Workbench, layer: str) -> None:
    indexed = bench.find("examples")
    place = indexed.gallery.position("rocket")
    link = link_to(bench, "search", indexed, Shown("examples", place, "a tall & white rocket"))
    assert link is not None
    values = opened(bench, f"{link}&layer={layer}")
    viewer, shown = values[5:]
    assert (shown.place, shown.caption) == (place, "a tall & white rocket")
    assert (viewer["photo"]["title"], viewer["layer"], viewer["link"]) == ("rocket", layer, link)


def test_a_link_to_a_dense_caption_brings_both_rankings(bench: Workbench) -> None:
    values = opened(bench, "?view=search&gallery=examples&photo=cat&caption=a+cat&dense=A+cat+lies.&layer=mask:dense")
    ranking, viewer, _ = values[4:]
    assert [part["title"] for part in ranking["lists"]] == ["Caption alone", "With dense caption"]
    assert (viewer["dense_caption"], viewer["layer"]) == ("A cat lies.", "mask:dense")
    assert len(viewer["record"]["branches"]) == 2


def test_links_to_the_other_views(bench: Workbench) -> None:
    values = opened(bench, "?view=captions&gallery=examples&photo=cat&caption=a+sleepy+pet", "captions")
    assert values[5]["caption"] == "a sleepy pet"
    values = opened(bench, "?view=compare&gallery=examples&photo=cat&caption=the+eyes%0Athe+ears", "compare")
    assert [item["caption"] for item in values[5]["items"]] == ["the eyes", "the ears"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?view=moon", "the view &#x27;moon&#x27;"),
        ("?model=moon", "for the model &#x27;moon&#x27;"),
        ("?gallery=moon", "There is no gallery"),
        ("?photo=moon", "has no photo"),
        ("?layer=moon", "There is no layer"),
        ("?photo=cat&caption=%F0%9F%90%B6", "knows none of the words"),
        ("?photo=cat&caption=" + "a" * 3000, "at most 2,000 fit"),
        ("?photo=cat&caption=a+cat&layer=word:99", ""),
        ("?photo=cat&caption=a+cat&layer=mask:dense", ""),
    ],
)
def test_a_wrong_link_is_told_and_the_page_stands(bench: Workbench, query: str, told: str) -> None:
    values = opened(bench, query)
    assert told in values[0]
    assert values[5]["record"]["grid"] == list(bench.model.grid)
    assert values[5]["layer"] == "mask"


def test_a_persons_own_photo_has_no_link(bench: Workbench) -> None:
    from dataclasses import replace

    indexed = bench.find("examples")
    own = replace(indexed, gallery=replace(indexed.gallery, name="uploads"))
    assert link_to(bench, "search", own, Shown("uploads", 0, "a cat")) is None


def test_a_link_into_the_lesson_brings_step_and_knobs(bench: Workbench) -> None:
    query = "?view=lesson&gallery=examples&photo=cat&caption=a+cat&keep_ratio=0.3&variant=released&step=4&talk=1"
    value, told = opened(bench, query, "lesson")[6:]
    assert (value["step"], value["talk"], value["knobs"]["keep_ratio"], value["knobs"]["variant"]) == (
        4, True, 0.3, "released"
    )  # fmt: skip
    assert (told.caption, told.dense, told.chosen.place) == ("a cat", "", 1)
    again = opened(bench, value["link"], "lesson")[6]
    assert (again["knobs"], again["caption"]) == (value["knobs"], "a cat")
    for wrong, said in (("step=9", "no step"), ("keep_ratio=2", "keep_ratio"), ("beta=x", "a number is needed")):
        values = opened(bench, f"?view=lesson&{wrong}", "lesson")
        assert said in values[0]
        assert values[6]["step"] == 1

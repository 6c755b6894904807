"""A link brings its view back; a wrong one says what is wrong and shows the worked example instead."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from demo.service.benches import Benches, Own
from demo.service.workbench import Workbench
from demo.views.edit import Editing, entered
from demo.views.parts import Shown, link_to
from demo.views.search import FIRST_CAPTION
from demo.views.session import fill


def opened(benches: Benches, query: str, view: str = "search") -> list[Any]:
    """The values of the view that a query leads to."""
    seen, values = fill(benches, dict(parse_qsl(query.lstrip("?"))))
    assert seen == view
    assert list(values) == [view]
    return values[view]


def test_without_a_link_there_is_a_worked_example(bench: Workbench, benches: Benches) -> None:
    values = opened(benches, "")
    said, caption, dense, gallery, ranking, viewer, shown, chips = values
    assert FIRST_CAPTION in chips["items"]
    assert (said, caption, dense, gallery) == ("", FIRST_CAPTION, "", "examples")
    assert len(ranking["lists"][0]["items"]) == 14
    assert ranking["selected"] == shown.place == bench.rank_images(bench.find("examples"), FIRST_CAPTION).order[0]
    assert viewer["caption"] == FIRST_CAPTION
    assert viewer["similarity"] == pytest.approx(ranking["lists"][0]["items"][0]["score"], abs=1e-5)


def test_the_other_views_begin_with_the_same_photo(bench: Workbench, benches: Benches) -> None:
    place = bench.rank_images(bench.find("examples"), FIRST_CAPTION).order[0]
    for view, count in (("captions", 8), ("compare", 7), ("lesson", 8)):
        values = fill(benches, {}, view)[1][view]
        assert len(values) == count
        assert values[3].place == place
    assert len(fill(benches, {}, "compare")[1]["compare"][5]["items"]) == 3
    assert fill(benches, {"view": "about"}) == ("about", {})


@pytest.mark.parametrize("layer", ["mask", "score", "word:2", "token:3"])
def test_a_link_leads_back(bench: Workbench, benches: Benches, layer: str) -> None:
    indexed = bench.find("examples")
    place = indexed.gallery.position("rocket")
    link = link_to(bench, "search", indexed, Shown("examples", place, "a tall & white rocket"))
    assert link is not None
    values = opened(benches, f"{link}&layer={layer}")
    viewer, shown = values[5:7]
    assert (shown.place, shown.caption) == (place, "a tall & white rocket")
    assert (viewer["photo"]["title"], viewer["layer"], viewer["link"]) == ("rocket", layer, link)


def test_a_link_to_a_dense_caption_brings_both_rankings(benches: Benches) -> None:
    values = opened(benches, "?view=search&gallery=examples&photo=cat&caption=a+cat&dense=A+cat+lies.&layer=mask:dense")
    ranking, viewer = values[4:6]
    assert [part["title"] for part in ranking["lists"]] == ["Caption alone", "With dense caption"]
    assert (viewer["dense_caption"], viewer["layer"]) == ("A cat lies.", "mask:dense")
    assert len(viewer["record"]["branches"]) == 2


def test_links_to_the_other_views(benches: Benches) -> None:
    values = opened(benches, "?view=captions&gallery=examples&photo=cat&caption=a+sleepy+pet", "captions")
    assert values[5]["caption"] == "a sleepy pet"
    values = opened(benches, "?view=compare&gallery=examples&photo=cat&caption=the+eyes%0Athe+ears", "compare")
    assert [item["caption"] for item in values[5]["items"]] == ["the eyes", "the ears"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?view=moon", "the view &#x27;moon&#x27;"),
        ("?model=moon", "for the model &#x27;moon&#x27;"),
        ("?model=scenes&gallery=examples", "belongs to the model &#x27;photos&#x27;"),
        ("?model=photos&gallery=scenes", "belongs to the model &#x27;scenes&#x27;"),
        ("?gallery=moon", "There is no gallery"),
        ("?photo=moon", "has no photo"),
        ("?layer=moon", "There is no layer"),
        ("?photo=cat&caption=%F0%9F%90%B6", "knows none of the words"),
        ("?photo=cat&caption=" + "a" * 3000, "at most 2,000 fit"),
        ("?photo=cat&caption=a+cat&layer=word:99", ""),
        ("?photo=cat&caption=a+cat&layer=mask:dense", ""),
    ],
)
def test_a_wrong_link_is_told_and_the_page_stands(bench: Workbench, benches: Benches, query: str, told: str) -> None:
    values = opened(benches, query)
    assert told in values[0]
    assert values[5]["record"]["grid"] == list(bench.model.grid)
    assert values[5]["layer"] == "mask"


def test_a_persons_own_photo_has_no_link(bench: Workbench) -> None:
    from dataclasses import replace

    indexed = bench.find("examples")
    own = replace(indexed, gallery=replace(indexed.gallery, name="uploads"))
    assert link_to(bench, "search", own, Shown("uploads", 0, "a cat")) is None


def test_a_link_into_the_lesson_brings_step_and_knobs(benches: Benches) -> None:
    query = "?view=lesson&gallery=examples&photo=cat&caption=a+cat&keep_ratio=0.3&variant=released&step=4&talk=1"
    value, told = opened(benches, query, "lesson")[6:]
    assert (value["step"], value["talk"], value["knobs"]["keep_ratio"], value["knobs"]["variant"]) == (
        4, True, 0.3, "released"
    )  # fmt: skip
    assert (told.caption, told.dense, told.chosen.place) == ("a cat", "", 1)
    again = opened(benches, value["link"], "lesson")[6]
    assert (again["knobs"], again["caption"]) == (value["knobs"], "a cat")
    for wrong, said in (("step=9", "no step"), ("keep_ratio=2", "keep_ratio"), ("beta=x", "a number is needed")):
        values = opened(benches, f"?view=lesson&{wrong}", "lesson")
        assert said in values[0]
        assert values[6]["step"] == 1


@pytest.mark.parametrize("view", ["search", "captions", "compare", "lesson"])
def test_a_link_into_the_scenes_brings_their_model(benches: Benches, view: str) -> None:
    bench, indexed = benches.open("scenes")
    item = indexed.gallery.items[4]
    link = f"?view={view}&model=scenes&gallery=scenes&photo={item.key}"
    caption = "\n".join(item.captions[:2]) if view == "compare" else item.captions[0]
    seen, values = fill(benches, dict(parse_qsl((link + "&" + urlencode({"caption": caption}))[1:])))
    assert seen == view
    value = next(part for part in values[view] if isinstance(part, dict) and "photo" in part)
    assert (value["model"], value["photo"]["title"]) == ("scenes", item.title)
    if view != "lesson":
        assert value["link"].startswith(f"?view={view}&model=scenes&gallery=scenes&photo={item.key}&")
    if view in ("search", "captions"):
        record = bench.explain(indexed, 4, item.captions[0])
        assert value["similarity"] == pytest.approx(record.similarity, abs=1e-6)


def test_without_a_caption_scenes_begin_with_one_of_their_own(benches: Benches) -> None:
    values = opened(benches, "?gallery=scenes")
    chips = values[7]["items"]
    assert values[1] == chips[0] != FIRST_CAPTION
    assert all(chips[i] in benches.find("scenes")[1].gallery.items[i].captions for i in range(len(chips)))


def test_a_link_into_the_editor_brings_its_scene(benches: Benches) -> None:
    said, caption, strip, scene, ranking, editing = opened(
        benches, "?view=edit&model=scenes&gallery=scenes&photo=3&caption=a+dog", "edit"
    )
    assert (said, caption, strip["selected"], editing.place) == ("", "a dog", 3, 3)
    assert (scene["model"], scene["after"], ranking["selected"]) == ("scenes", None, 3)
    assert opened(benches, scene["link"], "edit")[5] == editing
    assert opened(benches, "?view=edit", "edit")[5].place == 0
    known = benches.find("scenes")[1].gallery.items[0].captions
    assert opened(benches, "?view=edit", "edit")[1] in known


def test_the_editor_opens_with_what_the_search_shows(benches: Benches) -> None:
    first = entered(benches, Own(), Editing(), Shown("examples", 2, "a cat"))
    assert first is not None
    assert (first[5].place, first[5].source) == (0, None)
    assert entered(benches, Own(), first[5], Shown("examples", 2, "a cat")) is None
    found = entered(benches, Own(), first[5], Shown("scenes", 7, "a dog"))
    assert found is not None
    assert (found[1], found[5].place) == ("a dog", 7)
    assert entered(benches, Own(), found[5], Shown("scenes", 7, "a dog")) is None


def test_without_scenes_there_is_no_editor(bench: Workbench) -> None:
    seen, values = fill(Benches(bench), {"view": "edit"})
    assert seen == "search"
    assert "This link leads to the scenes, which are not here" in values["search"][0]

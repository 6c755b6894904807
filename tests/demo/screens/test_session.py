"""A link brings its view back; a wrong one says what is wrong and shows the worked example instead."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode

import gradio as gr
import pytest

from demo.galleries.index import require_in_memory
from demo.galleries.openings import get_opening, load_openings
from demo.screens.edit.view import Editing, entered, first_scene
from demo.screens.examples import FIRST_CAPTION
from demo.screens.parts import ViewState, link_to
from demo.screens.photos import view as photos_view
from demo.screens.photos.view import standing
from demo.screens.session import fill, selected_tabs
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData


def opened(registry: ModelRegistry, query: str, view: str = "search") -> list[Any]:
    """The values of the view that a query leads to."""
    seen, values = fill(registry, dict(parse_qsl(query.lstrip("?"))))
    assert seen == view
    assert list(values) == [view]
    return values[view]


def test_without_a_link_there_is_a_worked_example(service: RetrievalService, registry: ModelRegistry) -> None:
    values = opened(registry, "")
    status, caption, dense, gallery, ranking, viewer, shown, chips, names = values
    assert FIRST_CAPTION in chips["items"]
    assert (caption, dense, gallery) == (FIRST_CAPTION, "", "examples")
    assert not names.visible  # all photographs are in sight
    assert status == ""
    assert len(ranking["lists"][0]["items"]) == 14
    assert ranking["selected"] == shown.index == service.rank_images(service.find("examples"), FIRST_CAPTION).order[0]
    assert viewer["caption"] == FIRST_CAPTION
    assert viewer["similarity"] == pytest.approx(ranking["lists"][0]["items"][0]["score"], abs=1e-5)


def test_the_worked_example_stands_on_the_page_from_the_start(
    registry: ModelRegistry, service: RetrievalService
) -> None:
    captions, note, ranking, viewer, start = photos_view.worked_example(registry)
    index = service.rank_images(service.find("examples"), FIRST_CAPTION).order[0]
    assert viewer["first"] and ranking["first"]
    assert note == opened(registry, "")[0]
    assert captions[0] == viewer["caption"] == start.caption == FIRST_CAPTION
    assert (ranking["selected"], start.index, start.untouched) == (index, index, True)
    assert not start.of("examples", index, "a cat", None).untouched


def test_other_views_begin_with_what_was_chosen_for_them(service: RetrievalService, registry: ModelRegistry) -> None:
    gallery = service.find("examples").gallery
    for view, chosen, count in (("captions", "captions", 9), ("compare", "compare", 7), ("lesson", "search", 8)):
        values = fill(registry, {}, view)[1][view]
        opening = get_opening(gallery, chosen)
        assert opening is not None and len(values) == count
        assert values[3].index == opening.index
    compared = fill(registry, {}, "compare")[1]["compare"][5]
    opening = get_opening(gallery, "compare")
    assert opening is not None and tuple(item["caption"] for item in compared["items"]) == opening.captions
    assert compared["shared"].startswith("These masks share ")
    assert fill(registry, {"view": "about"}) == ("about", {})
    assert fill(registry, {"view": "paper"}) == ("paper", {})


@pytest.mark.parametrize("layer", ["mask", "score", "word:2", "token:3"])
def test_a_link_leads_back(service: RetrievalService, registry: ModelRegistry, layer: str) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("rocket")
    link = link_to(service, "search", indexed, ViewState("examples", index, "a tall & white rocket"))
    assert link is not None
    values = opened(registry, f"{link}&layer={layer}")
    viewer, shown = values[5:7]
    assert (shown.index, shown.caption) == (index, "a tall & white rocket")
    assert (viewer["photo"]["title"], viewer["layer"], viewer["link"]) == ("rocket", layer, link)


def test_a_link_to_a_dense_caption_brings_both_rankings(registry: ModelRegistry) -> None:
    values = opened(
        registry, "?view=search&gallery=examples&photo=cat&caption=a+cat&dense=A+cat+lies.&layer=mask:dense"
    )
    ranking, viewer = values[4:6]
    assert [part["title"] for part in ranking["lists"]] == ["Caption only", "With dense caption"]
    assert (viewer["dense_caption"], viewer["layer"]) == ("A cat lies.", "mask:dense")
    assert len(viewer["record"]["branches"]) == 2


def test_links_to_the_other_views(registry: ModelRegistry) -> None:
    values = opened(registry, "?view=captions&gallery=examples&photo=cat&caption=a+sleepy+pet", "captions")
    assert values[5]["caption"] == "a sleepy pet"
    values = opened(registry, "?view=compare&gallery=examples&photo=cat&caption=the+eyes%0Athe+ears", "compare")
    assert [item["caption"] for item in values[5]["items"]] == ["the eyes", "the ears"]


@pytest.mark.parametrize(
    ("query", "message"),
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
def test_a_wrong_link_is_told_and_the_page_stands(
    service: RetrievalService, registry: ModelRegistry, query: str, message: str
) -> None:
    values = opened(registry, query)
    assert message in values[0]
    assert values[5]["record"]["grid"] == list(service.model.grid)
    assert values[5]["layer"] == "mask"


def test_a_persons_own_photo_has_no_link(service: RetrievalService) -> None:
    from dataclasses import replace

    indexed = service.find("examples")
    session = replace(require_in_memory(indexed), gallery=replace(indexed.gallery, name="uploads"))
    assert link_to(service, "search", session, ViewState("uploads", 0, "a cat")) is None


def test_a_link_into_the_lesson_brings_step_and_knobs(registry: ModelRegistry) -> None:
    query = "?view=lesson&gallery=examples&photo=cat&caption=a+cat&keep_ratio=0.3&variant=released&step=4&talk=1"
    value, state = opened(registry, query, "lesson")[6:]
    assert (value["step"], value["talk"], value["knobs"]["keep_ratio"], value["knobs"]["variant"]) == (
        4, True, 0.3, "released"
    )  # fmt: skip
    assert (state.caption, state.dense, state.selected.index) == ("a cat", "", 1)
    again = opened(registry, value["link"], "lesson")[6]
    assert (again["knobs"], again["caption"]) == (value["knobs"], "a cat")
    for wrong, message in (
        ("step=10", "no step"),
        ("keep_ratio=2", "keep_ratio"),
        ("mask=AAAA", "mask"),
        ("beta=x", "a number is needed"),
    ):
        values = opened(registry, f"?view=lesson&{wrong}", "lesson")
        assert message in values[0]
        assert values[6]["step"] == 1


@pytest.mark.parametrize("view", ["search", "captions", "compare", "lesson"])
def test_a_link_into_the_scenes_brings_their_model(registry: ModelRegistry, view: str) -> None:
    service, indexed = registry.open("scenes")
    item = indexed.gallery.items[4]
    link = f"?view={view}&model=scenes&gallery=scenes&photo={item.key}"
    caption = "\n".join(item.captions[:2]) if view == "compare" else item.captions[0]
    seen, values = fill(registry, dict(parse_qsl((link + "&" + urlencode({"caption": caption}))[1:])))
    assert seen == view
    value = next(part for part in values[view] if isinstance(part, dict) and "photo" in part)
    assert (value["model"], value["photo"]["title"]) == ("scenes", item.title)
    if view != "lesson":
        assert value["link"].startswith(f"?view={view}&model=scenes&gallery=scenes&photo={item.key}&")
    if view in ("search", "captions"):
        record = service.explain(indexed, 4, item.captions[0])
        assert value["similarity"] == pytest.approx(record.similarity, abs=1e-6)


def test_without_a_caption_scenes_begin_with_one_of_their_own(registry: ModelRegistry) -> None:
    values = opened(registry, "?gallery=scenes")
    chips = values[7]["items"]
    assert values[1] == chips[0] != FIRST_CAPTION
    known = {text for item in registry.find("scenes")[1].gallery.items for text in (*item.captions, *item.phrases)}
    assert set(chips) <= known


def test_a_link_into_the_editor_brings_its_scene(registry: ModelRegistry) -> None:
    status, caption, strip, scene, ranking, editing = opened(
        registry, "?view=edit&model=scenes&gallery=scenes&photo=3&caption=a+dog", "edit"
    )
    assert (status, caption, strip["selected"], editing.index) == ("", "a dog", 3, 3)
    assert (scene["model"], scene["after"], ranking["selected"]) == ("scenes", None, 3)
    assert opened(registry, scene["link"], "edit")[5] == editing


def test_the_editor_opens_with_a_scene_that_comes_first_for_its_caption(registry: ModelRegistry) -> None:
    status, caption, strip, _, ranking, editing = opened(registry, "?view=edit", "edit")
    items = registry.find("scenes")[1].gallery.items
    assert (status, ranking["selected"], strip["selected"]) == ("", editing.index, editing.index)
    assert caption in items[editing.index].captions
    assert load_openings()["scenes"]["edit"]["measures"]["margin"] > 0.5  # with the shipped model, as is chosen
    known = items[editing.index].known
    assert known is not None and len({thing.kind for thing in known.scene.objects}) > 1


def test_the_editor_opens_with_what_the_search_shows(registry: ModelRegistry) -> None:
    first = entered(registry, SessionData(), Editing(), ViewState("examples", 2, "a cat"))
    assert first is not None
    assert (first[5].index, first[5].source) == (first_scene(registry).index, None)
    assert entered(registry, SessionData(), first[5], ViewState("examples", 2, "a cat")) is None
    values = entered(registry, SessionData(), first[5], ViewState("scenes", 7, "a dog"))
    assert values is not None
    assert (values[1], values[5].index) == ("a dog", 7)
    assert entered(registry, SessionData(), values[5], ViewState("scenes", 7, "a dog")) is None


def test_without_scenes_there_is_no_editor(service: RetrievalService) -> None:
    seen, values = fill(ModelRegistry(service), {"view": "edit"})
    assert seen == "search"
    assert "This link leads to the scenes, which are not here" in values["search"][0]


def test_the_tab_is_selected_where_a_link_leads_and_the_person_has_chosen_none() -> None:
    for here in ("", "search"):
        assert [getattr(tabs, "selected", None) for tabs in selected_tabs("lesson", here)] == ["lesson", None]
        for view in ("losses", "paper"):
            assert [tabs.selected for tabs in selected_tabs(view, here)] == ["lesson", view]
        assert selected_tabs("search", here) == (gr.skip(), gr.skip())
    for view in ("search", "lesson", "losses", "about"):
        assert selected_tabs(view, "compare") == (gr.skip(), gr.skip())


def test_a_problem_beside_a_ranking_leaves_the_hint_of_its_caption(registry: ModelRegistry) -> None:
    state = ViewState("examples", 0, "eine Tasse Kaffee auf Holztisch")
    hint = "The model has learnt English captions"
    assert hint in standing(registry, state)
    assert "alert" not in standing(registry, state)
    line = standing(registry, state, "Fetching is off.")
    assert line.index("Fetching is off.") < line.index(hint)
    assert standing(registry, ViewState("examples", 0, "a cat")) == standing(registry, ViewState()) == ""

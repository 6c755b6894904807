"""Numbers on the page are the library's: of a ranking, a decision by hand, the lesson, a scene and the judge."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from demo.record.settings import evaluation_knobs
from demo.record.texts.table import for_page
from demo.service.masks import read_mask
from demo.service.retrieval import RetrievalService
from demo.views.lesson.walk import WalkRequest, walk_value
from seps.judge import load_judge
from tests.demo.browser.places.conftest import Opener
from tests.demo.browser.places.test_explore import COFFEE, COFFEE_LINK, ready, score

LESSON = f"?view=learn&{COFFEE_LINK[1:]}&step=9"


def linked_mask(page: Page) -> str:
    """The decision in the address, once it is there."""
    page.wait_for_function("() => new URLSearchParams(location.search).has('mask')")
    return parse_qs(urlsplit(page.url).query)["mask"][0]


def test_a_ranking_and_a_record_are_the_librarys(visit: Opener, service: RetrievalService) -> None:
    indexed = service.find("examples")
    ranking = service.rank_images(indexed, COFFEE)
    record = service.explain(indexed, indexed.gallery.position("coffee"), COFFEE)
    page = ready(visit(COFFEE_LINK))
    expect(page.locator(".ranked .title")).to_have_text([indexed.gallery.items[index].title for index in ranking.order])
    assert score(page) == pytest.approx(record.similarity, abs=1e-4)
    expect(page.locator("p.kept")).to_have_text(f"Kept {record.sparse.kept.sum()} of 196 patches")


def test_patches_are_painted_by_key_and_a_link_brings_them_back(visit: Opener, service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("coffee")
    mask = service.explain(indexed, index, COFFEE).sparse.kept.copy()
    mask[0] = not mask[0]
    expected = service.explain(indexed, index, COFFEE, None, mask).similarity
    page = ready(visit(COFFEE_LINK))
    page.locator("[data-tool=whatif]").click()
    for key in ("ArrowRight", " "):
        page.locator(".stage-canvas").press(key)
    np.testing.assert_array_equal(read_mask(linked_mask(page), 196), mask)
    for _ in range(2):  # as it was painted, and by its link
        page.wait_for_function(
            "(value) => Math.abs(document.querySelector('.headline output').dataset.similarity - value) < 1e-4",
            arg=expected,
        )
        expect(page.locator("p.kept")).to_have_text(f"Kept {mask.sum()} of 196 patches")
        page.reload()
        ready(page)


def test_a_game_compares_ones_own_patches_with_the_models(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    page.locator("[data-tool=whatif]").click()
    page.locator("[data-tool=play]").click()
    expect(page.locator("p.kept")).to_have_text("Kept 0 of 196 patches")
    for key in ("ArrowRight", " "):
        page.locator(".stage-canvas").press(key)
    expect(page.locator(".seps-game tbody tr")).not_to_have_count(0)
    expect(page.locator(".seps-game tbody td").first).to_have_text("1 of 20")
    assert "budget=20" in page.url


def test_what_is_inside_an_outline_is_kept(visit: Opener) -> None:
    page = ready(visit("?gallery=scenes"))
    page.locator("[data-tool=whatif]").click()
    page.locator("[data-tool=inside]").first.click()
    mask = linked_mask(page)
    kept, total = map(int, re.findall(r"\d+", page.locator("p.kept").inner_text()))
    decision = read_mask(mask, total)
    assert decision is not None and 0 < decision.sum() == kept < total


def test_patches_painted_in_the_lesson_move_its_numbers(visit: Opener, service: RetrievalService) -> None:
    indexed = service.find("examples")
    index, knobs = indexed.gallery.position("coffee"), evaluation_knobs(service.model)
    page = visit(LESSON)
    page.locator(".seps-paint").focus()
    for key in ("ArrowRight", "ArrowDown", " "):
        page.keyboard.press(key)
    text = linked_mask(page)
    with for_page():
        value = walk_value(WalkRequest(service, indexed, index, COFFEE, None, knobs, text), 9)
    for key, _, numbers in value["whatif"]["rows"]:
        expect(page.locator(f"[data-trial='{key}'] td")).to_have_text(numbers)
    page.locator("[data-tool=own]").click()
    page.wait_for_function("() => !new URLSearchParams(location.search).get('mask')")


def test_an_object_of_a_scene_is_moved_and_removed_by_key(visit: Opener) -> None:
    page = visit("?view=lab")
    page.locator(".seps-edit [data-do=undo]").click()  # the change that it begins with
    objects, after = page.locator(".seps-edit [data-object]"), page.locator(".seps-edit [data-side=after]")
    expect(after).to_have_count(0)
    count = objects.count()
    page.locator(".seps-edit [data-side=before] canvas").press("ArrowRight")
    expect(after).to_be_visible()
    after.locator("canvas").press("Delete")
    expect(objects).to_have_count(count - 1)


def test_the_quality_is_the_judges(visit: Opener, service: RetrievalService) -> None:
    gallery = service.find("examples").gallery
    expected = load_judge().score(gallery.items[gallery.position("coffee")].photo(), "a cup").quality.final
    page = visit("?view=lab&part=judge&gallery=examples&photo=coffee&caption=a+cup&other=a+red+car")
    quality = page.locator(".seps-judge [data-score=quality]").first
    assert float(quality.get_attribute("data-final") or "nan") == pytest.approx(expected, abs=2e-3)

"""Compare, Learn and Lab on the new page, and the state kept from one place to another."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.demo.browser.places.conftest import Opener
from tests.demo.browser.places.test_downloads import saved
from tests.demo.browser.places.test_explore import COFFEE, COFFEE_LINK, ready
from tests.helpers.web.axe import load_axe, serious_violations

# What is there once a place is filled, by its query.
PLACES = {
    "?view=compare": ".seps-compare figure canvas",
    "?view=compare&part=pair": ".seps-why figure canvas",
    "?view=learn": ".seps-lesson canvas",
    "?view=learn&part=losses": ".seps-playground .seps-chart",
    "?view=learn&part=paper": ".paper table",
    "?view=lab": ".seps-edit canvas",
    "?view=lab&part=judge": ".seps-judge canvas",
    "?view=lab&part=generate": ".seps-generate img",
}
APP_ONLY = [query for query in PLACES if "lab" in query or "paper" in query]
FILES = {  # of a place, the smallest one, with how it begins
    "?view=compare": ("compare.spec", b"{"),
    "?view=compare&part=pair": ("contrast.csv", b"\xef\xbb\xbfpart"),
    "?view=learn": ("lesson.html", b"<!"),
    "?view=lab": ("edit.csv", b"\xef\xbb\xbfrank"),
    "?view=lab&part=judge": ("judge.csv", b"\xef\xbb\xbfrank"),
    "?view=lab&part=generate": ("drawing.gif", b"gif8"),
}
OLD = {
    "?view=compare&gallery=examples&photo=coffee&caption=a+cup%0Aa+table": ".seps-compare figure canvas",
    "?view=why&gallery=examples&photo=coffee&against=cat&caption=a+cup": ".seps-why figure canvas",
    "?view=lesson&gallery=examples&photo=coffee&caption=a+cup&step=4&keep_ratio=0.3": ".seps-lesson canvas",
    "?view=losses&margin=0.4": ".seps-playground .seps-chart",
    "?view=judge&gallery=examples&photo=coffee&caption=a+cup": ".seps-judge canvas",
}


def click_to(page: Page, query: str) -> None:
    """Go to one of PLACES without loading the page once more."""
    place, _, part = query.removeprefix("?view=").partition("&part=")
    page.locator(f"[data-place={place}]").click()
    if part:
        page.locator(f".switch [data-part={part}]").click()


@pytest.mark.parametrize("query", PLACES)
def test_a_place_is_filled_saves_its_files_and_nothing_serious_is_found(visit: Opener, query: str) -> None:
    page = visit(query)
    expect(page.locator(PLACES[query]).first).to_be_visible()
    expect(page.locator("[role=alert]:visible")).to_have_count(0)
    load_axe(page)
    assert serious_violations(page) == []
    if query in FILES:
        name, begins = FILES[query]
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert saved(page, name).lower().startswith(begins)


def test_old_links_fill_their_places(visit: Opener) -> None:
    page = visit()
    for query, shown in OLD.items():
        page.goto(page.url.partition("?")[0] + query)
        expect(page.locator(shown).first).to_be_visible()
        expect(page.locator("[role=alert]:visible")).to_have_count(0)


def test_a_phone_shows_the_places_that_need_the_app_within_its_width(visit: Opener) -> None:
    page = ready(visit("?lang=zh", phone=True, color_scheme="dark"))
    for query in APP_ONLY:  # `test_static` visits the others
        click_to(page, query)
        expect(page.locator(PLACES[query]).first).to_be_visible()
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")  # it measures itself


def test_a_question_mark_lists_the_keys_of_each_place(visit: Opener) -> None:
    page = visit()
    keys = page.locator(".seps-keys")
    page.locator("textarea:visible").first.focus()
    page.keyboard.press("?")
    expect(keys).to_have_count(0)  # it is typed
    for place, says in {"explore": "move over its patches", "learn": "talk mode", "lab": "on the scene"}.items():
        page.locator(f"[data-place={place}]").click()
        page.keyboard.press("?")
        expect(keys).to_contain_text(says)
        page.keyboard.press("Escape")
        expect(keys).to_have_count(0)
    page.locator(".keys-button").click()
    expect(keys).to_be_visible()


def test_the_photo_and_the_caption_follow_everywhere_and_survive_a_reload(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    page.fill("#caption", "a shiny brown cup")
    page.wait_for_function("() => new URLSearchParams(location.search).get('caption') === 'a shiny brown cup'")
    page.locator("[data-place=compare]").click()
    expect(page.locator("#captions-box")).to_have_value(re.compile("^a shiny brown cup\n"))
    page.locator("[data-place=learn]").click()
    expect(page.locator(".seps-lesson canvas").first).to_be_visible()
    page.locator(".example summary").click()
    expect(page.get_by_label("Caption", exact=True)).to_have_value("a shiny brown cup")
    page.locator("[data-place=lab]").click()
    page.locator("[data-part=judge]").click()
    expect(page.locator("#judge-prompt")).to_have_value("a shiny brown cup")
    page.reload()
    expect(page.locator("#judge-prompt")).to_have_value("a shiny brown cup")
    page.locator("[data-place=explore]").click()
    expect(page.locator("#caption")).to_have_value("a shiny brown cup")
    expect(page.locator(".photo-title")).to_have_text("coffee")


def test_why_this_order_sets_two_photos_side_by_side(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    page.get_by_role("button", name="Why this order?").click()
    expect(page.locator("#pair-caption")).to_have_value(COFFEE)
    expect(page.locator(".seps-why select").first).to_contain_text("coffee")
    expect(page.locator(".seps-why")).not_to_contain_text("left over")
    expect(page.locator(".seps-why-rest")).to_contain_text("other parts")


def test_a_place_is_empty_only_when_nothing_is_computed(visit: Opener) -> None:
    page = visit("?view=learn&part=paper")
    held: list[Route] = []
    page.route("**/queue/join*", lambda route: held.append(route))  # a builtin takes no attribute of Playwright
    with page.expect_request("**/queue/join*"):
        page.goto(page.url.partition("?")[0] + "?view=compare")
    place = page.locator(".seps-empty:visible")
    expect(place).to_have_text("Computing …", use_inner_text=True)
    held[-1].abort()
    expect(place).to_contain_text("Nothing to compare yet.", use_inner_text=True)
    expect(page.locator(".problem[role=alert]")).to_be_visible()


def test_a_setting_of_the_lesson_goes_into_the_address(visit: Opener) -> None:
    page = visit("?view=learn&gallery=examples&photo=coffee&caption=a+cup&step=4")
    expect(page.locator(".seps-lesson")).to_contain_text("The decision")
    slider = page.locator("[data-knob=keep_ratio] input[type=range]")
    slider.fill("0.3")
    page.wait_for_function("() => new URLSearchParams(location.search).get('keep_ratio') === '0.3'")
    expect(page.locator(".seps-lesson")).to_contain_text("59")

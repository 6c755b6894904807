"""What a person does while a view is still being filled stays: the worked example does not come over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from demo.views.examples import FIRST_CAPTION, FIRST_PHOTO
from playwright.sync_api import Browser, expect

from demo.service.retrieval import RetrievalService
from tests.demo.browser.conftest import served
from tests.demo.browser.late import LATE
from tests.demo.browser.page import opened, titles

pytestmark = pytest.mark.slow  # an app of its own, four seconds late


@pytest.fixture(scope="module")
def late_address(cache: Path, uploads: Path) -> Iterator[str]:
    with served(uploads, "-m", "tests.demo.browser.late", str(cache)) as url:
        yield url


def test_a_photo_picked_early_stays(browser: Browser, late_address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    best = service.rank_captions(indexed, indexed.gallery.position("coffee"), "examples").captions[0]
    with opened(browser, late_address) as page:
        page.get_by_role("tab", name="Captions", exact=True).click()
        page.locator("#captions-strip").get_by_role("button", name="coffee").click()
        first = page.locator("#captions-ranking .caption").first
        expect(first).to_have_text(best)
        page.wait_for_timeout(1000 * (LATE + 1.5))
        expect(first).to_have_text(best)
        expect(page.locator("#captions-viewer .seps-credit")).to_contain_text("coffee")
        page.get_by_role("tab", name="Compare", exact=True).click()  # left alone, a view is filled as ever
        expect(page.locator("#compare canvas")).to_have_count(2)


@pytest.mark.parametrize("query", ["", "?view=captions&gallery=examples&photo=cat&caption=a+cat"])
def test_a_tab_chosen_early_stays_and_is_filled(browser: Browser, late_address: str, query: str) -> None:
    with opened(browser, late_address, query, canvas="#views [role=tab]") as page:
        lesson = page.get_by_role("tab", name="Lesson", exact=True)
        lesson.click()
        expect(page.locator("#lesson .seps-waiting")).to_be_visible()
        expect(page.locator("#lesson canvas")).to_be_visible()
        page.wait_for_timeout(1500)
        expect(lesson).to_have_attribute("aria-selected", "true")
        page.get_by_role("tab", name="Captions" if query else "Photos", exact=True).click()  # the link's view is there
        expect(page.locator("#captions-viewer canvas" if query else "#viewer canvas")).to_be_visible()


def test_a_caption_typed_early_stays(browser: Browser, late_address: str, service: RetrievalService) -> None:
    caption = "a rocket on its way to the moon"
    indexed = service.find("examples")
    best = indexed.gallery.items[service.rank_images(indexed, caption).order[0]].title
    with opened(browser, late_address, canvas="#caption textarea") as page:
        page.locator("#caption textarea").fill(caption)
        page.wait_for_timeout(1000 * (LATE + 1.5))
        expect(page.locator("#caption textarea")).to_have_value(caption)
        assert titles(page)[0] == best
        page.locator("#examples .chip", has_text=FIRST_CAPTION).click()
        expect(page.locator("#ranking .title").first).to_have_text(FIRST_PHOTO)


def test_a_person_whose_session_had_to_go_is_told_with_the_link_back(browser: Browser, late_address: str) -> None:
    link = "?view=search&model=photos&gallery=examples&photo=coffee&caption=a+cup+on+a+table"
    with opened(browser, late_address, link) as page:
        expect(page.locator("#caption textarea")).to_have_value("a cup on a table")
        with opened(browser, late_address):  # there is room for one
            pass
        page.locator("#caption textarea").fill("a cat")
        reopen = page.get_by_role("link", name="Open this view again")
        expect(reopen).to_be_visible()
        expect(page.locator("#caption textarea")).to_have_value("a cat")
        with page.context.expect_page() as opening:  # beside the old page, which keeps what was typed
            reopen.click()
        again = opening.value
        expect(again.locator("#caption textarea")).to_have_value("a cat")  # what was typed stands in the address
        expect(again.locator("#viewer .seps-credit")).to_contain_text("cat")
        expect(page.locator("#caption textarea")).to_have_value("a cat")

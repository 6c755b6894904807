"""A gallery that is not open yet is said to be opened, with its progress, and the view that waits for it is filled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.demo.browser.conftest import SCREENSHOTS, served
from tests.demo.browser.page import opened

LINK = "?view=search&model=scenes&gallery=scenes&photo=5&caption=a+dog"
OPENING = "Opening the gallery scenes"


@pytest.mark.slow
def test_a_link_into_the_scenes_and_the_editor_wait_for_them(browser: Browser, tmp_path: Path, uploads: Path) -> None:
    command = ("-m", "tests.helpers.old_page", str(tmp_path))
    with served(uploads, *command) as address, opened(browser, address, LINK, canvas="#viewer .seps-waiting") as page:
        expect(page.locator("#viewer")).to_contain_text(OPENING)
        expect(page.locator("#viewer")).to_contain_text(re.compile(r"\d+/200"))
        assert page.url.endswith(LINK)  # loaded anew, it leads there too
        page.screenshot(path=SCREENSHOTS / "waiting.png")
        with opened(browser, address) as other:
            other.get_by_role("tab", name="Edit", exact=True).click()
            expect(other.locator("#edit")).to_contain_text(OPENING)
            lesson = other.get_by_role("tab", name="Lesson", exact=True)
            lesson.click()  # a page stays where the person goes while the editor waits
            expect(other.locator("#lesson canvas")).to_be_visible()
            expect(
                other.locator("#lesson .wrap.generating, #lesson .wrap.default, #lesson .wrap.minimal")
            ).to_have_count(0)
            page.get_by_role("tab", name="Captions", exact=True).click()  # the others can be used meanwhile
            expect(page.locator("#captions-viewer canvas")).to_be_visible()
            page.get_by_role("tab", name="Photos", exact=True).click()
            expect(page.locator("#viewer .seps-foot")).to_contain_text("model scenes")
            expect(page.locator("#caption textarea")).to_have_value("a dog")
            expect(page.locator("#ranking .line")).to_contain_text("200 scenes ranked")
            expect(other.locator("#edit canvas")).to_have_count(1)
            expect(lesson).to_have_attribute("aria-selected", "true")
            expect(other.locator("#edit")).not_to_contain_text(OPENING)
            expect(other.locator("#edit-caption textarea")).not_to_have_value("")
        with opened(browser, address, LINK.replace("search", "edit")) as again:  # they are open now
            expect(again.locator("#edit-caption textarea")).to_have_value("a dog")


@pytest.mark.parametrize("view", ["search", "captions", "compare", "lesson"])
def test_a_gallery_that_cannot_be_had_is_told_where_it_was_waited_for(
    browser: Browser, address: str, view: str
) -> None:
    pictures = {"search": "viewer", "captions": "captions-viewer", "compare": "compare", "lesson": "lesson"}
    place = {"search": "said"}.get(view, f"{view}-said")
    with opened(browser, address, f"?view={view}&gallery=open-photos", canvas=f"#{pictures[view]} canvas") as page:
        expect(page.locator(f"#{place} .problem")).to_contain_text("open photos")
        expect(page.locator("body")).not_to_contain_text("Opening the gallery")
        page.get_by_role("tab", name="About", exact=True).click()  # and the rest of the page works on
        expect(page.locator("body")).to_contain_text("rSum")

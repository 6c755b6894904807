"""Back and Forward lead through what was seen in the app, and the address follows what is typed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.demo.browser.page import opened, shown

# Playwright leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
OPEN = "#views [role=tab][aria-selected=true]"


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


@pytest.mark.journey
def test_back_leads_through_views_and_captions_and_never_out(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        caption, title = page.locator("#caption textarea"), page.locator("#viewer .seps-credit")
        first = caption.input_value()
        best = title.inner_text()
        caption.fill("a tabby cat with green eyes")
        expect(title).to_contain_text("cat")
        page.locator("#viewer [data-layer=score]").click()
        expect(page).to_have_url(re.compile("layer=score"))
        page.locator("#ranking .row", has_text="coffee").click()
        expect(page).to_have_url(re.compile("photo=coffee"))
        tab(page, "About")
        expect(page).to_have_url(re.compile("view=about"))
        tab(page, "Compare")
        expect(page.locator("#compare canvas").first).to_be_visible()
        expect(page).to_have_url(re.compile("view=compare.*caption="))
        page.go_back()
        expect(page.locator(OPEN).first).to_have_text("About")
        page.go_back()
        expect(page.locator(OPEN).first).to_have_text("Photos")
        expect(title).to_contain_text("coffee")
        page.go_back()
        expect(title).to_contain_text("cat")
        expect(page.locator("#viewer [data-layer=score]")).to_have_attribute("aria-pressed", "true")
        expect(page).to_have_url(re.compile("photo=cat.*layer=score"))
        page.go_back()
        expect(caption).to_have_value(first)
        expect(title).to_have_text(best)
        page.go_forward()
        expect(caption).to_have_value("a tabby cat with green eyes")
        expect(title).to_contain_text("cat")
        expect(page).to_have_url(re.compile("photo=cat"))
        page.go_forward()
        expect(title).to_contain_text("coffee")
        assert page.evaluate("[...document.querySelectorAll('#said .problem')].length") == 0


@pytest.mark.journey
def test_typing_one_caption_is_one_step_and_the_address_follows_at_once(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        caption = page.locator("#caption textarea")
        first, before = caption.input_value(), page.evaluate("history.length")
        page.route("**/gradio_api/queue/join*", lambda route: None)  # no answer comes
        caption.fill("")
        caption.press_sequentially("a house cat", delay=5)
        assert "caption=a+house+cat" in page.url and "photo=" not in page.url
        page.unroute("**/gradio_api/queue/join*")
        caption.press_sequentially("!", delay=5)
        expect(page.locator("#viewer .seps-credit")).to_contain_text("cat")
        assert page.evaluate("history.length") == before + 1
        page.go_back()
        expect(caption).to_have_value(first)


def test_enter_ranks_and_makes_no_new_line(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        best = page.locator("#viewer .seps-credit").inner_text()
        page.locator("#ranking .row").nth(3).click()
        expect(page.locator("#viewer .seps-credit")).not_to_have_text(best)
        page.locator("#caption textarea").press("Enter")
        expect(page.locator("#viewer .seps-credit")).to_have_text(best)
        for view, box in (("Why", "#why-caption"), ("Lesson", "")):
            tab(page, view)
            if box:
                expect(page.locator(f"{box} textarea")).not_to_have_value("")
                before = page.locator(f"{box} textarea").input_value()
                page.locator(f"{box} textarea").press("Enter")
                expect(page.locator(f"{box} textarea")).to_have_value(before)


def test_ones_own_photograph_comes_back(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        tab(page, "Captions")
        expect(shown(page, "#captions-viewer")).to_be_visible()
        page.get_by_role("button", name="A photo of your own").locator("visible=true").click()
        page.locator("#captions-upload input[type=file]").set_input_files("assets/galleries/photos/china.jpg")
        expect(page.locator("#captions-viewer .seps-credit")).to_contain_text("china")
        assert "?" not in page.url
        page.locator("#captions-strip").get_by_role("button", name="coffee").click()
        expect(page.locator("#captions-viewer .seps-credit")).to_contain_text("coffee")
        page.go_back()
        expect(page.locator("#captions-viewer .seps-credit")).to_contain_text("china")
        page.go_forward()
        expect(page.locator("#captions-viewer .seps-credit")).to_contain_text("coffee")

"""What a person does while an answer is on its way to the page: their text stays, and so does what was wrong."""

from __future__ import annotations

import pytest
from demo.views.examples import FIRST_CAPTION
from playwright.sync_api import Browser, Page, Route, expect

from demo.service.retrieval import RetrievalService
from tests.demo.browser.held import Held
from tests.demo.browser.page import opened, titles

TYPED = "a rocket on its way to the moon"


def ranked(service: RetrievalService, caption: str) -> list[str]:
    """The titles of the examples in the order of a caption."""
    indexed = service.find("examples")
    order = service.rank_images(indexed, caption).order
    return [indexed.gallery.items[index].title for index in order]


def at_rest(page: Page) -> None:
    """Wait until all that came is drawn: Gradio sets a box once more a moment after it is there."""
    page.evaluate("async () => { for (let i = 0; i < 9; i++) await new Promise((done) => requestIdleCallback(done)); }")


@pytest.mark.journey
def test_what_is_typed_while_the_page_opens_stays_though_its_address_is_that_of_the_first_view_by_then(
    browser: Browser, address: str, service: RetrievalService
) -> None:
    with opened(browser, address, kept=True) as page:
        held = Held(page, address)
        loading = held.of_loading()
        placing = held.after(loading)
        last = held.after(held.after(placing))  # of the chain that begins with loading
        typing = held.of("caption", "change")
        held.waits = {loading, placing, last, typing}

        def hold_gradio(route: Route) -> None:
            """Gradio's page begins once our scripts are there: so it loads after the first view wrote the address."""
            page.wait_for_function("window.seps?.settled")
            route.continue_()

        page.route("**/assets/Blocks-*.js", hold_gradio)
        page.goto(address)
        assert "view=search" in held.wait_for(loading).request.url
        held.release(loading)
        held.wait_for(placing)
        page.locator("#caption textarea").fill(TYPED)
        held.wait_for(typing)
        held.release(placing)
        held.wait_for(last)  # what fills the page is there
        at_rest(page)
        assert page.locator("#caption textarea").input_value() == TYPED
        held.release(typing)
        held.release(last)
        expect(page.locator("#ranking .title").first).to_have_text(ranked(service, TYPED)[0])
        at_rest(page)
        assert page.locator("#caption textarea").input_value() == TYPED
        assert titles(page) == ranked(service, TYPED) != ranked(service, FIRST_CAPTION)
        page.unroute("**/assets/Blocks-*.js")
        held.end()


@pytest.mark.parametrize(
    ("query", "box", "other", "line", "problem"),
    [
        pytest.param(
            "view=search&dense=", "caption", "dense", "said", "The caption is empty", marks=pytest.mark.journey
        ),
        ("view=why&other=", "why-caption", "why-other", "why-said", "The caption is empty"),
        ("view=judge&other=", "judge-prompt", "judge-other", "judge-said", "The prompt is empty"),
    ],
    ids=["photos", "why", "judge"],
)
def test_a_problem_stays_though_the_page_itself_fills_the_other_box(
    browser: Browser, address: str, query: str, box: str, other: str, line: str, problem: str
) -> None:
    with opened(browser, address, kept=True) as page:
        held = Held(page, address)
        filling = held.of(other, "change")
        held.waits = {filling}
        page.goto(f"{address}/?{query}a+cat+that+looks+up&gallery=examples&caption=a+cat")
        held.wait_for(filling)
        typed = page.locator(f"#{box} textarea")
        expect(typed).to_have_value("a cat")
        typed.fill("")
        expect(page.locator(f"#{line} .problem")).to_contain_text(problem)
        held.answer(filling)
        at_rest(page)
        assert problem in page.locator(f"#{line}").inner_text()
        typed.fill("a cat")  # which is shown still
        expect(page.locator(f"#{line} .problem")).to_have_count(0)
        held.end()

"""One place in a frame: without the header, its links lead out, and other sites may not show it."""

import re

from playwright.sync_api import Browser, expect

from tests.demo.browser.places.conftest import Opener

VIEW = "?view=compare&gallery=examples&embed=1"
FRAME = '(url) => { document.body.innerHTML = `<iframe width=1100 height=700 src="${url}"></iframe>`; }'
WAIT = 60_000  # milliseconds


def test_a_place_is_shown_in_a_frame_of_the_apps_own_site_and_in_no_other(browser: Browser, page_address: str) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    page.goto(f"{page_address.replace('127.0.0.1', 'localhost')}/robots.txt")  # another site, to a browser
    with page.expect_event("requestfailed") as refusal:
        page.evaluate(FRAME, f"{page_address}/{VIEW}")
    assert "BLOCKED_BY_RESPONSE" in (refusal.value.failure or "")
    page.goto(f"{page_address}/robots.txt")
    page.evaluate(FRAME, f"{page_address}/{VIEW}")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".seps-compare canvas").first).to_be_visible(timeout=WAIT)
    for hidden in (".head", ".place-head"):
        expect(frame.locator(hidden).locator("visible=true")).to_have_count(0)
    frame.locator('.seps-compare [data-layer="score"]').click()
    inner = page.frames[1]
    inner.wait_for_function("location.search.includes('layer=score')")
    assert "embed=1" in inner.evaluate("location.search")  # loaded anew, it is embedded again
    with context.expect_page() as opening:
        frame.locator(".seps-embed-foot a").click()
    whole = opening.value
    expect(whole.locator(".head")).to_be_visible(timeout=WAIT)
    assert re.search(r"view=compare.*layer=score", whole.url) and "embed" not in whole.url
    context.close()


def test_parts_of_learn_are_embedded_too(visit: Opener) -> None:
    page = visit("?view=losses&embed=1")
    expect(page.locator(".seps-playground .seps-chart").first).to_be_visible()
    expect(page.locator(".head, .switch").locator("visible=true")).to_have_count(0)
    assert "embed=1" in page.url

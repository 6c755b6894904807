"""One view in a frame: without header and tabs, its links lead out, and other sites may not show it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

VIEW = "?view=compare&gallery=examples&embed=1"
FRAME = '(url) => { document.body.innerHTML = `<iframe width=1100 height=700 src="${url}"></iframe>`; }'


def test_a_view_stands_alone_in_a_frame_of_the_apps_own_site_and_in_no_other(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    page.goto(f"{address.replace('127.0.0.1', 'localhost')}/robots.txt")  # another site, to a browser
    with page.expect_event("requestfailed") as refusal:
        page.evaluate(FRAME, f"{address}/{VIEW}")
    assert "BLOCKED_BY_RESPONSE" in (refusal.value.failure or "")
    page.goto(f"{address}/robots.txt")
    page.evaluate(FRAME, f"{address}/{VIEW}")
    frame = page.frame_locator("iframe")
    expect(frame.locator("#compare .seps-compare canvas").first).to_be_visible(timeout=30_000)
    for hidden in ("#top h1", "#views [role=tab]", "footer", ".seps-why-ask"):
        expect(frame.locator(hidden).locator("visible=true")).to_have_count(0)
    frame.locator('#compare [data-layer="score"]').click()
    inner = page.frames[1]
    inner.wait_for_function("location.search.includes('layer=score')")
    assert "embed=1" in inner.evaluate("location.search")  # loaded anew, it stays a view alone
    with context.expect_page() as opening:
        frame.locator(".seps-embed-foot a").click()
    whole = opening.value
    expect(whole.locator("#top h1")).to_be_visible(timeout=30_000)
    assert re.search(r"view=compare.*layer=score", whole.url) and "embed" not in whole.url
    assert "layer=score" in inner.evaluate("location.search")  # the frame is where it was
    context.close()


@pytest.mark.parametrize("view", ["lesson", "losses"])
def test_views_inside_the_lesson_stand_alone_too(browser: Browser, address: str, view: str) -> None:
    context = browser.new_context(viewport={"width": 1100, "height": 700})
    page = context.new_page()
    page.goto(f"{address}/?view={view}&embed=1")
    root = {"lesson": ".seps-lesson canvas", "losses": "#playground .seps-now"}[view]
    expect(page.locator(root).first).to_be_visible(timeout=30_000)
    expect(page.locator("#views [role=tab]").locator("visible=true")).to_have_count(0)
    page.wait_for_function(f"new URLSearchParams(location.search).get('view') === '{view}'")
    assert "embed=1" in page.url
    context.close()

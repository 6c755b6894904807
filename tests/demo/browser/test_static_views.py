"""Captions, Compare and Why on the page without a server, as people use them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from demo.galleries.scenes import scenes_gallery
from tests.helpers.static_site import READY, ask, score, watched_page

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched_page(browser) as page:
        yield page


def query(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def open_view(page: Page, address: str, name: str, link: str = "") -> None:
    """Open a view by its tab, or by a link to it, and wait for its pictures."""
    page.goto(address + link)
    if not link:
        page.locator(f"#tab-{name}").click()
    expect(page.locator(f"#{name} canvas").first).to_be_visible(timeout=READY)


def test_a_photograph_ranks_captions(page: Page, static_address: str) -> None:
    open_view(page, static_address, "captions")
    rows = page.locator("#captions-ranking .row")
    expect(rows).to_have_count(30)
    expect(page.locator("#captions-ranking .line").first).to_contain_text("1000 captions ranked in")
    expect(page.locator("#captions-ranking .recall")).to_contain_text("R@1 hit")
    page.locator("#captions-strip [data-index='7']").click()
    page.wait_for_function("new URLSearchParams(location.search).get('photo') === '7'")
    rows.nth(4).click()
    caption = rows.nth(4).locator(".caption").inner_text()
    page.wait_for_function("(text) => new URLSearchParams(location.search).get('caption') === text", arg=caption)
    assert f"{score(page, '#captions-viewer'):.3f}" == rows.nth(4).locator(".score").inner_text()
    page.go_back()
    page.wait_for_function("(text) => new URLSearchParams(location.search).get('caption') !== text", arg=caption)
    expect(page.locator("#captions-ranking .row[aria-pressed=true]")).to_have_attribute("data-rank", "1")


def test_typed_captions_are_ranked_alone_and_among_others(page: Page, static_address: str, tmp_path: Path) -> None:
    open_view(page, static_address, "captions", "?view=captions&model=scenes&gallery=scenes&photo=7")
    page.fill("#captions-typed textarea", "a red car\na zebra")
    page.get_by_label("typed ones alone").check()
    rows = page.locator("#captions-ranking .row.typed")
    expect(rows).to_have_count(2)
    expect(page.locator("#captions-ranking .recall")).to_contain_text("recall is not counted")
    assert query(page)["typed"] == "a red car\na zebra" and query(page)["pool"] == "typed ones alone"
    page.fill("#captions-typed textarea", "a red car\n\u72ac")
    expect(page.locator("#captions-said [role=alert]")).to_contain_text("Line 2: The model knows none of the words")
    page.locator("#captions-pool input").first.click()
    expect(page.get_by_label("typed ones alone")).to_be_checked()  # as what stands there
    page.fill("#captions-typed textarea", "a red car")
    page.wait_for_function("new URLSearchParams(location.search).get('typed') === 'a red car'")
    page.locator("#captions-pool input").first.check()
    expect(page.locator("#captions-ranking .line").first).to_contain_text("1001 captions ranked in")
    with page.expect_download() as waiting:
        page.locator("#captions-ranking").get_by_role("button", name="ranking as CSV").click()
    waiting.value.save_as(tmp_path / "captions.csv")
    lines = (tmp_path / "captions.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "rank,caption,score,written for this photo" and len(lines) == 1002
    assert sum(line.endswith(",yes") for line in lines) == 5 and sum(line.endswith(",") for line in lines) == 1


def test_a_link_to_captions_shows_what_it_names(page: Page, static_address: str) -> None:
    caption, typed = "a pink parasol on the beach", "a red car\na pink parasol on the beach"
    link = "?view=captions&model=scenes&gallery=scenes&photo=7&caption=a+pink+parasol+on+the+beach"
    link += "&pool=scenes&typed=a+red+car%0Aa+pink+parasol+on+the+beach&layer=effect&opacity=40"
    open_view(page, static_address, "captions", link)
    expect(page.locator("#captions-viewer .seps-reading")).to_contain_text("if this one decision is flipped")
    assert query(page) == {
        "view": "captions", "model": "scenes", "gallery": "scenes", "photo": "7", "caption": caption,
        "pool": "scenes", "typed": typed, "layer": "effect", "opacity": "40",
    }  # fmt: skip
    expect(page.locator("#captions-typed textarea")).to_have_value(typed)
    page.goto(f"{static_address}?view=captions&gallery=scenes&photo=none")
    expect(page.locator("#captions-said [role=alert]")).to_contain_text("has no photo none", timeout=READY)
    expect(page.locator("#captions-viewer canvas").first).to_be_visible(timeout=READY)


def test_a_photo_of_ones_own_ranks_captions_and_back_brings_it_back(
    page: Page, static_address: str, tmp_path: Path
) -> None:
    items = scenes_gallery().items
    items[7].photo().save(tmp_path / "mine.png")
    open_view(page, static_address, "captions", "?view=captions&model=scenes&gallery=scenes&photo=7")
    first = page.locator("#captions-ranking .row").first
    caption, points = first.locator(".caption").inner_text(), float(first.locator(".score").inner_text())
    page.locator("#captions-own summary").click()
    page.set_input_files("#captions-upload", tmp_path / "mine.png")
    expect(page.locator("#captions-viewer .seps-credit, #captions-viewer .seps-foot").first).to_contain_text("mine.png")
    assert "photo" not in query(page)
    expect(first.locator(".caption")).to_have_text(caption)
    assert abs(float(first.locator(".score").inner_text()) - points) < 3e-3
    page.locator("#captions-strip [data-index='0']").click()
    page.wait_for_function("new URLSearchParams(location.search).get('photo') === '0'")
    page.go_back()
    expect(page.locator("#captions-viewer .seps-foot")).to_contain_text("mine.png")


def test_captions_are_compared_and_lead_to_why(page: Page, static_address: str, tmp_path: Path) -> None:
    link = "?view=compare&model=scenes&gallery=scenes&photo=7&caption=a+pink+parasol%0Aan+island+far+away"
    open_view(page, static_address, "compare", link)
    expect(page.locator("#compare figure")).to_have_count(2)
    assert query(page)["caption"] == "a pink parasol\nan island far away"
    page.locator("#compare [data-layer=blanked]").click()
    page.wait_for_function("new URLSearchParams(location.search).get('layer') === 'blanked'")
    expect(page.locator("#compare .seps-legend-place")).to_contain_text("loss of")
    with page.expect_download() as waiting:
        page.locator("#compare").get_by_role("button", name="as PNG").click()
    waiting.value.save_as(tmp_path / "compare.png")
    assert waiting.value.suggested_filename.endswith("-compare-blanked.png")
    assert Image.open(tmp_path / "compare.png").size[0] == 1272
    page.fill("#compare-captions textarea", "a pink parasol")
    expect(page.locator("#compare-said [role=alert]")).to_contain_text("1 captions are there, but 2 to 6")
    page.locator("#compare-strip [data-index='3']").click()
    page.wait_for_function("new URLSearchParams(location.search).get('photo') === '3'")
    box = page.locator("#compare-captions textarea")
    assert query(page)["caption"] == box.input_value() and len(box.input_value().splitlines()) >= 2
    page.go_back()
    expect(box).to_have_value("a pink parasol\nan island far away")
    page.locator("#compare .seps-why-ask").click()
    expect(page.locator("#why canvas").first).to_be_visible()
    assert {query(page)["caption"], query(page)["other"]} == {"a pink parasol", "an island far away"}


def test_why_sets_two_side_by_side_word_by_word(page: Page, static_address: str, tmp_path: Path) -> None:
    page.goto(static_address)
    ask(page, "a red car on the street")
    rows = page.locator("#ranking .row")
    rows.nth(4).click()
    right = rows.nth(4).get_attribute("data-index") or ""
    page.wait_for_function("(key) => new URLSearchParams(location.search).get('photo') === key", arg=right)
    page.locator("#ranking .ask-why").click()
    expect(page.locator("#why canvas").first).to_be_visible()
    assert query(page)["view"] == "why" and query(page)["against"] == right
    sums = [
        float(page.locator("#why .seps-why-sum output").nth(side).get_attribute("data-value") or 0) for side in (0, 1)
    ]
    for kind, file in (("JSON", "why.json"), ("CSV", "why.csv"), ("PNG", "why.png")):
        with page.expect_download() as waiting:
            page.locator("#why").get_by_role("button", name=f"as {kind}").click()
        waiting.value.save_as(tmp_path / file)
    record = json.loads((tmp_path / "why.json").read_text(encoding="utf-8"))
    for side, total in zip(("left", "right"), sums, strict=True):
        parts = [*record["words"], *record["rest"].values()]
        assert abs(sum(part[side] for part in parts) - total) < 1e-9
    assert (tmp_path / "why.csv").read_text(encoding="utf-8-sig").startswith("part,kind,left,right,difference,")
    assert Image.open(tmp_path / "why.png").size[0] == 1272
    word = page.locator("#why [data-word]").first
    word.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#why .seps-reading")).to_have_text(word.get_attribute("title") or "")
    page.keyboard.press("Escape")
    page.locator("#why select").last.select_option(index=0)
    page.wait_for_function("(key) => new URLSearchParams(location.search).get('photo') === key", arg=right)
    page.fill("#why-other textarea", "a yellow boat")
    page.wait_for_function("new URLSearchParams(location.search).get('other') === 'a yellow boat'")
    page.go_back()
    expect(page.locator("#why select")).to_have_count(2)
    page.fill("#why-caption textarea", "a yellow boat on the sea")
    page.fill("#why-other textarea", "a red car")  # before the first is answered
    page.wait_for_function(
        "['caption', 'other'].map((name) => new URLSearchParams(location.search).get(name)).join() ==="
        " 'a yellow boat on the sea,a red car'"
    )
    page.goto(f"{static_address}?view=why&gallery=scenes&against=3")
    expect(page.locator("#why-said [role=alert]")).to_contain_text("it needs a caption", timeout=READY)


def test_losses_are_there_with_what_was_measured_and_move_with_the_settings(page: Page, static_address: str) -> None:
    page.goto(static_address)
    page.locator("#tab-losses").click()
    losses = page.locator("#losses")
    expect(losses).to_contain_text("Precomputed")
    now = losses.locator("[data-loss]")
    expect(now).to_have_text(re.compile(r"\d\.\d{4}"))
    before = now.inner_text()
    expect(losses.locator(".seps-claim [data-holds=true]")).to_have_count(4)
    expect(losses.locator(".seps-claim button")).to_have_count(0)
    expect(losses.locator("#training-guide svg").first).to_be_visible()
    losses.get_by_role("button", name="Hardest negatives").click()
    page.wait_for_function("new URLSearchParams(location.search).get('mining') === 'hardest'")
    expect(now).not_to_have_text(before)
    losses.get_by_label("Kept share").fill("0.6")
    page.wait_for_function("new URLSearchParams(location.search).get('share') === '0.6'")
    link = urlsplit(page.url).query
    page.locator("#tab-search").click()
    page.go_back()
    expect(losses).to_be_visible()
    page.goto(f"{static_address}?{link}")
    expect(losses.get_by_label("Kept share")).to_have_value("0.6")
    expect(losses.get_by_role("button", name="Hardest negatives")).to_have_attribute("aria-pressed", "true")
    for wrong, message in (
        ("margin=much", "margin is much, but a number is needed"),
        ("share=2", "share is 2, but it must lie between 0 and 1"),
        ("mining=some", "mining is some, but it must be all or hardest"),
    ):
        page.goto(f"{static_address}?view=losses&{wrong}")
        expect(page.locator("#losses-said [role=alert]")).to_contain_text(message)
        expect(now).to_have_text(before)


@pytest.mark.parametrize("view", ["captions", "compare", "why"])
def test_on_a_phone_a_view_is_as_wide_as_the_screen(browser: Browser, static_address: str, view: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    open_view(page, static_address, view, f"?view={view}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator(f"#{view} canvas").first.bounding_box()
    assert box is not None and box["y"] < 844
    context.close()

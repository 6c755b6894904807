"""What people save on the new page, and what large galleries and videos need there."""

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.demo.browser.places.conftest import Opener
from tests.demo.browser.places.test_explore import COFFEE, COFFEE_LINK, ready, score


def saved(page: Page, name: str) -> bytes:
    """The file that the visible menu "Download" saves under a name."""
    page.locator("summary:visible", has_text="Download").click()
    with page.expect_download() as download:
        page.locator(f"[data-file='{name}']:visible").click()
    assert download.value.suggested_filename.startswith("seps-")
    return Path(download.value.path()).read_bytes()


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"))))


def test_explore_saves_what_is_in_sight_and_its_menu_needs_no_mouse(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    expect(page.locator(".ranked-photo")).to_have_count(14)
    rows = table(saved(page, "ranking.csv"))
    scores = page.locator(".ranked-photo .score").evaluate_all(
        "(all) => all.map(({ dataset }) => Number(dataset.score))"
    )
    assert [float(row["score"]) for row in rows] == pytest.approx(scores, abs=1e-5)
    numbers = json.loads(saved(page, "pair.json"))
    assert numbers["caption"] == COFFEE
    assert numbers["explanation"]["similarity"] == pytest.approx(score(page), abs=1e-5)
    assert min(Image.open(BytesIO(saved(page, "pair.png"))).size) > 300
    expect(page.locator(".message.note")).to_contain_text("Saved as seps-")
    page.reload()
    ready(page).locator(".download summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-file='pair.png']")).to_be_visible()  # the menu is filled when it opens
    page.keyboard.press("Tab")
    expect(page.locator("[data-file='pair.png']")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".download summary")).to_be_focused()
    expect(page.locator(".download .more-list")).to_be_hidden()


def test_two_captions_follow_a_video(visit: Opener) -> None:
    page = visit("?gallery=moving")
    curve = page.get_by_role("slider", name="S(I, T) through the video")
    expect(curve).to_be_visible()
    expect(page.locator(".photo-title")).not_to_be_empty()
    before = page.locator(".photo-title").inner_text()
    curve.press("Home")
    curve.press("ArrowRight")
    expect(page.locator(".photo-title")).not_to_have_text(before)
    page.get_by_role("textbox", name="A second caption").fill("a blue circle")
    page.get_by_role("button", name="Follow both").click()
    expect(page.locator("polyline.curve")).to_have_count(2)
    assert "other=a+blue+circle" in page.url
    rows = table(saved(page, "film.csv"))
    assert "a blue circle" in rows[0] and len(rows) == int(curve.get_attribute("aria-valuemax") or 0) + 1
    assert Image.open(BytesIO(saved(page, "film.gif"))).n_frames > 1  # type: ignore[attr-defined]
    page.get_by_role("button", name="Compare both on this frame").click()
    expect(page.locator("#captions-box")).to_have_value(f"{rows and next(iter(list(rows[0])[1:2]))}\na blue circle")


def test_a_large_gallery_is_filtered_and_grows(visit: Opener) -> None:
    page = visit("?gallery=scenes")
    names = page.get_by_role("searchbox", name="Search by name")
    expect(page.locator(".ranked-photo")).to_have_count(24)
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".ranked-photo")).to_have_count(48)
    wanted = page.locator(".ranked-photo .title").nth(30).inner_text()
    names.fill(wanted)
    expect(page.locator(".ranked-photo .title").first).to_contain_text(wanted)
    assert page.locator(".ranked-photo").count() < 24
    names.fill("zzz")
    expect(page.get_by_role("alert")).to_contain_text("zzz")


def test_captions_are_ranked_for_the_photo(visit: Opener) -> None:
    page = ready(visit(f"{COFFEE_LINK}&mode=captions"))
    expect(page.locator(".ranked-caption").first).to_contain_text("own caption")
    second = page.locator(".ranked-caption").nth(1)
    second.click()
    chosen = second.locator(".title").evaluate("(title) => title.firstChild.textContent")
    expect(page.locator("#caption")).to_have_value(chosen)
    page.get_by_label("Captions to rank").select_option(label="Only my captions")
    page.get_by_label("Your captions").fill("a cup\na lion")
    expect(page.locator(".ranked-caption")).to_have_count(2)
    rows = table(saved(page, "captions.csv"))
    assert {row["caption"] for row in rows} == {"a cup", "a lion"}


def test_a_closed_gallery_says_why_and_a_missing_camera_blanks_nothing(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    closed = page.locator(".sources option[value=open-photos]")
    expect(closed).to_be_disabled()
    expect(closed).to_contain_text("fetching is off")
    page.get_by_role("button", name="Camera", exact=True).click()
    expect(page.locator(".seps-camera")).to_contain_text("camera")
    expect(page.locator(".photo-title")).to_have_text("coffee")
    page.get_by_role("button", name="Camera", exact=True).click()
    expect(page.locator(".stage-canvas")).to_be_visible()

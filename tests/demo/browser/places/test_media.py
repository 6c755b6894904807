"""A camera and a video of one's own, the page in Chinese, and Back."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from demo.galleries.sources.named import examples_gallery
from tests.demo.browser.places.conftest import Opener
from tests.demo.browser.places.test_explore import COFFEE, COFFEE_LINK, ready
from tests.helpers.pictures.clips import BLUE, RED, write_clip
from tests.helpers.web.camera import camera_page

CHINESE = re.compile("[一-鿿]")


@pytest.mark.parametrize("allowed", [True, False])
def test_a_camera_is_looked_at_frozen_or_denied(
    browser: Browser, page_address: str, tmp_path: Path, allowed: bool
) -> None:
    pictures = [item.photo() for item in examples_gallery().items[:3]]
    with camera_page(browser.browser_type, pictures, tmp_path, allowed) as page:
        page.goto(f"{page_address}/{COFFEE_LINK}")
        ready(page).get_by_role("button", name="Camera", exact=True).click()
        if not allowed:
            expect(page.locator(".seps-camera-says")).to_contain_text("The camera was not allowed")
            return
        expect(page.locator(".seps-camera-score")).to_contain_text("patches kept", timeout=60_000)
        expect(page.locator(".seps-camera-says")).to_contain_text("Nothing is stored.")
        page.locator(".seps-camera-words button").nth(2).click()
        page.get_by_role("button", name="Freeze this frame").click()
        expect(page.locator(".photo-title")).to_have_text("camera.jpg", timeout=60_000)
        assert "camera" not in page.url


def test_a_video_is_read_or_refused(visit: Opener, uploads: Path, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.webm", [(RED, 4), (BLUE, 4)])
    (tmp_path / "text.mp4").write_text("no video")
    page = ready(visit(COFFEE_LINK))
    chosen = page.locator(".sources input[type=file]")
    chosen.set_input_files(tmp_path / "text.mp4")
    expect(page.get_by_role("alert")).to_contain_text("is no video by its content")
    expect(page.locator(".photo-title")).to_have_text("coffee")
    chosen.set_input_files(clip)
    expect(page.locator(".timeline polyline")).to_have_count(1)
    assert not list(uploads.rglob("*.webm")) and not list(uploads.rglob("text.mp4"))


def test_the_page_speaks_chinese_until_it_is_switched_back(visit: Opener, page_address: str) -> None:
    page = ready(visit(COFFEE_LINK))
    page.get_by_role("link", name="中文").click()
    expect(page.locator("[data-place=learn]")).to_have_text(CHINESE)
    assert page.evaluate("document.documentElement.lang") == "zh-CN" and "lang=zh" in page.url
    page.fill("#caption", " ")
    expect(page.get_by_role("alert")).to_have_text(CHINESE)
    page.goto(f"{page_address}/?view=learn")  # this browser remembers
    expect(page.locator(".seps-lesson h2")).to_have_text(CHINESE)
    page.get_by_role("link", name="English").click()
    expect(page.locator(".seps-lesson h2")).to_contain_text("patches")
    assert "lang" not in page.url or "lang=en" in page.url


def test_back_leads_through_places_and_never_out(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    for place in ("compare", "learn", "lab"):
        page.locator(f"[data-place={place}]").click()
        expect(page.locator(f"[data-place={place}]")).to_have_attribute("aria-current", "page")
    for place in ("learn", "compare", "explore"):
        page.go_back()
        expect(page.locator(f"[data-place={place}]")).to_have_attribute("aria-current", "page")
    expect(page.locator("#caption")).to_have_value(COFFEE)
    expect(page.locator(".photo-title")).to_have_text("coffee")

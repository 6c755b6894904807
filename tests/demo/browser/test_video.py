"""A video and a camera in Photos, in a browser."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from demo.galleries.moving import create_moving_gallery
from tests.demo.browser.page import SIZES, WAIT, opened
from tests.helpers.camera_latency import camera_page
from tests.helpers.clips import BLUE, RED, encode_clip, plain, write_clip

LINK = "?view=search&gallery=moving&caption=a+white+balloon&other=a+brown+rabbit"


@pytest.mark.parametrize("size", SIZES)
def test_a_timeline_is_stepped_through_by_key_and_pointer(browser: Browser, scenes_address: str, size: str) -> None:
    with opened(browser, scenes_address, LINK, SIZES[size]) as page:
        plot = page.get_by_role("slider", name="S(I, T) through the video")
        expect(plot.locator("polyline")).to_have_count(2)
        page.wait_for_url("**photo=**")  # the link is answered
        best = page.url
        plot.focus()
        plot.press("Home")
        expect(plot).to_have_attribute("aria-valuenow", "0")
        for _ in range(3):
            plot.press("ArrowRight")
        expect(plot).to_have_attribute("aria-valuenow", "3")
        page.wait_for_url("**photo=0.750**")
        expect(page.locator("#viewer")).to_contain_text("0:00.75")
        assert parse_qs(urlsplit(page.url).query)["other"] == ["a brown rabbit"]
        box = plot.bounding_box()
        assert box is not None
        plot.click(position={"x": box["width"] - 12, "y": 40})
        page.wait_for_url("**photo=5.750**")
        if page.locator(".timeline summary").is_visible():  # the picture comes first where there is little place
            page.locator(".timeline summary").click()
        page.locator(".timeline .tile").first.click()
        page.wait_for_url("**photo=0.000**")
        page.go_back()  # all steps are one entry
        page.wait_for_url(best)


def test_both_captions_are_compared_on_the_frame(browser: Browser, scenes_address: str) -> None:
    with opened(browser, scenes_address, LINK) as page:
        page.get_by_role("button", name="Compare both on this frame").click()
        expect(page.locator("#compare")).to_contain_text("a brown rabbit")
        assert parse_qs(urlsplit(page.url).query)["gallery"] == ["moving"]


def test_a_video_is_sent_read_stopped_and_refused(
    browser: Browser, scenes_address: str, uploads: Path, tmp_path: Path
) -> None:
    clip = write_clip(tmp_path / "clip.webm", [(RED, 4), (BLUE, 4)])
    long = write_clip(tmp_path / "long.webm", [(RED, 130)], size=(32, 32), rate=1)
    (tmp_path / "text.mp4").write_text("no video")
    with opened(browser, scenes_address) as page:
        page.get_by_role("button", name="Your photos or video").click()
        chosen = page.locator("#own-video input[type=file]")
        says = page.locator(".seps-video-says")
        chosen.set_input_files(long)
        expect(says).to_have_text("long.webm lasts 130 s, but a video may last 120: cut it.")
        chosen.set_input_files(tmp_path / "text.mp4")
        expect(page.locator("#said")).to_contain_text('"text.mp4" is no video by its content')
        chosen.set_input_files(clip)
        expect(page.locator("#gallery label", has_text="own-video")).to_be_visible(timeout=WAIT)
        expect(page.locator(".timeline polyline")).to_have_count(1)
        late = encode_clip(tmp_path / "late.webm", "libvpx", plain(RED, 10), start=36000)  # begins at 1 h
        chosen.set_input_files(late)
        expect(says).to_contain_text("late.webm: frame", timeout=WAIT)
        expect(says).to_be_hidden(timeout=WAIT)
        assert not list(uploads.rglob("*.webm")) and not list(uploads.rglob("text.mp4"))


def test_a_camera_is_looked_at_frozen_and_denied(browser: Browser, scenes_address: str, tmp_path: Path) -> None:
    pictures = [item.photo() for item in create_moving_gallery().items]
    with camera_page(browser.browser_type, pictures, tmp_path) as page:
        page.goto(scenes_address + "/")
        page.locator("#viewer canvas:visible").first.wait_for()
        page.locator("#camera button").click()
        expect(page.locator(".seps-camera-score")).to_contain_text("patches kept", timeout=WAIT)
        expect(page.locator(".seps-camera-says")).to_contain_text("Nothing is stored.")
        expect(page.locator("#viewer")).to_be_hidden()
        page.locator(".seps-camera-words button").nth(2).click()
        page.get_by_role("button", name="Freeze this frame").click()
        expect(page.locator("#gallery label", has_text="camera")).to_be_visible(timeout=WAIT)
        expect(page.locator("#viewer")).to_contain_text("camera.jpg")
        expect(page.locator("#camera button")).to_have_attribute("aria-pressed", "false")
    with camera_page(browser.browser_type, pictures, tmp_path, allowed=False) as page:
        page.goto(scenes_address + "/")
        page.locator("#viewer canvas:visible").first.wait_for()
        page.locator("#camera button").click()
        expect(page.locator(".seps-camera-says")).to_contain_text("The camera was not allowed")

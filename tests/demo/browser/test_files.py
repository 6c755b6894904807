"""Photos that people bring, and files that they take away."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import httpx
import pytest
from demo.views.examples import FIRST_CAPTION, FIRST_PHOTO
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, expect

from demo.drawing.formats import file_name
from demo.service.retrieval import RetrievalService
from tests.demo.browser.conftest import served
from tests.demo.browser.page import opened

# Playwright leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "open_photos"


def drawn(folder: Path, name: str, colour: str) -> Path:
    """A small drawn photo."""
    image = Image.new("RGB", (320, 240), "white")
    ImageDraw.Draw(image).ellipse((60, 40, 260, 200), fill=colour)
    image.save(folder / name)
    return folder / name


def saved(page: Page, label: str, where: str) -> tuple[str, bytes]:
    """Click a download button; the file's name and content."""
    with page.expect_download() as waiting:
        page.locator(where).get_by_role("button", name=label).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


@pytest.mark.journey
def test_a_photo_of_ones_own_is_ranked_and_lies_where_nobody_finds_it(
    browser: Browser, address: str, tmp_path: Path, uploads: Path
) -> None:
    with opened(browser, address, kept=True) as page:
        page.get_by_role("tab", name="Captions", exact=True).click()
        page.get_by_role("button", name="A photo of your own").click()
        page.locator("#captions-upload input[type=file]").set_input_files(drawn(tmp_path, "ball.png", "red"))
        expect(page.locator("#captions-viewer .seps-credit")).to_contain_text("ball.png")
        expect(page.locator("#captions-ranking .recall")).to_contain_text("recall is not counted")
        assert "ball" not in page.url
        (stored,) = (file for file in uploads.rglob("*") if file.name == "ball.png")
        again = httpx.post(f"{address}/gradio_api/upload", files={"files": ("ball.png", stored.read_bytes())})
        assert Path(again.json()[0]).parents[2] != stored.parents[2]  # the same content, under another name


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("broken.png", b"\x89PNG\r\n\x1a\nrest", "broken.png"),
        ("text.jpg", b"this is no photo", "text.jpg"),
    ],
)
def test_a_broken_photo_is_told_and_nothing_is_lost(
    browser: Browser, address: str, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with opened(browser, address) as page:
        page.get_by_role("tab", name="Captions", exact=True).click()
        expect(page.locator("#captions-ranking .caption")).to_have_count(30)
        before = page.locator("#captions-ranking .caption").all_inner_texts()
        page.get_by_role("button", name="A photo of your own").click()
        page.locator("#captions-upload input[type=file]").set_input_files(tmp_path / name)
        expect(page.locator("#captions-said .problem")).to_contain_text(message)
        assert page.locator("#captions-ranking .caption").all_inner_texts() == before


def test_a_set_of_photos_is_searched_for_the_session(browser: Browser, address: str, tmp_path: Path) -> None:
    files = [drawn(tmp_path, f"{colour}.png", colour) for colour in ("red", "blue", "green")]
    (tmp_path / "broken.jpg").write_bytes(b"no photo")
    with opened(browser, address) as page:
        page.get_by_role("button", name="Your photos or video").click()
        page.locator("#uploads input[type=file]").set_input_files([*files, tmp_path / "broken.jpg"])
        expect(page.locator("#ranking .title")).to_have_count(3)
        expect(page.locator("#said")).to_contain_text("broken.jpg")
        page.locator("#caption textarea").fill("a blue ball")
        expect(page.locator("#ranking .line").first).to_contain_text("3 photographs ranked")
    with opened(browser, address) as page:  # another person
        expect(page.locator("#ranking .title")).to_have_count(14)
        expect(page.locator("#gallery")).not_to_contain_text("uploads")


def test_every_file_of_a_picture(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    record = service.explain(indexed, indexed.gallery.position(FIRST_PHOTO), FIRST_CAPTION)
    with opened(browser, address) as page:
        name, content = saved(page, "Download as PNG", "#viewer")
        assert name == file_name("photos", FIRST_PHOTO, "mask", "png")
        with Image.open(io.BytesIO(content)) as image:
            assert image.width >= 1400  # two pixels a CSS pixel
        page.locator("#viewer [data-layer=score]").click()
        name, content = saved(page, "Download as SVG", "#viewer")
        assert name == file_name("photos", FIRST_PHOTO, "score", "svg")
        text = " ".join(
            "".join(part.itertext()) for part in ET.fromstring(content).iter("{http://www.w3.org/2000/svg}text")
        )
        for expected in (FIRST_CAPTION, f"{record.similarity:.4f}"[:5], "photos"):
            assert expected in text
        name, content = saved(page, "Download as PDF", "#viewer")
        assert (name[-4:], content[:5]) == (".pdf", b"%PDF-")
        name, content = saved(page, "Download as JSON", "#viewer")
        value = json.loads(content)
        assert value["caption"] == FIRST_CAPTION
        assert value["explanation"]["similarity"] == pytest.approx(record.similarity, abs=1e-5)
        name, content = saved(page, "Download the ranking as CSV", "#ranking")
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
        assert (len(rows), rows[0]["photo"]) == (14, FIRST_PHOTO)
        page.get_by_role("tab", name="Compare").click()
        name, content = saved(page, "Download as PNG", "#compare")
        with Image.open(io.BytesIO(content)) as image:
            assert image.width > image.height / 2
        page.get_by_role("tab", name="Captions", exact=True).click()
        name, content = saved(page, "Download the ranking as CSV", "#captions-ranking")
        assert len(list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))) == 71


@pytest.mark.slow
def test_open_photos_come_from_a_filled_cache_with_licence_and_author(
    browser: Browser, address: str, cache: Path, uploads: Path, tmp_path: Path
) -> None:
    # A server and a cache of its own: for all other tests the open photos cannot be had.
    filled = shutil.copytree(cache, tmp_path / "cache")  # `address` has filled it with what the examples need
    with served(uploads, "-m", "tests.helpers.old_page", str(filled)) as url, opened(browser, url) as page:
        page.locator("#gallery").get_by_text("open-photos").click()
        expect(page.locator("#said .problem")).to_contain_text("0 of 79 open photos are in the cache")
        expect(page.locator("#ranking .title")).to_have_count(14)
        if not SHARED.is_dir():
            pytest.skip(f"{SHARED} is not there")
        shutil.copytree(SHARED / "images", filled / "open_photos", dirs_exist_ok=True)
        page.locator("#gallery").get_by_text("examples").click()
        page.locator("#gallery").get_by_text("open-photos").click()
        expect(page.locator("#ranking .line").first).to_contain_text("79 photographs ranked", timeout=90_000)
        expect(page.locator("#ranking .title")).to_have_count(24)
        page.locator("#ranking .row").nth(1).click()
        links = page.locator("#viewer .seps-credit a")
        expect(links).to_have_count(2)
        assert re.match(r"https://www\.flickr\.com/photo\.gne\?id=\d+$", str(links.nth(0).get_attribute("href")))
        assert "creativecommons.org" in str(links.nth(1).get_attribute("href"))

"""Behind a reverse proxy that strips a path: all of the app works there, and asks for nothing beside it."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from gradio_client import Client, handle_file  # type: ignore[import-untyped]
from PIL import Image
from playwright.sync_api import Browser, expect

from demo.screens.examples import FIRST_CAPTION
from tests.demo.browser.conftest import served
from tests.demo.browser.page import opened, shown, titles
from tests.demo.browser.test_files import drawn, saved
from tests.helpers.proxy import proxied

# Playwright and gradio_client leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
ROOT = "/hosted/seps"


def test_the_whole_app_works_below_a_path(
    browser: Browser, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_ROOT_PATH", f"{ROOT}/")
    uploads = tmp_path / "uploads"
    command = ("app.py", "--cache", str(cache), "--no-fetch", "--port")
    with served(uploads, *command, ready="/") as behind, proxied(behind, ROOT) as proxy:
        address = f"http://127.0.0.1:{proxy.server_port}{ROOT}"
        answers: list[tuple[int, str]] = []
        with opened(browser, address) as page:
            page.on("response", lambda answer: answers.append((answer.status, answer.url)))
            # The opening page: its scripts draw, its photographs load, and the app takes its place.
            assert page.evaluate("[...document.images].filter((one) => one.complete).every((one) => one.naturalWidth)")
            expect(page.locator("#caption textarea")).to_have_value(FIRST_CAPTION, timeout=120_000)
            expect(shown(page)).to_be_visible()
            # Events: a caption is typed, another photograph chosen, and the address follows.
            before = titles(page)
            page.locator("#caption textarea").fill("a cup of coffee on a table")
            expect(page.locator("#ranking .title").first).not_to_have_text(before[0])
            page.wait_for_function("new URLSearchParams(location.search).get('caption')?.includes('coffee')")
            assert page.url.startswith(f"{address}/?")
            # Downloads and uploads.
            name, content = saved(page, "PNG", "#viewer")
            assert (name.endswith(".png"), content[:4]) == (True, b"\x89PNG")
            page.get_by_role("tab", name="Captions", exact=True).click()
            page.get_by_role("button", name="A photo of your own").click()
            page.locator("#captions-upload input[type=file]").set_input_files(drawn(tmp_path, "ball.png", "red"))
            expect(page.locator("#captions-viewer .seps-credit")).to_contain_text("ball.png")
        with opened(
            browser, address, "?view=compare&photo=cat&caption=a+cat%0Aa+dog", canvas="#compare canvas"
        ) as page:
            expect(page.get_by_role("tab", name="Compare", exact=True)).to_have_attribute("aria-selected", "true")
        calls_work(address, tmp_path)
        assert set(proxy.strays) <= {"/favicon.ico"}  # the host's icon, which the browser asks for by itself
        assert [answer for answer in answers if answer[0] >= 400 and "opening/state" not in answer[1]] == []
    assert list(uploads.iterdir()) == []


def calls_work(address: str, folder: Path) -> None:
    """Endpoints: a call, an upload, and the file that comes back, also by its address alone."""
    client = Client(f"{address}/", verbose=False, download_files=str(folder / "downloads"))
    photo = handle_file(str(drawn(folder, "disc.png", "blue")))
    file = client.predict(photo, "", "a blue disc", "", "mask", "png", api_name="/picture")
    with Image.open(file) as picture:
        assert picture.width > 100
    client.close()
    sent = httpx.post(
        f"{address}/gradio_api/call/picture", json={"data": [None, "examples/cat", "a cat", "", "mask", "png"]}
    )
    answer = httpx.get(f"{address}/gradio_api/call/picture/{sent.json()['event_id']}", timeout=120).text
    url = json.loads(answer.strip().rpartition("data: ")[2])[0]["url"]
    assert url.startswith(f"{address}/gradio_api/file=")
    assert httpx.get(url).content[:4] == b"\x89PNG"

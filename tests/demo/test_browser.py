"""The page as a person meets it: `python app.py` in a process of its own, headless Chromium in front of it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from gradio_client import Client  # type: ignore[import-untyped]
from gradio_client.exceptions import AppError  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect, sync_playwright

from demo.views.arithmetic import random_record

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "tests" / "screenshots"
SIZES = {"1366x768": (1366, 768), "390x844": (390, 844)}
WAIT = 60_000  # milliseconds

# gradio_client and Playwright leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_SERVER_NAME": "127.0.0.1"}
    command = [sys.executable, "app.py", "--port", str(port)]
    app = subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            if app.poll() is not None:
                assert app.stderr is not None
                pytest.fail(f"app.py ended with {app.returncode}:\n{app.stderr.read()}")
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError:
                time.sleep(0.25)
        else:
            pytest.fail(f"app.py did not answer at {url} within 60 seconds.")
        yield url
    finally:
        app.terminate()
        app.communicate(timeout=20)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        pytest.fail("Chromium is missing: run `apt-get update && apt-get install -y chromium`, or put it on PATH.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def open_page(browser: Browser, address: str, size: tuple[int, int], scheme: str = "light") -> tuple[Page, list[str]]:
    """The page with its first view, and the requests that it made to anywhere else."""
    dark = scheme == "dark"
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light")
    strays: list[str] = []
    page.on(
        "request",
        lambda request: None if request.url.startswith((address, "data:", "blob:")) else strays.append(request.url),
    )
    page.goto(address)
    expect(page.locator("#terms table")).to_be_visible(timeout=WAIT)
    page.evaluate("document.fonts.ready")
    return page, strays


@pytest.mark.parametrize("name", SIZES)
def test_first_view_is_filled_and_follows_the_seed(browser: Browser, address: str, name: str) -> None:
    page, strays = open_page(browser, address, SIZES[name])
    first = random_record("paper", 14, 0.5, 0.4, 6, True, True, 0)
    similarity = page.locator("#similarity")
    expect(page.locator(".notice")).to_contain_text("nothing trained")
    expect(similarity).to_have_text(f"{first.similarity:.4f}")
    expect(page.locator("#summary")).to_contain_text("98 of 196 patches kept")
    pictures = page.locator(".results figure img")
    expect(pictures).to_have_count(18)
    loaded = "images => images.every(image => image.complete && image.naturalWidth > 0 && image.alt.length > 20)"
    assert pictures.evaluate_all(loaded)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    page.screenshot(path=SCREENSHOTS / f"{name}-whole.png", full_page=True)

    picture = pictures.first.get_attribute("src")
    seed = page.locator("#seed input")
    seed.fill("7")
    seed.press("Tab")
    second = random_record("paper", 14, 0.5, 0.4, 6, True, True, 7)
    assert f"{second.similarity:.4f}" != f"{first.similarity:.4f}"
    expect(similarity).to_have_text(f"{second.similarity:.4f}", timeout=WAIT)
    assert picture is not None
    expect(pictures.first).not_to_have_attribute("src", picture)
    assert strays == []
    page.close()


def test_dark_page_has_dark_pictures(browser: Browser, address: str) -> None:
    light, _ = open_page(browser, address, SIZES["1366x768"])
    dark, _ = open_page(browser, address, SIZES["1366x768"], "dark")
    pictures = [page.locator(".results figure img").first.get_attribute("src") for page in (light, dark)]
    assert pictures[0] != pictures[1]
    SCREENSHOTS.mkdir(exist_ok=True)
    dark.screenshot(path=SCREENSHOTS / "1366x768-dark.png", full_page=True)
    light.close()
    dark.close()


def test_controls_stay_in_view(browser: Browser, address: str) -> None:
    page, _ = open_page(browser, address, SIZES["1366x768"])
    page.mouse.wheel(0, 1200)
    page.wait_for_function("window.scrollY > 1000")
    expect(page.locator("#seed input")).to_be_in_viewport()
    page.close()


def test_bad_input_on_the_page_is_told_in_words(browser: Browser, address: str) -> None:
    page, _ = open_page(browser, address, SIZES["1366x768"])
    page.locator("#seed input").fill("-5")
    expect(page.locator(".toast-body")).to_contain_text("seed is -5, but it must be", timeout=WAIT)
    page.close()


def test_api_gives_the_record_and_the_librarys_words(address: str) -> None:
    client = Client(address, verbose=False, analytics_enabled=False)
    found = client.predict(side=8, words=3, seed=5, api_name="/explain_random")[0]
    record = random_record("paper", 8, 0.5, 0.4, 3, True, True, 5)
    assert found["similarity"] == pytest.approx(record.similarity)
    assert found["terms"] == pytest.approx(record.terms)
    with pytest.raises(AppError, match=r"sparse_ratio is 0, but it must lie in \(0, 1\]"):
        client.predict(sparse_ratio=0, api_name="/explain_random")
    client.close()

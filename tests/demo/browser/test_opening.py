"""What a person sees from the first second on: the worked example, then the app in its place."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from demo.opening.first import first_view
from demo.opening.server import Opening
from demo.screens.examples import FIRST_CAPTION
from tests.demo.browser.conftest import ROOT, SCREENSHOTS, served
from tests.demo.browser.page import SIZES, VEIL, opaque, opened, patch_colours, shown, titles
from tests.demo.galleries.test_worker import heed_interrupts

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


def test_the_worked_example_is_there_before_the_app_and_nothing_after_it(
    browser: Browser, cache: Path, tmp_path: Path
) -> None:
    view = first_view()
    assert view is not None
    command = ("app.py", "--cache", str(cache), "--no-fetch", "--port")
    with served(tmp_path, *command, ready="/") as address, opened(browser, address) as page:
        expect(page.locator("#state")).to_contain_text("A worked example to read while the model loads")
        expect(page.locator("output#caption")).to_have_text(FIRST_CAPTION)
        assert titles(page) == [item["title"] for item in view["ranking"]["items"]]
        expect(shown(page)).to_have_attribute("aria-label", re.compile(r"^98 of 196 patches kept"))
        opaque(page)
        branch = view["viewer"]["record"]["branches"][0]
        grid = tuple(view["viewer"]["record"]["grid"])
        dropped = (np.abs(patch_colours(shown(page), grid) - VEIL) <= 2).all(axis=1)
        np.testing.assert_array_equal(dropped, ~np.array(branch["kept"], dtype=bool))
        page.locator("#ranking .row").nth(3).click()
        expect(page.locator("#state")).to_contain_text("this works in a moment")
        # The app takes the page over by itself, with the same ranking and the same picture.
        expect(page.locator("#caption textarea")).to_have_value(FIRST_CAPTION, timeout=90_000)
        expect(page.locator("#ranking .title")).to_have_count(len(view["ranking"]["items"]))
        assert titles(page) == [item["title"] for item in view["ranking"]["items"]]
        answer = httpx.post(f"{address}/gradio_api/upload", files={"files": ("photo.png", b"pixels")})
        stored = Path(answer.raise_for_status().json()[0])
        assert stored.is_file()
        assert stored.is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []  # it was stopped by SIGTERM


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_stopped_while_it_opens(tmp_path: Path, number: signal.Signals) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "GRADIO_TEMP_DIR": str(tmp_path)}
    command = [sys.executable, "app.py", "--no-fetch", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as app:
        assert app.stdout is not None
        assert f":{port}" in app.stdout.readline()
        assert len(list(tmp_path.iterdir())) == 1
        app.send_signal(number)
        assert app.wait(timeout=60) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_both_sizes(
    browser: Browser, scheme: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    opening = Opening()
    try:
        with opened(browser, opening.address, size=size, scheme=scheme) as page:
            page.wait_for_function(  # those further along the row wait until they are swiped to
                "[...document.images].every((one) => one.complete || one.getBoundingClientRect().left > innerWidth)"
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            if size[0] > 1000:
                assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
            SCREENSHOTS.mkdir(exist_ok=True)
            page.screenshot(path=SCREENSHOTS / f"opening-{scheme}-{size[0]}.png")
        with opened(browser, opening.address, "?view=compare&photo=cat", canvas="#state span") as page:
            expect(page.locator(".screen")).to_be_hidden()
            expect(page.locator("#state")).to_contain_text("this page turns into the app by itself")
    finally:
        opening.close()

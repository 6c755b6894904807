"""What a person sees from the first second on: the worked example, then the app in its place."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from demo.opening.first import FILE, first_view
from tests.demo.browser.conftest import ROOT, free_port, served
from tests.demo.galleries.test_worker import heed_interrupts


def test_the_worked_example_is_there_before_the_app_and_nothing_after_it(
    browser: Browser, cache: Path, tmp_path: Path
) -> None:
    view = first_view(FILE)
    assert view is not None
    command = ("app.py", "--cache", str(cache), "--no-fetch", "--port")
    with served(tmp_path, *command, ready="/") as address:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(address)
        ranked = [item["title"] for item in view["ranking"]["items"]]
        shown = ranked[[item["index"] for item in view["ranking"]["items"]].index(view["ranking"]["selected"])]
        expect(page.locator("#caption")).to_have_value(view["viewer"]["caption"])
        expect(page.locator(".photo-title")).to_have_text(shown)
        assert page.locator(".ranked .title").all_inner_texts() == ranked
        kept = sum(view["viewer"]["record"]["branches"][0]["kept"])
        expect(page.locator("p.kept")).to_have_text(f"Kept {kept} of 196 patches")
        paint = page.get_by_role("button", name="Paint the mask")
        expect(paint).to_be_disabled()
        place = paint.bounding_box()
        # The app takes the page over by itself, with the same ranking and the same picture.
        expect(page.locator("[data-tool=whatif]")).to_be_visible(timeout=90_000)
        expect(paint).to_be_enabled()
        assert paint.bounding_box() == place
        assert page.locator(".ranked .title").all_inner_texts() == ranked
        expect(page.locator(".photo-title")).to_have_text(shown)
        page.close()
        answer = httpx.post(f"{address}/gradio_api/upload", files={"files": ("photo.png", b"pixels")})
        stored = Path(answer.raise_for_status().json()[0])
        assert stored.is_file()
        assert stored.is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []  # it was stopped by SIGTERM


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_stopped_while_it_opens(tmp_path: Path, number: signal.Signals) -> None:
    port = free_port()
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

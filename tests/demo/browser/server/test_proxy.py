"""Behind a reverse proxy that strips a path: the worked example, then the app; it asks for nothing beside the path."""

import json
from pathlib import Path

import httpx
import pytest
from gradio_client import Client, handle_file  # type: ignore[import-untyped]
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, expect

from demo.opening.first import FILE, first_view
from tests.demo.browser.conftest import served
from tests.demo.browser.server.proxy import proxied

# They leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
ROOT = "/hosted/seps"


def drawn(folder: Path, name: str, colour: str) -> Path:
    image = Image.new("RGB", (320, 240), "white")
    ImageDraw.Draw(image).ellipse((60, 40, 260, 200), fill=colour)
    image.save(folder / name)
    return folder / name


def test_the_whole_app_works_below_a_path(
    browser: Browser, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_ROOT_PATH", f"{ROOT}/")
    uploads, view = tmp_path / "uploads", first_view(FILE)
    assert view is not None
    command = ("app.py", "--cache", str(cache), "--no-fetch", "--port")
    with served(uploads, *command, ready="/") as behind, proxied(behind, ROOT) as proxy:
        address = f"http://127.0.0.1:{proxy.server_port}{ROOT}"
        answers: list[tuple[int, str]] = []
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.set_default_timeout(120_000)
        page.on("response", lambda answer: answers.append((answer.status, answer.url)))
        page.goto(f"{address}/")
        ranked = [item["title"] for item in view["ranking"]["items"]]
        shown = ranked[[item["index"] for item in view["ranking"]["items"]].index(view["ranking"]["selected"])]
        paint = page.get_by_role("button", name="Paint the mask")
        expect(paint).to_be_disabled()
        place = paint.bounding_box()
        for moment in ("the worked example", "the app in its place"):
            if moment == "the app in its place":  # which it takes by itself
                expect(page.locator("[data-tool=whatif]")).to_be_visible(timeout=120_000)
                expect(paint).to_be_enabled()
            expect(page.locator("#caption")).to_have_value(view["viewer"]["caption"])
            expect(page.locator(".photo-title")).to_have_text(shown)
            assert page.locator(".ranked .title").all_inner_texts() == ranked
            kept = sum(view["viewer"]["record"]["branches"][0]["kept"])
            expect(page.locator("p.kept")).to_have_text(f"Kept {kept} of 196 patches")
            assert paint.bounding_box() == place
        page.fill("#caption", "an orange flower with green leaves")
        expect(page.locator(".ranked .title").first).to_have_text("dahlia", timeout=60_000)
        page.wait_for_function("new URLSearchParams(location.search).get('caption')?.includes('orange flower')")
        assert page.url.startswith(f"{address}/?")
        page.set_input_files(".sources input[type=file]", drawn(tmp_path, "ball.png", "red"))
        expect(page.locator(".photo-title")).to_have_text("ball.png", timeout=60_000)
        images = "[...document.images].filter((one) => one.complete).every((one) => one.naturalWidth)"
        assert page.evaluate(images)
        page.goto(f"{address}/?view=compare&photo=cat&caption=a+cat%0Aa+dog")
        expect(page.locator(".seps-compare figure canvas").first).to_be_visible(timeout=60_000)
        page.close()
        calls_work(address, tmp_path)
        assert set(proxy.strays) <= {"/favicon.ico"}  # the host's icon, which the browser asks for by itself
        assert [answer for answer in answers if answer[0] >= 400 and "opening/state" not in answer[1]] == []
        sent = httpx.post(f"{address}/gradio_api/upload", files={"files": ("photo.png", b"pixels")})
        assert Path(sent.json()[0]).is_file() and Path(sent.json()[0]).is_relative_to(uploads)
    assert list(uploads.iterdir()) == []  # it was stopped by SIGTERM


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

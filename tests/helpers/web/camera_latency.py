"""From frame to mask in a browser with a camera: `python -m tests.helpers.web.camera_latency`.

Chromium's fake camera plays photographs of the examples for the model `photos`, and the scene that moves for `scenes`;
the app runs next to it on this machine. The page measures each frame's milliseconds, from when the picture was taken to
when its mask is drawn.
"""

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from PIL import Image
from playwright.sync_api import BrowserType, Page, sync_playwright

from demo.galleries.sources.named import examples_gallery
from demo.galleries.sources.scenes import MOVING, create_moving_gallery
from tests.demo.browser.conftest import CHROMIUM, served
from tests.helpers.web.chromium import find_chromium

SIZE = (640, 480)
FRAMES = 20
RATE = 10


def write_y4m(file: Path, pictures: Sequence[Image.Image], times: int = 1) -> Path:
    """Write pictures as the file that Chromium's fake camera plays, each so many times."""
    with file.open("wb") as stream:
        stream.write(f"YUV4MPEG2 W{SIZE[0]} H{SIZE[1]} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for picture in pictures:
            planes = cv2.cvtColor(np.asarray(picture.convert("RGB").resize(SIZE)), cv2.COLOR_RGB2YUV_I420)
            stream.write((b"FRAME\n" + planes.tobytes()) * times)
    return file


@contextmanager
def camera_page(
    chromium: BrowserType, pictures: Sequence[Image.Image], folder: Path, allowed: bool = True
) -> Iterator[Page]:
    """A page of a browser with a fake camera; if not allowed, every request for it is denied."""
    file = write_y4m(folder / "camera.y4m", pictures)
    options = ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={file}"]
    asking = "--use-fake-ui-for-media-stream" if allowed else "--deny-permission-prompts"
    browser = chromium.launch(executable_path=find_chromium(), args=[*CHROMIUM, *options, asking])
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    page.set_default_timeout(120_000)
    yield page
    browser.close()


def latencies(page: Page, address: str, gallery: str, count: int = FRAMES) -> list[float]:
    """Turn the camera on and collect the milliseconds from frame to mask of so many frames, the first left out."""
    page.goto(f"{address}/?gallery={gallery}")
    page.locator("[data-tool=whatif]:visible").wait_for()  # the numbers come from the app
    page.get_by_role("button", name="Camera", exact=True).click()
    stage = page.locator(".seps-camera[data-milliseconds]")
    stage.wait_for()
    return [float(text) for text in stage.evaluate(COLLECT, count)]


COLLECT = """(stage, count) => new Promise((done) => {
    const values = [];
    const observer = new MutationObserver(() => {
        values.push(stage.dataset.milliseconds);
        if (values.length === count) { observer.disconnect(); done(values); }
    });
    observer.observe(stage, { attributes: true, attributeFilter: ["data-milliseconds"] });
})"""


def main() -> None:
    """Measure both models and print what was measured."""
    photos = [item.photo() for item in examples_gallery().items]
    scenes = [item.photo() for item in create_moving_gallery().items]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        uploads = folder / "uploads"
        uploads.mkdir()
        with (
            sync_playwright() as playwright,
            served(uploads, "app.py", "--cache", str(folder / "cache"), "--no-fetch", "--port") as address,
        ):
            for gallery, model, pictures in (("examples", "photos", photos), (MOVING, "scenes", scenes)):
                with camera_page(playwright.chromium, pictures, folder) as page:
                    values = latencies(page, address, gallery)
                    median, quickest = statistics.median(values), min(values)
                    print(f"{model}: median {median:.0f} ms, least {quickest:.0f} ms, {len(values)} frames")


if __name__ == "__main__":
    main()

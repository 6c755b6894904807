"""A page of a browser with a fake camera."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from PIL import Image
from playwright.sync_api import BrowserType, Page

from tests.demo.browser.conftest import CHROMIUM
from tests.helpers.web.chromium import find_chromium

WIDTH, HEIGHT, RATE = 640, 480, 10


@contextmanager
def camera_page(
    chromium: BrowserType, pictures: Sequence[Image.Image], folder: Path, allowed: bool = True
) -> Iterator[Page]:
    """A page of a browser whose camera shows pictures in turn; if not allowed, every request for it is denied."""
    file = folder / "camera.y4m"
    with file.open("wb") as stream:  # the format that Chromium's fake camera plays
        stream.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for picture in pictures:
            pixels = np.asarray(picture.convert("RGB").resize((WIDTH, HEIGHT)))
            stream.write(b"FRAME\n" + cv2.cvtColor(pixels, cv2.COLOR_RGB2YUV_I420).tobytes())
    options = ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={file}"]
    asking = "--use-fake-ui-for-media-stream" if allowed else "--deny-permission-prompts"
    browser = chromium.launch(executable_path=find_chromium(), args=[*CHROMIUM, *options, asking])
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.set_default_timeout(120_000)
    yield page
    browser.close()

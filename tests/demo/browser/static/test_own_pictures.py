"""Pictures that a person opens on the page without a server: its pixels are those that Python reads."""

from base64 import b64encode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

from demo.galleries.reading.photos import read_photo
from tests.demo.browser.standalone import imported
from tests.helpers.pictures.odd_photos import saved
from tests.helpers.pictures.profiles import adobe_rgb, display_p3, grey, printer

OPEN = f"""async (content) => {{
    const {{ openPicture }} = {imported("engine/onnx/pictures.js")};
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    const {{ pixels, width, height, src }} = await openPicture(new File([bytes], "a picture"));
    const shown = await createImageBitmap(await (await fetch(src)).blob());
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(shown, 0, 0);
    const seen = context.getImageData(0, 0, width, height).data.filter((_, at) => at % 4 < 3);
    return {{ size: [height, width, 3], pixels: [...pixels], seen: [...seen] }};
}}"""


def smooth(mode: str = "RGB") -> Image.Image:
    pixels = np.random.default_rng(0).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return Image.fromarray(pixels).resize((64, 48), Image.Resampling.BICUBIC).convert(mode)


def drawing(colour: str) -> Image.Image:
    image = Image.new("RGBA", (64, 48), (255, 255, 255, 0))
    image.paste(colour, (8, 8, 30, 30))
    return image


def translucent() -> Image.Image:
    image = smooth("RGBA")
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    return image


FILES = {  # and how far a value may be off
    "Display P3, JPEG": (lambda: saved(smooth(), "JPEG", quality=95, icc_profile=display_p3()), 2),
    "Display P3, PNG": (lambda: saved(smooth(), "PNG", icc_profile=display_p3()), 2),
    "Adobe RGB, JPEG": (lambda: saved(smooth(), "JPEG", quality=95, icc_profile=adobe_rgb()), 2),
    "Adobe RGB, WEBP": (lambda: saved(smooth(), "WEBP", lossless=True, icc_profile=adobe_rgb()), 2),
    "grey": (lambda: saved(smooth("L"), "PNG", icc_profile=grey(1.8)), 2),
    "wrong space": (lambda: saved(smooth(), "JPEG", quality=95, icc_profile=printer()), 0),
    "damaged": (lambda: saved(smooth(), "PNG", icc_profile=b"no profile"), 0),
    "white drawing": (lambda: saved(drawing("white"), "PNG"), 0),
    "black drawing": (lambda: saved(drawing("black"), "PNG"), 0),
    "translucent": (lambda: saved(translucent(), "PNG"), 2),
}


@pytest.mark.parametrize("name", FILES)
def test_the_pixels_are_those_that_python_reads(page: Page, name: str) -> None:
    make, near = FILES[name]
    content = make()
    expected = np.asarray(read_photo(content).image).astype(int)
    given = page.evaluate(OPEN, b64encode(content).decode())
    pixels, seen = (np.array(given[key]).reshape(given["size"]) for key in ("pixels", "seen"))
    assert np.abs(pixels - expected).max() <= near
    assert np.abs(seen - expected).mean() <= 6  # what is shown is a JPEG, with half of the colours
    if name.startswith(("Display", "Adobe", "grey")):
        plain = np.asarray(Image.open(BytesIO(content)).convert("RGB")).astype(int)
        assert np.abs(pixels - plain).max() > 8

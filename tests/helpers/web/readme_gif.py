"""Film the app for the README: `python -m tests.helpers.web.readme_gif` writes assets/readme/app.gif.

A caption is typed, the ranking moves, patches light up, and the lesson goes to its last step, where patches are
painted. Every frame is a screenshot of the app with its shipped models. How long a frame stays is set here, so that
waiting for an answer is left out.
"""

import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from demo.views.lesson.steps import STEPS
from tests.demo.browser.conftest import ROOT, served
from tests.helpers.web.chromium import find_chromium

FILE = ROOT / "assets" / "readme" / "app.gif"
CAPTION, PHOTO, WORDS = "a woman wearing glasses and a hat", "officer", ("glasses", "hat")
VIEWPORT, WIDTH = (1180, 708), 860  # CSS pixels; the GIF's pixels
MAX_BYTES, LONGEST = 2_000_000, 15.0  # of the GIF: its size, its length in seconds
COLOURS = 256
WAIT = 60_000  # milliseconds
OTHERS = 2  # number of things in the first picture with masks shown
SETTLED = 1000  # milliseconds: photographs have loaded and rows have moved


class Film:
    """Screenshots of a page, each with how many milliseconds it stays."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[Image.Image] = []
        self.durations: list[int] = []

    def take(self, duration: int) -> None:
        """Add what the page shows once it has settled; a picture that has not changed stays longer instead."""
        self.page.wait_for_timeout(SETTLED)
        with Image.open(BytesIO(self.page.screenshot())) as screenshot:
            frame = screenshot.convert("RGB")
        if self.frames and frame.tobytes() == self.frames[-1].tobytes():
            self.durations[-1] += duration
        else:
            self.frames.append(frame)
            self.durations.append(duration)


def main() -> int:
    """Run the program; return its exit status."""
    width, height = VIEWPORT
    expect.set_options(timeout=WAIT)
    with (
        TemporaryDirectory() as folder,
        served(Path(folder), "app.py", "--cache", folder, "--no-fetch", "--port") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=WIDTH / width, color_scheme="light"
        )
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.goto(address)
        expect(page.locator("[data-tool=whatif]")).to_be_visible()  # the numbers come from the app
        film = Film(page)
        search(film)
        lesson(film, address)
        browser.close()
    content = gif(film.frames, film.durations)
    seconds = sum(film.durations) / 1000
    if len(content) > MAX_BYTES or seconds > LONGEST:
        most = f"{MAX_BYTES:,} bytes and {LONGEST} s are the most: film less"
        print(f"The GIF has {len(content):,} bytes and {seconds:.1f} s, but {most}.", file=sys.stderr)
        return 2
    FILE.write_bytes(content)
    print(f"Written: {FILE}, {len(content):,} bytes, {len(film.frames)} frames, {seconds:.1f} s.")
    return 0


def search(film: Film) -> None:
    """Show other things' masks, type a caption, watch the ranking, read the best photograph: mask, score, words."""
    page, box = film.page, film.page.locator("#caption")
    film.take(700)
    for chip in page.locator(".others button").all()[:OTHERS]:  # the mask for another thing in the picture
        chip.evaluate("chip => chip.click()")  # the page does not scroll
        film.take(1000)
    box.focus()
    box.select_text()
    film.take(300)
    for number, word in enumerate(CAPTION.split()):
        page.keyboard.type(" " * (number > 0) + word)
        expect(page.locator(".words [data-word]")).to_have_count(number + 3)  # [CLS], the words so far, [SEP]
        film.take(300)
    page.keyboard.press("Enter")
    expect(page.locator(".photo-title")).to_have_text(PHOTO)
    film.take(1500)
    page.locator("[data-layer=score]").click()
    film.take(800)
    for word in WORDS:
        page.locator(f".words [data-word='{CAPTION.split().index(word) + 1}']").hover()  # [CLS] is word 0
        film.take(900)


def lesson(film: Film, address: str) -> None:
    """Turn through the lesson's steps on the same photograph and caption."""
    page = film.page
    page.goto(f"{address}/?{urlencode({'view': 'lesson', 'gallery': 'examples', 'photo': PHOTO, 'caption': CAPTION})}")
    expect(page.locator(".seps-lesson .seps-said")).to_be_visible()
    page.get_by_role("button", name="Talk mode").click()
    for step in range(1, STEPS + 1):
        page.locator(f'.seps-lesson .seps-steps [data-step="{step}"]').click()
        expect(page.locator(f'.seps-lesson .seps-steps [data-step="{step}"]')).to_have_attribute("aria-current", "step")
        film.take(500)
    paint(film, row=6, first=4, last=9)
    film.take(1300)


def paint(film: Film, row: int, first: int, last: int) -> None:
    """Drag over patches of a row, so that each decision turns over, and wait for S(I, T) to follow."""
    page, place = film.page, film.page.locator(".seps-lesson .seps-paint")
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    if box is None:
        raise RuntimeError("The lesson's last step has no picture to paint on.")
    cell, y = box["width"] / 14, box["y"] + (row + 0.5) * box["height"] / 14
    page.mouse.move(box["x"] + (first + 0.5) * cell, y)
    page.mouse.down()
    page.mouse.move(box["x"] + (last + 0.5) * cell, y, steps=12)
    page.mouse.up()
    expect(page.locator(".seps-lesson .seps-trial[aria-busy]")).to_have_count(0)


def gif(frames: list[Image.Image], durations: list[int]) -> bytes:
    """A GIF of the frames that plays for ever, all in one palette, so that what stays still takes no room."""
    width, height = frames[0].size
    every = Image.new("RGB", (width, height * len(frames)))
    for number, frame in enumerate(frames):
        every.paste(frame, (0, number * height))
    palette = every.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=2)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    stream = BytesIO()
    first.save(stream, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=False)
    return stream.getvalue()


if __name__ == "__main__":
    raise SystemExit(main())

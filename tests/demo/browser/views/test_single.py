"""Pages of one file, opened from the disk: no server, no network."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from demo.notebook.views import contrast_page
from demo.record.settings import evaluation_knobs
from demo.service.retrieval import RetrievalService
from demo.views.lesson.files import lesson_page
from demo.views.lesson.walk import WalkRequest
from tests.demo.browser.standalone import check_text
from tests.demo.record.test_contrast import FIRST, SECOND, contrast_of

# Whether anything is drawn on a canvas.
DRAWN = """(canvas) => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return pixels.data.some(Boolean);
}"""


@contextmanager
def opened_file(browser: Browser, file: Path, content: str, faultless: bool = True) -> Iterator[Page]:
    """A page from a file, without a network; nothing it does fails, where it may, or asks for an address."""
    file.write_text(content, encoding="utf-8")
    context = browser.new_context(viewport={"width": 1366, "height": 768}, offline=True)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: faults.append(request.url) if request.url.startswith("http") else None)
    page.goto(file.as_uri())
    yield page
    check_text(page)
    assert faults == [] or not faultless
    context.close()


def test_the_lesson_turns_its_steps_and_offers_nothing_that_it_cannot_compute(
    browser: Browser, service: RetrievalService, tmp_path: Path
) -> None:
    knobs = evaluation_knobs(service.model)
    html = lesson_page(WalkRequest(service, service.find("examples"), 2, "a tabby cat", None, knobs))
    with opened_file(browser, tmp_path / "lesson.html", html) as page:
        root = page.locator(".seps-lesson")
        for step in range(1, 10):
            expect(root.locator(f'[data-step="{step}"]')).to_have_attribute("aria-current", "step")
            assert root.locator(".seps-scene canvas").evaluate(DRAWN)
            page.keyboard.press("ArrowRight")
        expect(root.locator(".seps-trial")).to_be_visible()
        for hidden in (".seps-knobs", ".seps-hand", ".seps-downloads", ".seps-moved-place", ".seps-paint"):
            expect(root.locator(hidden).locator("visible=true")).to_have_count(0)
        page.keyboard.press("t")
        expect(page.locator(".seps-lesson.seps-talk")).to_have_count(1)


def test_two_stand_side_by_side_on_a_page_of_one_file(browser: Browser, tmp_path: Path) -> None:
    photos = (Image.new("RGB", (300, 200), "#80a0c0"), Image.new("RGB", (200, 260), "#c0a080"))
    html = contrast_page(contrast_of(FIRST, SECOND), photos, "random")
    with opened_file(browser, tmp_path / "why.html", html) as page:
        expect(page.locator("figure canvas")).to_have_count(2)
        word = page.locator(".seps-why-rows button").first
        word.click()
        expect(word).to_have_attribute("aria-pressed", "true")
        expect(page.locator("select")).to_have_count(0)

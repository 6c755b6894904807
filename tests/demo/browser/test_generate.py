"""Generate in the app, with a tiny generator: a drawing comes in frames, is stopped, has seeds, words and a link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from gradio_client import Client  # type: ignore[import-untyped]
from gradio_client.exceptions import AppError  # type: ignore[import-untyped]
from PIL import ExifTags, Image
from playwright.sync_api import Browser, Locator, Page, expect

from demo.record.packing import pack_array
from demo.screens.generate.photo_captions import SHOWN
from demo.screens.generate.values import GenerateState, blank_value, stopped_value
from demo.service.retrieval import RetrievalService
from seps import shipped_file
from seps.generator import ImageTextGenerator, load_generator
from seps.generator.captioner import Decoding
from seps.generator.ranking import BEAMS, agreements, order, seps_scores
from tests.demo.browser.conftest import SCREENSHOTS, served
from tests.demo.browser.page import SIZES, opened
from tests.demo.browser.standalone import centres, check_laid, open_page, page_of, photo
from tests.helpers.generated import write_tiny_generator

# gradio_client leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

TEXT = "a red dog next to a cat"
LINK = "?view=generate&caption=" + TEXT.replace(" ", "+") + "&steps=10&seed=5&guidance=2"
READY = "#generate .seps-reading"


@pytest.fixture(scope="module")
def generating_address(
    tmp_path_factory: pytest.TempPathFactory, scenes_model: Path, cache: Path, uploads: Path
) -> Iterator[str]:
    generator = write_tiny_generator(tmp_path_factory.mktemp("generator"))
    command = ("-m", "tests.demo.browser.generating", str(generator), str(scenes_model), str(cache))
    with served(uploads, *command) as url:
        yield url


@pytest.mark.journey
def test_both_maps_of_a_word_share_one_scale(browser: Browser) -> None:
    unet, seps = np.array([[0.5, 0.25, 0.25, 0.0]]), np.array([[0.0, 1.0, 0.0, 0.0]])
    value = {
        "key": 1,
        "photo": photo(),
        "grid": [2, 2],
        "words": [{"label": "dog", "word": 1, "high": 1.0, "unet": "one", "seps": "other", "numbers": ["0.5 of it"]}],
        "unet": pack_array(unet),
        "seps": pack_array(seps),
        "selected": None,
    }
    page = open_page(browser, page_of("looks", value))
    for side, values in (("unet", unet), ("seps", seps)):
        drawn = centres(page.locator(f"canvas[data-side={side}]"), (2, 2))
        check_laid(drawn, values[0], 0, 1, 0.75)
    assert [output.get_attribute("data-value") for output in page.locator(".seps-legend output").all()] == ["0", "1"]
    page.get_by_role("button", name="dog").click()
    assert page.evaluate("window.triggered") == [["word", {"word": 1}]]
    page.context.close()


@pytest.mark.journey
def test_a_frame_that_comes_after_the_stop_is_not_shown(browser: Browser) -> None:
    state = GenerateState(caption=TEXT, steps=10)
    beginning, stopped = blank_value(state, "Begins."), stopped_value(state)
    frames = [blank_value(state, f"Step {step}.") | {"done": step, "pictures": [photo()["src"]]} for step in (1, 2)]
    page = open_page(browser, page_of("generate", beginning))
    says = page.locator(".seps-reading")
    for value, message in (
        (frames[0], "Step 1."),
        (stopped, stopped["says"]),
        (frames[1], stopped["says"]),
        (beginning, "Begins."),
        (frames[0], "Step 1."),
    ):
        page.evaluate("(value) => window.send(value)", value)
        expect(says).to_have_text(message)
    page.context.close()


WATCH = """(line) => {
  window.lines = []; window.pictures = [];
  const look = () => {
    for (const [seen, now] of [
      [lines, document.querySelector(line)?.textContent],
      [pictures, document.querySelector("#generate .seps-drawn")?.src],
    ]) if (now && !seen.includes(now)) seen.push(now);
  };
  new MutationObserver(look).observe(
    document.querySelector("#generate"), {subtree: true, childList: true, characterData: true, attributes: true},
  );
}"""  # what the line above the drawing says, and the pictures, as they come


def drawn(page: Page) -> None:
    """Wait for a finished drawing."""
    expect(page.locator("#generate .seps-view[data-finished]")).to_be_visible()
    expect(page.locator("#generate-looks canvas").first).to_be_visible()


def test_the_view_is_there_with_a_generator_alone(
    browser: Browser, generating_address: str, scenes_address: str
) -> None:
    for address, count in ((generating_address, 1), (scenes_address, 0)):
        with opened(browser, address) as page:
            expect(page.get_by_role("tab", name="Lesson")).to_be_visible()
            expect(page.get_by_role("tab", name="Generate")).to_have_count(count)


def test_numbers_that_are_none_are_refused_in_a_sentence(generating_address: str) -> None:
    client = Client(generating_address, verbose=False)
    for wrong, message in (("many", "steps is a text, but a number is needed"), (1000, "steps is '1000'")):
        with pytest.raises(AppError, match=message):
            client.predict(TEXT, wrong, 0, 3.0, "png", api_name="/generate")
    record, file = client.predict(TEXT, 10, 5, 2.0, "gif", api_name="/generate")
    assert (record["seed"], Path(file).suffix) == (5, ".gif")
    client.close()


def test_a_caption_is_drawn_in_frames_and_explained(browser: Browser, generating_address: str) -> None:
    with opened(browser, generating_address, "?view=generate", canvas="#generate-draw") as page:
        expect(page.locator(READY)).to_contain_text("Nothing drawn yet")
        page.locator("#generate-caption textarea").fill(TEXT)
        page.locator("#generate-steps input[type=number]").fill("10")
        page.locator("#generate-seed input").fill("5")
        page.evaluate(WATCH, READY)
        page.locator("#generate-draw").click()
        drawn(page)
        lines, pictures = page.evaluate("[window.lines, window.pictures]")
        assert len([line for line in lines if "of 10" in line]) >= 3
        assert len(pictures) >= 4  # three on the way, and the drawing
        expect(page.locator(READY)).to_have_text("Drawn with seed 5 in 10 steps.")
        expect(page.locator("#generate .seps-drawn")).to_have_attribute("alt", f"Drawn for “{TEXT}”, seed 5")
        expect(page.locator("#generate-told .seps-standing")).to_contain_text("among 201 pictures")
        assert page.locator("#generate-told [data-verdict]").count() == 4
        expect(page.locator("#generate-words .seps-stage > canvas")).to_be_visible()
        expect(page).to_have_url(re.compile(r"view=generate&caption=a\+red\+dog.*&steps=10&seed=5&guidance=8$"))
        dog = page.locator("#generate-looks").get_by_role("button", name="dog")
        dog.focus()
        page.keyboard.press("Enter")
        expect(dog).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#generate-looks figcaption").first).to_contain_text("Where it looked for “dog”")
        with page.expect_download() as saving:
            page.locator("#generate").get_by_role("button", name="Download the drawing as GIF").click()
        assert saving.value.suggested_filename == "seps-generator-a-red-dog-next-to-a-cat-seed-5.gif"
        page.reload()
        drawn(page)
        expect(page.locator(READY)).to_have_text("Drawn with seed 5 in 10 steps.")
        expect(page.locator("#generate-caption textarea")).to_have_value(TEXT)


def test_a_drawing_is_stopped_and_another_one_begins(browser: Browser, generating_address: str) -> None:
    with opened(browser, generating_address, LINK.replace("=10", "=50"), canvas="#generate .seps-drawn") as page:
        expect(page.locator(READY)).to_contain_text("of 50")
        page.locator("#generate-stop").click()
        expect(page.locator(READY)).to_have_text("Stopped: the picture is not finished.")
        page.wait_for_timeout(1500)
        expect(page.locator(READY)).to_have_text("Stopped: the picture is not finished.")  # no frame comes after it
        expect(page.locator("#generate .seps-drawn")).to_be_visible()
        expect(page.locator("#generate-looks canvas")).to_have_count(0)
        page.locator("#generate-steps input[type=number]").fill("10")
        page.locator("#generate-draw").click()
        drawn(page)


def test_one_of_four_seeds_is_explained(browser: Browser, generating_address: str) -> None:
    with opened(browser, generating_address, LINK, canvas="#generate .seps-drawn") as page:
        drawn(page)
        page.locator("#generate-several").click()
        expect(page.locator("#generate .seps-seeds img")).to_have_count(4)
        drawn(page)
        page.get_by_role("button", name="Explain the picture of seed 7").click()
        expect(page.locator(READY)).to_have_text("Drawn with seed 7 in 10 steps.")
        expect(page.locator("#generate-words .seps-credit")).to_contain_text("seed 7")
        expect(page).to_have_url(re.compile("count=4"))


def test_scenes_and_photographs_are_captioned_word_by_word(
    browser: Browser, generating_address: str, service: RetrievalService, tmp_path: Path
) -> None:
    """A scene, a photograph of the gallery, one of a person's own that lies on its side in its file, and no picture."""
    item = service.find("examples").gallery.items[1]
    captioner = load_generator("photos", "cpu")
    with opened(browser, generating_address, "?view=generate", canvas="#generate-draw") as page:
        page.locator("#generate-strip button").nth(2).click()
        view = page.locator("#generate-captioned")
        expect(view.locator("canvas")).to_be_visible()
        expect(view.locator(".seps-note").first).to_be_hidden()
        view.locator(".seps-tokens button").first.click()
        expect(view.locator(".seps-reading")).to_contain_text("Where the captioner looked when it wrote")
        view.locator(".seps-beams button").last.click()
        expect(view.locator(".seps-beams button").last).to_have_attribute("aria-pressed", "true")
        expect(view.locator(".seps-tokens [aria-pressed=true]")).to_have_count(0)

        page.locator("#generate-photos button").nth(1).click()
        expect(view.locator("canvas")).to_have_count(2)
        expect(view.locator(".seps-note").first).to_contain_text("photographs of people and dogs")
        check_captions(view, captioner, service, item.photo())
        view.locator(".seps-tokens button").last.click()
        word = view.locator(".seps-tokens button").last.inner_text()
        expect(view.locator(".seps-reading")).to_contain_text(f"when it wrote “{word}”")
        expect(view.locator(".seps-reading")).to_contain_text(f"“{word}”: ")  # where SEPS finds it
        expect(view.locator("output.high")).to_be_visible()

        turned = Image.Exif()
        turned[ExifTags.Base.Orientation] = 6
        photo = Image.open(shipped_file("galleries/photos/flower.jpg"))
        photo.transpose(Image.Transpose.ROTATE_90).save(tmp_path / "mine.png", exif=turned)
        page.get_by_role("button", name="A picture of your own").locator("visible=true").click()
        page.locator("#generate-upload input[type=file]").set_input_files(tmp_path / "mine.png")
        check_captions(view, captioner, service, photo)
        assert view.locator("canvas").first.evaluate("(canvas) => canvas.width / canvas.height") == pytest.approx(
            photo.width / photo.height, rel=0.02
        )
        (tmp_path / "none.jpg").write_bytes(b"no picture")
        before = view.inner_text()
        page.get_by_role("button", name="Remove Image").click()
        page.locator("#generate-upload input[type=file]").set_input_files(tmp_path / "none.jpg")
        expect(page.locator("#generate-caption-said [role=alert]")).to_contain_text('"none.jpg" is no photo')
        assert view.inner_text() == before


def check_captions(view: Locator, captioner: ImageTextGenerator, service: RetrievalService, photo: Image.Image) -> None:
    """The captions of a photograph that are shown are the library's, in the order of both scores, with these."""
    written = captioner.write([photo], Decoding(beams=BEAMS))[0]
    scores, agreeing = seps_scores(service.model, photo, written), agreements([caption.text for caption in written])
    best = order(written, scores)[:SHOWN]
    beams = view.locator(".seps-beams button")
    expect(beams).to_have_count(len(best))
    expect(beams.locator("q")).to_have_text([written[i].text for i in best])
    for beam, i in zip(beams.all(), best, strict=True):
        shown = re.search(
            r"S\(I, T\) (-?[\d.]+), mean log probability (-?[\d.]+), agreement ([\d.]+)",
            beam.inner_text().replace("\N{MINUS SIGN}", "-"),
        )
        assert shown is not None
        expected = [scores[i], written[i].score, agreeing[i]]
        assert [float(number) for number in shown.groups()] == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser: Browser, generating_address: str, scheme: str) -> None:
    with opened(browser, generating_address, LINK, SIZES["390x844"], scheme, "#generate .seps-drawn") as page:
        drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.screenshot(path=SCREENSHOTS / f"generate-390x844-{scheme}.png", full_page=True)

"""The scenes in the app: one click, true outlines, weight inside, and edits that ranking and picture follow."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from demo.views.examples import examples_of
from gradio_client import Client  # type: ignore[import-untyped]
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from demo.drawing.palette import OBJECT
from demo.record.inside import weights_inside
from demo.service.experiment import experiment, known, with_changes
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from seps.scenes.edit import removed
from tests.demo.browser.conftest import SCREENSHOTS
from tests.demo.browser.page import SIZES, opened, patch_colours, shown, titles

# Playwright leaves sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

CAPTION = "a red helicopter over a tiny dolphin"  # of the first scene
LINK = "?view=search&model=scenes&gallery=scenes&photo=0&caption=" + CAPTION.replace(" ", "+")
SCORE = re.compile(r"rank (\d+) of 200, score (-?\d\.\d{4})")


def rank_and_score(page: Page, side: str) -> tuple[int, float]:
    """Rank and score before or after."""
    match = SCORE.search(page.locator(f"#edit [data-side={side}] figcaption").inner_text())
    assert match is not None
    return int(match[1]), float(match[2])


def editing(page: Page) -> None:
    """Open the view in which scenes are edited."""
    page.get_by_role("tab", name="Edit", exact=True).click()
    expect(page.locator("#edit canvas")).to_have_count(1)
    expect(page.locator("#edit-caption textarea")).to_have_value(CAPTION)


def test_one_click_brings_the_scenes_and_their_model(
    browser: Browser, scenes_address: str, registry: ModelRegistry
) -> None:
    with opened(browser, scenes_address) as page:
        page.locator("#gallery label", has_text="scenes").click()
        expect(page.locator("#ranking .line").first).to_contain_text("200 scenes ranked")
        service, indexed = registry.open("scenes")
        caption = examples_of(indexed)[0]
        expect(page.locator("#caption textarea")).to_have_value(caption)
        ranking = service.rank_images(indexed, caption)
        assert titles(page) == [indexed.gallery.items[index].title for index in ranking.order[:24]]
        expect(page.locator("#viewer .seps-foot")).to_contain_text("model scenes")
        expect(page).to_have_url(re.compile("model=scenes&gallery=scenes"))
        expect(page.locator("#examples .chip").first).to_have_text(caption)
        page.locator("#gallery label", has_text="examples").click()
        expect(page.locator("#ranking .line").first).to_contain_text("14 photographs ranked")
        expect(page.locator("#viewer .seps-foot")).to_contain_text("model photos")
        expect(page.locator("#viewer .seps-objects")).to_have_count(0)


def test_true_objects_are_outlined_and_words_are_weighed(
    browser: Browser, scenes_address: str, registry: ModelRegistry
) -> None:
    service, indexed = registry.open("scenes")
    record = service.explain(indexed, 0, CAPTION)
    inside = weights_inside(record, known(indexed, 0), CAPTION, service.model.tokenizer)
    with opened(browser, scenes_address, LINK) as page:
        page.locator("#viewer [data-layer=photo]").click()
        before = np.asarray(Image.open(io.BytesIO(shown(page).screenshot())).convert("RGB")).astype(int)
        page.get_by_label("True objects").check()
        page.wait_for_timeout(200)
        after = np.asarray(Image.open(io.BytesIO(shown(page).screenshot())).convert("RGB")).astype(int)
        changed = np.abs(after - before).sum(axis=2) > 60
        assert 0.005 < changed.mean() < 0.3
        outline = (np.abs(after - tuple(bytes.fromhex(OBJECT[1:]))) < 12).all(axis=2)
        assert outline.sum() > 200
        rows, columns = np.nonzero(outline)
        x0, y0, x1, y1 = np.array(known(indexed, 0).scene.objects[0].box) / 224 * len(after)
        assert ((rows > y0 - 4) & (rows < y1 + 4) & (columns > x0 - 4) & (columns < x1 + 4)).any()
        assert inside
        for weight in inside:
            page.locator(f"#viewer [data-word='{weight.word}']").click()
            expect(page.locator("#viewer .seps-reading")).to_contain_text(
                f"{100 * weight.fraction:.0f}% of this word's weight lies inside {weight.name}."
            )
        page.locator("#viewer [data-word='4']").click()  # "over" names nothing
        expect(page.locator("#viewer .seps-reading")).not_to_contain_text("lies inside")
        with page.expect_download() as waiting:
            page.locator("#viewer").get_by_role("button", name="Download as SVG").click()
        drawing = Path(waiting.value.path()).read_text(encoding="utf-8")
        assert waiting.value.suggested_filename.startswith("seps-scenes-0-red-helicopter")
        assert "red helicopter" in drawing
        assert "model: scenes" in drawing


def test_an_object_is_removed_and_the_ranking_follows(
    browser: Browser, scenes_address: str, registry: ModelRegistry
) -> None:
    removed = with_changes(registry, SessionData(), 0, [{"do": "remove", "object": 0}])
    tried = experiment(registry, removed, 0, CAPTION)
    with opened(browser, scenes_address, LINK) as page:
        first = titles(page)
        editing(page)
        untouched = patch_colours(page.locator("#edit [data-side=before] canvas"), (10, 10))
        page.locator("#edit [data-object]", has_text="red helicopter").click()
        page.locator("#edit [data-do=remove]").click()
        expect(page.locator("#edit [data-side=after]")).to_be_visible()
        for side, outcome in (("before", tried.before), ("after", tried.after)):
            rank, score = rank_and_score(page, side)
            assert rank == outcome.rank
            assert score == pytest.approx(outcome.record.similarity, abs=1e-3)
        expect(page.locator("#edit .seps-moved")).to_contain_text(f"{tried.gained} patches gained, {tried.lost} lost")
        word = page.locator("#edit .seps-changes button").first
        word.press("Enter")  # what the pointer is told of a word, the keyboard is told too
        expect(page.locator("#edit .seps-changes .seps-reading")).to_have_text(word.get_attribute("title") or "none")
        edited = patch_colours(page.locator("#edit [data-side=after] canvas"), (10, 10))
        assert (edited != untouched).any()
        expect(page.locator("#edit [data-object]")).to_have_count(1)
        ranked = [tried.after.indexed.gallery.items[index].title for index in tried.after.ranking.order[:24]]
        assert page.locator("#edit-ranking .title").all_inner_texts() == ranked
        page.get_by_role("tab", name="Photos", exact=True).click()  # which follows
        expect(page.locator("#viewer .seps-credit")).to_contain_text("0: dolphin, edited")
        assert titles(page) == ranked
        expect(page).not_to_have_url(re.compile("photo="))
        page.get_by_role("tab", name="Edit", exact=True).click()
        page.locator("#edit [data-do=original]").click()
        expect(page.locator("#edit [data-side=after]")).to_have_count(0)
        expect(page.locator("#edit [data-object]")).to_have_count(2)
        page.get_by_role("tab", name="Photos", exact=True).click()
        expect(page.locator("#viewer .seps-credit")).to_contain_text("0: red helicopter, dolphin ·")
        assert titles(page) == first


@pytest.mark.journey
def test_objects_are_moved_and_coloured_by_pointer_and_keyboard(
    browser: Browser, scenes_address: str, registry: ModelRegistry
) -> None:
    scene = known(registry.open("scenes")[1], 0).scene
    x0, y0, x1, y1 = scene.objects[0].box
    with opened(browser, scenes_address, LINK, kept=True) as page:
        editing(page)
        canvas = page.locator("#edit [data-side=before] canvas")
        box = canvas.bounding_box()
        assert box is not None
        unit = box["width"] / 224
        middle = (box["x"] + (x0 + x1) / 2 * unit, box["y"] + (y0 + (y1 - y0) * 0.5) * unit)
        page.mouse.move(*middle)
        page.mouse.down()
        page.mouse.move(middle[0] - 20 * unit, middle[1] + 30 * unit, steps=4)
        page.mouse.up()
        after = page.locator("#edit [data-side=after] canvas")
        expect(after).to_be_visible()
        before = patch_colours(after, (56, 56))
        page.locator("#edit [data-colour=blue]").click()
        expect(page.locator("#edit [data-object]").first).to_have_text("blue helicopter")
        assert (patch_colours(after, (56, 56)) != before).any()
        after.focus()
        before = patch_colours(after, (56, 56))
        after.press("ArrowRight")
        after.press("ArrowRight")
        expect(page.locator("#edit [data-do=canvas]")).to_be_focused()
        page.wait_for_function(
            "old => { const canvas = document.querySelector('#edit [data-do=canvas]');"
            " return canvas && !canvas.closest('.seps-busy') && canvas.toDataURL() !== old; }",
            arg=after.evaluate("canvas => canvas.toDataURL()"),
        )
        assert (patch_colours(after, (56, 56)) != before).any()
        after.press("Delete")
        expect(page.locator("#edit [data-object]")).to_have_count(1)
        page.locator("#edit [data-do=undo]").click()
        expect(page.locator("#edit [data-object]").first).to_have_text("blue helicopter")
        page.locator("#edit [data-do=next]").click()
        expect(page.locator("#edit input[type=number]")).to_have_value("1")


def test_others_keep_their_scenes(browser: Browser, scenes_address: str) -> None:
    with opened(browser, scenes_address, LINK) as page, opened(browser, scenes_address, LINK) as other:
        editing(page)
        page.locator("#edit [data-do=remove]").click()
        expect(page.locator("#edit [data-side=after]")).to_be_visible()
        editing(other)
        expect(other.locator("#edit [data-object]")).to_have_count(2)
        expect(other.locator("#edit [data-side=after]")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", SIZES)
def test_the_screens_fit(browser: Browser, scenes_address: str, size: str, scheme: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    with opened(browser, scenes_address, LINK, SIZES[size], scheme) as page:
        page.get_by_label("True objects").check()
        page.locator("#viewer [data-word='3']").click()
        page.wait_for_timeout(400)
        page.screenshot(path=SCREENSHOTS / f"scenes-{size}-{scheme}.png", full_page=size == "390x844")
        editing(page)
        page.locator("#edit [data-do=remove]").click()
        expect(page.locator("#edit [data-side=after]")).to_be_visible()
        page.wait_for_timeout(400)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        page.screenshot(path=SCREENSHOTS / f"edit-{size}-{scheme}.png", full_page=size == "390x844")
        for part in ("#edit [data-side=after] canvas", "#edit .seps-panel"):
            box = page.locator(part).bounding_box()
            assert box is not None
            assert size != "1366x768" or box["y"] + box["height"] <= 768
            assert box["x"] + box["width"] <= SIZES[size][0]
        for tab in ("Photos", "Captions", "Compare", "Lesson", "About"):
            expect(page.get_by_role("tab", name=tab, exact=True)).to_be_visible()


def test_a_program_edits_a_scene(scenes_address: str, registry: ModelRegistry) -> None:
    client = Client(scenes_address, verbose=False)
    try:
        change = json.dumps([{"do": "remove", "object": 0}])
        answer = client.predict("scenes/0", change, CAPTION, api_name="/edit_scene")
        tried = experiment(registry, with_changes(registry, SessionData(), 0, json.loads(change)), 0, CAPTION)
        for side, outcome in (("before", tried.before), ("after", tried.after)):
            assert answer[side]["rank"] == outcome.rank
            assert answer[side]["score"] == pytest.approx(outcome.record.similarity, abs=1e-4)
            assert answer[side]["kept"] == outcome.record.sparse.kept.astype(int).tolist()
        scene = known(registry.open("scenes")[1], 0).scene
        assert [thing["kind"] for thing in answer["after"]["scene"]["objects"]] == [
            thing.kind for thing in removed(scene, 0).objects
        ]
        assert client.predict(CAPTION, "", "scenes", api_name="/rank_images")["model"] == "scenes"
        for arguments, message in (
            (("scenes/0", "[1]", CAPTION), "The changes must be a list"),
            (("scenes/0", '[{"do": "remove", "object": 9}]', CAPTION), "There is no object 9"),
            (("examples/cat", change, CAPTION), "is no drawn scene"),
        ):
            with pytest.raises(Exception, match=message):
                client.predict(*arguments, api_name="/edit_scene")
    finally:
        client.close()

"""Decisions by hand in the app: painting, undoing, links, the game and measured layers, by mouse and by keyboard."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from demo.record.layers import Layer, LayerValues
from demo.screens.compare.view import STARTING
from demo.screens.examples import FIRST_CAPTION, FIRST_PHOTO
from demo.service.counterfactual import Forcing
from demo.service.masks import mask_text, read_mask
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from seps import MinimalSet
from tests.demo.browser.conftest import SCREENSHOTS
from tests.demo.browser.page import SIZES, VEIL, opaque, opened, patch_colours, shown, spot
from tests.demo.browser.standalone import check_laid

pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

GRID = (14, 14)
BY_HAND, MODELS_OWN = '"mask":"[^"]', '"mask":""'  # in what the page asks
LATE = 1500  # milliseconds that a held answer takes longer


def veiled(page: Page, grid: tuple[int, int] = GRID) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which patches are shown as dropped, with the veil at full opacity: (N,)."""
    return np.asarray((patch_colours(shown(page), grid) == VEIL).all(axis=1))


def press_together(page: Page, *selectors: str) -> None:
    """Press buttons of the viewer in one go, faster than a hand."""
    page.evaluate("all => all.forEach(one => document.querySelector('#viewer ' + one).click())", list(selectors))


def hold_answers(page: Page, held: str) -> None:
    """Let answers to decisions and measures that match come late."""
    page.evaluate(
        """([late, held]) => {
            const own = window.fetch;
            window.fetch = async (...asked) => {
                const answer = await own(...asked);
                if (new RegExp(held).test(asked[1]?.body ?? "")) {
                    document.body.dataset.held = Number(document.body.dataset.held ?? 0) + 1;
                    await new Promise(go => setTimeout(go, late));
                }
                return answer;
            };
        }""",
        [LATE, held],
    )


def tool(page: Page, name: str) -> None:
    """Press a tool of the decision by hand."""
    page.locator(f"#viewer [data-tool={name}]").first.click()


def linked_mask(page: Page) -> str:
    """The mask in the address."""
    return parse_qs(urlsplit(page.url).query).get("mask", [""])[0]


def expect_attempt(page: Page, forcing: Forcing, mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
    """The page shows what the library finds under a decision."""
    attempt = forcing.attempt(mask)
    output = page.locator("#viewer .seps-terms output")
    expect(output).to_have_text(f"{attempt.record.similarity:.4f}")
    says = page.locator("#viewer .seps-decision")
    if attempt is forcing.decided:
        expect(says).to_contain_text("Click or drag over patches")
        expect(page.locator("#viewer .seps-changed")).to_have_count(0)
    else:
        change = attempt.record.similarity - forcing.decided.record.similarity
        expect(says).to_contain_text(f"{mask.sum()} of 196 patches kept")
        expect(says).to_contain_text(f"rank {attempt.rank}")
        expect(page.locator("#viewer .seps-terms > p .seps-changed")).to_have_text(f"{change:+.4f}")
    np.testing.assert_array_equal(veiled(page), ~mask)


@pytest.mark.journey
def test_patches_are_painted_undone_and_linked(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    forcing = Forcing(service, indexed, indexed.gallery.position(FIRST_PHOTO), FIRST_CAPTION)
    by_model = forcing.decided.record.sparse.kept
    with opened(browser, address, kept=True) as page:
        expect(page.locator("#viewer .seps-whatif")).to_be_hidden()
        tool(page, "whatif")
        opaque(page)
        np.testing.assert_array_equal(veiled(page), ~by_model)
        mask = by_model.copy()
        first = int(np.flatnonzero(by_model)[0])
        page.mouse.click(*spot(page, first))
        mask[first] = False
        expect_attempt(page, forcing, mask)

        start = 14 * 12 + 1  # a stroke over a row, from a dropped patch or a kept one
        to = not mask[start]
        page.mouse.move(*spot(page, start))
        page.mouse.down()
        page.mouse.move(*spot(page, start + 9), steps=3)
        page.mouse.up()
        painted = mask.copy()
        painted[start : start + 10] = to
        expect_attempt(page, forcing, painted)
        expect(page).to_have_url(re.compile("mask=" + mask_text(painted)))
        link = page.url

        tool(page, "undo")
        expect_attempt(page, forcing, mask)
        page.keyboard.press("Control+z")
        expect_attempt(page, forcing, by_model)
        expect(page).not_to_have_url(re.compile("mask="))
        tool(page, "keep_all")
        expect_attempt(page, forcing, np.ones(196, dtype=bool))
        tool(page, "keep_none")
        expect(page.locator("#viewer .seps-decision")).to_contain_text("keep at least one patch")
        page.mouse.click(*spot(page, 100))
        expect_attempt(page, forcing, np.arange(196) == 100)
        page.locator("#viewer [data-word='3']").hover()
        expect(page.locator("#viewer .seps-reading")).to_contain_text("against the model's own decision")
        tool(page, "own")
        expect_attempt(page, forcing, by_model)
    with opened(browser, address, "?" + urlsplit(link).query, kept=True) as page:
        expect(page.locator("#viewer .seps-whatif")).to_be_visible()
        opaque(page)
        expect_attempt(page, forcing, painted)
        page.locator("#viewer .seps-downloads [data-format=json]").scroll_into_view_if_needed()
        with page.expect_download() as saved:
            page.locator("#viewer [data-format=json]").click()
        value = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
        assert value["by_hand"]["rank"] == forcing.attempt(painted).rank
        page.locator("#ranking .row").nth(3).click()  # another photo decides for itself
        expect(page).not_to_have_url(re.compile("mask="))


def test_arrow_keys_and_space_paint(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    forcing = Forcing(service, indexed, indexed.gallery.position(FIRST_PHOTO), FIRST_CAPTION)
    mask = forcing.decided.record.sparse.kept.copy()
    with opened(browser, address) as page:
        page.locator("#viewer [data-tool=whatif]").press("Enter")
        opaque(page)
        canvas = shown(page)
        canvas.focus()
        canvas.press("ArrowRight")  # to the first patch
        canvas.press("ArrowDown")
        canvas.press(" ")
        mask[14] = not mask[14]
        expect_attempt(page, forcing, mask)
        expect(page.locator("#viewer .seps-reading")).to_contain_text("Row 2, column 1")
        assert page.evaluate("document.activeElement.tagName") == "CANVAS"
        canvas.press("ArrowRight")
        canvas.press(" ")
        mask[15] = not mask[15]
        expect_attempt(page, forcing, mask)


def test_the_game_of_twenty_patches(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    forcing = Forcing(service, indexed, indexed.gallery.position(FIRST_PHOTO), FIRST_CAPTION)
    with opened(browser, address) as page:
        tool(page, "whatif")
        opaque(page)
        tool(page, "play")
        expect(page.locator("#viewer .seps-decision")).to_contain_text("Which 20 patches would you keep?")
        assert veiled(page).all()
        page.mouse.move(*spot(page, 14 * 5))
        page.mouse.down()
        page.mouse.move(*spot(page, 14 * 5 + 13), steps=2)
        page.mouse.up()
        page.mouse.move(*spot(page, 14 * 6))
        page.mouse.down()
        page.mouse.move(*spot(page, 14 * 6 + 13), steps=2)  # more than the budget
        page.mouse.up()
        expect(page.locator("#viewer .seps-decision")).to_contain_text("All 20 patches of the budget are placed")
        mask = np.zeros(196, dtype=bool)
        mask[14 * 5 : 14 * 5 + 20] = True
        np.testing.assert_array_equal(veiled(page), ~mask)
        game = forcing.game(20, mask)
        assert game.by_hand is not None
        cells = page.locator("#viewer .seps-game tbody td")
        expect(cells.nth(1)).to_have_text(f"{game.by_hand.record.similarity:.4f}")
        expect(cells.nth(4)).to_have_text(f"{game.by_model.record.similarity:.4f}")
        expect(cells.nth(2)).to_have_text(f"{game.by_hand.rank} of 14")
        before = patch_colours(shown(page), (140, 140))
        tool(page, "model")
        assert (patch_colours(shown(page), (140, 140)) != before).any()
        expect(page).to_have_url(re.compile("budget=20"))
        link = page.url
        page.mouse.click(*spot(page, 14 * 5))  # one less, and the overlap is told
        mask[14 * 5] = False
        expect(page.locator("#viewer .seps-decision")).to_contain_text(f"{forcing.game(20, mask).overlap:.2f}")
        tool(page, "play")
        expect_attempt(page, forcing, forcing.decided.record.sparse.kept)
    with opened(browser, address, "?" + urlsplit(link).query) as page:
        expect(page.locator("#viewer .seps-game tbody td").nth(0)).to_have_text("20 of 20")


def test_measured_layers_come_when_they_are_asked_for(
    browser: Browser, address: str, service: RetrievalService
) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position(FIRST_PHOTO)
    with opened(browser, address) as page:
        opaque(page)
        for name in ("effect", "blanked"):
            record = service.measure(indexed, index, FIRST_CAPTION, None, name)
            page.locator(f"#viewer [data-layer={name}]").click()
            expected = Layer(name).values(record)
            expect(page.locator("#viewer .seps-reading")).to_contain_text(expected.sentence[5:20])
            page.locator("#caption textarea").hover()
            check_laid(patch_colours(shown(page), GRID), expected.values, expected.low, expected.high, diverging=True)
            page.locator("#viewer [data-word='2']").click()
            page.locator("#caption textarea").hover()
            expected = Layer(name, 2).values(record)
            check_laid(patch_colours(shown(page), GRID), expected.values, expected.low, expected.high, diverging=True)
            expect(page).to_have_url(re.compile(f"layer={name}%3A2"))
            page.locator("#viewer [data-word='2']").click()
        smallest = service.measure(indexed, index, FIRST_CAPTION, None, "smallest_set").measures["smallest_set"]
        assert isinstance(smallest, MinimalSet)
        page.locator("#viewer [data-layer=smallest_set]").click()
        expect(page.locator("#viewer .seps-reading")).to_contain_text(f"{smallest.count} patch")
        np.testing.assert_array_equal(veiled(page), ~smallest.kept)
        page.locator("#viewer [data-layer=smallest_change]").click()
        expect(page.locator("#viewer .seps-reading")).to_contain_text("flipped decision")
        tool(page, "whatif")
        expect(page.locator("#viewer [data-layer=mask]")).to_have_attribute("aria-pressed", "true")
    with opened(browser, address, "?layer=effect") as page:
        expect(page.locator("#viewer [data-layer=effect]")).to_have_attribute("aria-pressed", "true")


def test_a_layer_asked_for_as_the_tools_close_is_shown(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        hold_answers(page, BY_HAND)
        tool(page, "whatif")
        page.mouse.click(*spot(page, 60))
        expect(page.locator("body")).to_have_attribute("data-held", "1")
        press_together(page, "[data-tool=whatif]", "[data-layer=effect]")
        effect = page.locator("#viewer [data-layer=effect]")
        expect(effect).to_have_attribute("aria-pressed", "true")
        page.wait_for_timeout(2 * LATE)  # every answer to another decision has come by then
        expect(effect).to_have_attribute("aria-pressed", "true")
        expect(page).not_to_have_url(re.compile("mask="))


def test_a_layer_asked_for_before_the_closed_tools_are_answered_is_the_model_s_own(
    browser: Browser, address: str, service: RetrievalService
) -> None:
    indexed = service.find("examples")
    with opened(browser, address) as page:
        opaque(page)
        effect = page.locator("#viewer [data-layer=effect]")
        tool(page, "whatif")
        page.mouse.click(*spot(page, 60))
        expect(page).to_have_url(re.compile("mask="))
        effect.click()
        expect(effect).to_have_attribute("aria-pressed", "true")
        hold_answers(page, MODELS_OWN)
        tool(page, "whatif")
        expect(page.locator("body")).to_have_attribute("data-held", "1")
        effect.click()  # what is known is the other decision's
        expect(page.locator("#viewer .seps-reading")).to_contain_text("easuring")
        expect(effect).to_have_attribute("aria-pressed", "true")
        record = service.measure(indexed, indexed.gallery.position(FIRST_PHOTO), FIRST_CAPTION, None, "effect")
        expected = Layer("effect").values(record)
        page.locator("#caption textarea").hover()
        check_laid(patch_colours(shown(page), GRID), expected.values, expected.low, expected.high, diverging=True)


def test_blurred_patches_come_with_a_word_on_the_time(
    browser: Browser, scenes_address: str, registry: ModelRegistry
) -> None:
    service, indexed = registry.open("scenes")
    query = "?view=search&gallery=scenes&photo={}&caption=a+red+car"
    with opened(browser, scenes_address, query.format(5)) as page:
        opaque(page)
        index, reading = indexed.gallery.position("5"), page.locator("#viewer .seps-reading")
        page.locator("#viewer [data-layer=blurred]").click()
        expect(reading).to_contain_text("slower, since 101 pictures are encoded")
        expect(reading).to_contain_text("the picture is encoded again", timeout=60_000)
        expected = Layer("blurred").values(service.measure(indexed, index, "a red car", None, "blurred"))
        page.locator("#caption textarea").hover()
        check_laid(patch_colours(shown(page), (10, 10)), expected.values, expected.low, expected.high, diverging=True)
        expect(page).to_have_url(re.compile("layer=blurred"))
        page.locator("#viewer [data-word='2']").click()
        expect(reading).to_contain_text("of the word-to-patch mean")
        page.locator("#ranking .row").nth(3).click()  # another picture is not measured unasked
        expect(page.locator("#viewer [data-layer=mask]")).to_have_attribute("aria-pressed", "true")
    with opened(browser, scenes_address, query.format(6) + "&layer=blurred") as page:
        blurred = page.locator("#viewer [data-layer=blurred]")
        expect(blurred).to_have_attribute("aria-pressed", "true", timeout=60_000)


def test_captions_and_compare_measure_when_asked(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("coffee")

    def layer(name: str, caption: str) -> LayerValues:
        return Layer(name).values(service.measure(indexed, index, caption, None, name))

    with opened(browser, address) as page:
        page.get_by_role("tab", name="Captions", exact=True).click()
        page.locator("#captions-strip").get_by_role("button", name="coffee").click()
        viewer, ranked = page.locator("#captions-viewer"), service.rank_captions(indexed, index, "examples").captions
        expect(viewer.locator(".seps-credit")).to_contain_text("coffee")
        effect, reading = viewer.locator("[data-layer=effect]"), viewer.locator(".seps-reading")
        effect.click()
        expect(effect).to_have_attribute("aria-pressed", "true")
        expect(reading).to_contain_text(layer("effect", ranked[0]).sentence[5:20])
        expect(page).to_have_url(re.compile("view=captions.*layer=effect"))
        page.locator("#captions-ranking .caption").nth(1).click()  # another one is measured for the same layer
        expect(reading).to_contain_text(layer("effect", ranked[1]).sentence[5:20])
        viewer.locator("[data-layer=smallest_set]").click()
        expect(reading).to_contain_text("stays at rank")

        page.get_by_role("tab", name="Compare", exact=True).click()
        pictures, texts = page.locator("#compare"), indexed.gallery.items[index].phrases[:STARTING]
        page.locator("#compare-strip").get_by_role("button", name="coffee").click()
        expect(pictures.locator(".seps-credit")).to_contain_text("coffee")
        blanked = pictures.locator("[data-layer=blanked]")
        blanked.click()
        expect(blanked).to_have_attribute("aria-pressed", "true")
        layers = [layer("blanked", text) for text in texts]
        for canvas, values in zip(pictures.locator("canvas").all(), layers, strict=True):
            expect(canvas).to_have_attribute("aria-label", re.compile(re.escape(values.sentence[5:20])))
        high = float(pictures.locator(".seps-legend .high").get_attribute("data-value") or "")
        assert high == pytest.approx(max(values.high for values in layers), rel=1e-3)
        expect(pictures.locator("[data-layer=blurred]")).to_have_count(0)
        for name in ("smallest_change", "mask", "blanked"):
            pictures.locator(f"[data-layer={name}]").click()
            expect(pictures.locator(f"[data-layer={name}]")).to_have_attribute("aria-pressed", "true")
        with page.expect_download() as saved:
            pictures.locator("[data-format=svg]").click()
        assert "Effect of each patch" in Path(saved.value.path()).read_text(encoding="utf-8")


def test_what_is_inside_an_outline_is_kept(browser: Browser, scenes_address: str, registry: ModelRegistry) -> None:
    registry.open("scenes")
    with opened(browser, scenes_address, "?view=search&gallery=scenes&photo=0&caption=a+red+car") as page:
        tool(page, "whatif")
        page.locator("#viewer [data-tool=inside]").first.click()
        expect(page).to_have_url(re.compile("mask="))
        kept = read_mask(linked_mask(page), 100)
        assert kept is not None
        expect(page.locator("#viewer .seps-decision")).to_contain_text(f"{kept.sum()} of 100 patches kept")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_tools_fit_every_screen(browser: Browser, address: str, size: str, scheme: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    with opened(browser, address, size=SIZES[size], scheme=scheme) as page:
        page.locator("#viewer [data-tool=whatif]").click()
        page.mouse.click(*spot(page, 60))
        expect(page.locator("#viewer .seps-changed").first).to_be_visible()
        for name in ("whatif", "game", "effect", "blanked", "smallest_set", "smallest_change"):
            if name == "game":
                tool(page, "play")
                page.mouse.click(*spot(page, 60))
                page.mouse.click(*spot(page, 61))
                tool(page, "model")
                expect(page.locator("#viewer .seps-game tbody td").first).to_have_text("2 of 20")
            elif name != "whatif":
                if name == "effect":
                    tool(page, "whatif")
                page.locator(f"#viewer [data-layer={name}]").click()
                expect(page.locator(f"#viewer [data-layer={name}]")).to_have_attribute("aria-pressed", "true")
            page.screenshot(path=SCREENSHOTS / f"{name}-{size}-{scheme}.png", full_page=size.startswith("390"))
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            says = page.locator("#viewer .seps-decision")  # no line of it over what stands below
            assert says.evaluate("(box) => box.scrollHeight <= box.clientHeight + 1")
        if size.startswith("390"):
            tool(page, "whatif")
            for box in page.locator("#viewer .seps-tools button:visible, #viewer .seps-whatif-toggle").all():
                area = box.bounding_box()
                assert area is not None and area["height"] >= 44 and area["width"] >= 44

"""What a lecturer before a projector and a visitor with a phone find: all in sight, large enough to tap, explained."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from demo.galleries.openings import load_openings
from demo.record.table import TABLE
from demo.views.lesson.steps import STEPS
from tests.demo.browser.page import opened

# Playwright leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

SETTLED = """async () => {
    const since = performance.now();
    await window.seps.settled();
    return performance.now() - since;
}"""
PHONE = (390, 844)
TARGET = 44  # CSS pixels
# What can be tapped and is too small for a finger, links in a line of text and Gradio's own foot left out.
SMALL = f"""() => [...document.querySelectorAll("button, input, textarea, select, summary")]
    .filter((one) => one.offsetParent && !one.closest("footer"))
    .map((one) => [one, (one.closest("label") ?? one).getBoundingClientRect()])
    .filter(([, box]) => Math.round(box.width) < {TARGET} || Math.round(box.height) < {TARGET})
    .map(([one, box]) => `${{one.outerHTML.slice(0, 80)}}: ${{box.width}} x ${{box.height}}`)"""

# By how many pixels a text is wider or taller than the cell it stands in.
CUT = """(one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const [text, cell] = [range.getBoundingClientRect(), one.closest("td, th").getBoundingClientRect()];
    return Math.max(0, text.right - cell.right, cell.left - text.left, text.bottom - cell.bottom);
}"""


def box(page: Page, where: str) -> dict[str, float]:
    bounds = page.locator(where).first.bounding_box()
    assert bounds is not None
    return dict(bounds)  # type: ignore[arg-type]


def small(page: Page) -> list[str]:
    """What is too small for a finger, once the views have seen how wide they are."""
    with suppress(PlaywrightTimeout):
        page.wait_for_function(f"({SMALL})().length === 0", timeout=10_000)
    return list(page.evaluate(SMALL))


@pytest.mark.journey
def test_on_a_phone_the_result_follows_the_caption_and_targets_are_large(browser: Browser, address: str) -> None:
    with opened(browser, address, size=PHONE) as page:
        caption, picture = box(page, "#caption textarea"), box(page, "#viewer .seps-stage canvas")
        assert picture["y"] - (caption["y"] + caption["height"]) < 480
        tops = page.locator("#ranking .ranked li").evaluate_all("all => [...new Set(all.map((li) => li.offsetTop))]")
        assert len(tops) == 1  # one row, to swipe
        assert page.locator("#ranking .ranked").evaluate("(one) => one.scrollWidth > one.clientWidth")
        assert small(page) == []
        page.get_by_role("tab", name="Compare", exact=True).click()
        expect(page.locator("#compare .seps-reading")).to_have_text(TABLE["touch"]["patch.hint"])
        assert small(page) == []
        page.get_by_role("tab", name="About", exact=True).click()
        wide = page.locator(".tables .wide").first
        expect(wide).to_be_visible()
        assert wide.evaluate("(one) => getComputedStyle(one).backgroundImage").count("radial-gradient") == 2
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0


def test_on_a_phone_nothing_is_drawn_over_the_talks_bar(browser: Browser, address: str) -> None:
    link = "?view=lesson&gallery=examples&talk=1"
    with opened(browser, address, link, PHONE, canvas=".seps-lesson") as page:
        for step in range(1, STEPS + 1):
            expect(page.locator(f'#lesson [data-step="{step}"]')).to_have_attribute("aria-current", "step")
            page.locator(".seps-scene[data-still=true]").wait_for()
            page.locator(".seps-talk").evaluate("(one) => one.scrollTo(0, 0)")
            bar = box(page, ".seps-talk .seps-rail")
            assert bar["y"] + bar["height"] == pytest.approx(PHONE[1], abs=1)
            scene = page.locator("#lesson .seps-scene")
            clip = {"x": 0.0, "y": bar["y"] // 1 + 2, "width": 390.0, "height": PHONE[1] - bar["y"] // 1 - 2}
            shown = page.screenshot(clip=clip, animations="disabled")  # type: ignore[arg-type]
            scene.evaluate("(one) => (one.style.visibility = 'hidden')")
            assert page.screenshot(clip=clip, animations="disabled") == shown, step  # type: ignore[arg-type]
            scene.evaluate("(one) => (one.style.visibility = '')")
            sentence, equation = box(page, "#lesson .seps-sentence"), box(page, "#lesson .seps-equation math")
            assert equation["y"] - (sentence["y"] + sentence["height"]) < 30
            page.locator(".seps-talk").evaluate("(one) => one.scrollTo(0, one.scrollHeight)")
            last, bar = box(page, "#lesson .seps-tensors li:last-child"), box(page, ".seps-talk .seps-rail")
            assert last["y"] + last["height"] <= bar["y"], step
            assert page.locator(".seps-talk .seps-symbols li").count() > 0
            page.keyboard.press("PageDown")
        page.locator(".seps-talk").evaluate("(one) => one.scrollTo(0, 0)")
        page.get_by_role("button", name="Settings", exact=True).tap()
        expect(page.get_by_role("button", name="As trained")).to_be_in_viewport()
        assert small(page) == []


def test_before_a_projector_everything_is_in_sight_and_explained(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        tops = page.locator("#viewer .seps-parts button").evaluate_all("all => all.map((one) => one.offsetTop)")
        assert len(tops) >= 3
        assert len(set(tops)) == 1
        for name in ("s_p", "s_st", "s_im"):
            expect(page.locator(f'#viewer [data-layer="{name}"]')).to_have_attribute("title", TABLE["meaning"][name])
        relevance = page.locator("#viewer .seps-terms li", has_text="patch relevance")
        expect(relevance).to_have_attribute("title", TABLE["meaning"]["patch relevance"])
        page.locator("#viewer .seps-glossary summary").click()
        for name in ("S(I, T)", "token", "cross"):
            expect(page.locator("#viewer .seps-glossary")).to_contain_text(TABLE["meaning"][name])
        page.locator("#viewer [data-layer=score]").click()
        page.locator("#viewer [data-layer=extra]").click()
        page.get_by_role("tab", name="Compare", exact=True).click()
        figures = page.locator("#compare figure")
        expect(figures).to_have_count(len(load_openings()["examples"]["compare"]["captions"]))
        for canvas in figures.locator("canvas").all():
            bounds = canvas.bounding_box()
            assert bounds is not None
            assert bounds["y"] + bounds["height"] <= 768
            assert bounds["width"] > 280
        page.set_viewport_size({"width": 1920, "height": 1080})
        assert box(page, ".main.app")["width"] > 1850
        page.get_by_role("tab", name="Lesson", exact=True).click()
        page.locator(".seps-scene[data-still=true]").wait_for()
        page.keyboard.press("t")
        page.wait_for_function("document.querySelector('.seps-talk .seps-scene').clientWidth > 1800")
        bars, stage = page.locator(".seps-talk .seps-vector"), box(page, "#lesson .seps-scene")
        for bar in bars.all():
            bounds = bar.bounding_box()
            assert bounds is not None
            assert bounds["width"] > 0.35 * stage["width"]
        row_name = page.locator(".seps-talk .seps-row-name").first
        assert row_name.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)") >= 24


@pytest.mark.parametrize(
    "size",
    [pytest.param((1366, 768), marks=pytest.mark.slow), (1920, 1080), pytest.param(PHONE, marks=pytest.mark.slow)],
)
def test_the_losses_of_a_talk_are_a_slide(browser: Browser, address: str, size: tuple[int, int]) -> None:
    link = "?view=lesson&gallery=examples&talk=1"
    with opened(browser, address, link, size, canvas=".seps-lesson") as page:
        page.locator(".seps-scene[data-still=true]").wait_for()
        page.keyboard.press("l")
        expect(page.locator("#playground .seps-now")).to_be_visible()
        for cut in page.locator(".seps-matrix td button span:first-child, .seps-matrix th em:visible").all():
            assert cut.evaluate(CUT) == 0, cut.inner_text()
        expect(page.get_by_role("tab")).to_have_count(0)
        bar = box(page, ".seps-hall-bar")
        assert bar["y"] + bar["height"] == pytest.approx(size[1], abs=1)
        if size != PHONE:
            for part in (".seps-matrix", ".seps-ranking .seps-chart", ".seps-batch", ".seps-samples"):
                bounds = box(page, f"#playground {part}")
                assert bounds["y"] + bounds["height"] <= bar["y"] + 1, part
        page.get_by_role("button", name="Back to the talk").click()
        expect(page.locator("#lesson .seps-talk")).to_be_visible()


@pytest.mark.journey
def test_a_gallery_that_cannot_be_opened_leaves_choice_and_ranking_as_they_were(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        before = page.locator("#ranking .title").all_inner_texts()
        page.locator("#gallery").get_by_label("open-photos", exact=True).click()
        expect(page.locator("#said .problem")).to_be_visible()
        assert page.evaluate(SETTLED) < 4_000  # milliseconds: nothing waits for an answer that is there
        expect(page.locator("#gallery").get_by_label("examples", exact=True)).to_be_checked()
        assert page.locator("#ranking .title").all_inner_texts() == before
        page.get_by_role("tab", name="Captions", exact=True).click()
        expect(page.locator("#captions-viewer canvas")).to_be_visible()
        for where in ("#captions-gallery", "#captions-pool"):
            page.locator(where).get_by_label("open-photos", exact=True).click()
            expect(page.locator("#captions-said .problem")).to_be_visible()
            expect(page.locator(where).get_by_label("examples", exact=True)).to_be_checked()


def test_a_copied_lesson_link_shows_the_same_numbers(browser: Browser, address: str) -> None:
    link = "?view=lesson&gallery=examples&step=4"
    with opened(browser, address, link, canvas=".seps-lesson") as page:
        cut = page.locator("#lesson .seps-chart .seps-strong")
        expect(cut).to_be_visible()
        before = cut.text_content() or ""
        page.locator("#lesson [data-knob=dense] input").uncheck()
        expect(cut).not_to_have_text(before)
        expect(page).to_have_url(re.compile("use_dense=False"))
        score, copied = cut.text_content() or "", page.url.removeprefix(address + "/")
    with opened(browser, address, copied, canvas=".seps-lesson") as page:
        expect(page.locator("#lesson .seps-chart .seps-strong")).to_have_text(score)
        expect(page.locator("#lesson [data-knob=dense] input")).not_to_be_checked()
        assert page.url.removeprefix(address + "/") == copied

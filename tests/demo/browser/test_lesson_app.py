"""The lesson in the app: walked by keyboard, every knob moved once, files opened, claims measured."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from demo.views.examples import FIRST_CAPTION, FIRST_PHOTO
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from demo.record.settings import evaluation_knobs, read_knobs
from demo.service.results import our_results
from demo.service.retrieval import RetrievalService
from demo.views.lesson.steps import STEPS
from demo.views.lesson.walk import WalkRequest, walk_value
from demo.views.paper.values import published
from tests.demo.browser.conftest import SCREENSHOTS
from tests.demo.browser.page import SIZES, opened

# Playwright leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

LINK = "?view=lesson&gallery=examples"
TERM = "#lesson [data-term]"


def lesson(service: RetrievalService, **knobs: Any) -> dict[str, Any]:
    """What the library says of the lesson's first example under some knobs."""
    indexed = service.find("examples")
    index = indexed.gallery.position(FIRST_PHOTO)
    caption, dense = FIRST_CAPTION, indexed.gallery.items[index].dense
    settings = read_knobs(knobs, evaluation_knobs(service.model))
    return walk_value(WalkRequest(service, indexed, index, caption, dense, settings))


def at(page: Page, step: int) -> None:
    expect(page.locator(f'#lesson .seps-steps [data-step="{step}"]')).to_have_attribute("aria-current", "step")


@pytest.mark.journey
def test_all_steps_by_keyboard_show_the_librarys_numbers(
    browser: Browser, address: str, service: RetrievalService
) -> None:
    value = lesson(service)
    with opened(browser, address, LINK, canvas=".seps-lesson", kept=True) as page:
        for step, shown in enumerate(value["steps"], start=1):
            at(page, step)
            expect(page.locator("#lesson .seps-said")).to_contain_text(shown["title"])
            for tensor in shown["tensors"]:
                shape = ",".join(map(str, tensor["shape"]))
                expect(page.locator(f'#lesson [data-tensor="{tensor["name"]}"]')).to_have_attribute("data-shape", shape)
            if step < STEPS:
                page.keyboard.press("ArrowRight")
            if step == STEPS - 1:
                page.wait_for_timeout(100)
        page.keyboard.press("ArrowLeft")
        at(page, 8)
        terms = page.locator(TERM).evaluate_all("all => all.map((one) => +one.dataset.value)")
        assert sum(terms) == pytest.approx(value["record"]["similarity"], abs=1e-5)
        expect(page.locator("#lesson [data-rank]").first).to_have_attribute("data-rank", str(value["rank"]["now"]))
        page.keyboard.press("ArrowLeft")
        at(page, 7)
        expect(page).to_have_url(re.compile("step=7"))
        link = page.url.removeprefix(address + "/")
    with opened(browser, address, link, canvas=".seps-lesson", kept=True) as page:
        at(page, 7)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("keep_ratio", 0.3),
        ("beta", 0.5),
        ("top_k", 2),
        ("decision", "gumbel"),
        ("dense", False),
        ("variant", "released"),
    ],
)
def test_each_knob_tells_what_it_moved(
    browser: Browser, address: str, service: RetrievalService, knob: str, value: Any
) -> None:
    expected = lesson(service, **{knob: value})
    with opened(browser, address, LINK, canvas=".seps-lesson") as page:
        control = page.locator(f'#lesson [data-knob="{knob}"]').locator("input, select").first
        if isinstance(value, bool):
            control.set_checked(value)
        elif isinstance(value, str):
            control.select_option(value)
        else:
            control.evaluate(
                "(one, to) => { one.value = to; one.dispatchEvent(new Event('input', {bubbles: true})); }", str(value)
            )
        moved = page.locator('#lesson [data-moved="kept"]')
        kept = expected["moved"]["kept"]
        expect(moved).to_have_attribute("data-gained", str(len(kept["gained"])))
        expect(moved).to_have_attribute("data-lost", str(len(kept["lost"])))
        before, now = expected["moved"]["score"]
        score = page.locator('#lesson [data-moved="score"]')
        expect(score).to_contain_text(f"{before:.4f}"[:6])
        expect(score).to_contain_text(f"{now:.4f}"[:6])
        for name, (first, other) in expected["moved"]["terms"].items():
            row = page.locator(f'#lesson [data-moved="{name}"]')
            for number in (first, other):
                if number is not None:
                    expect(row).to_contain_text(f"{number:.4f}"[:6])
        rank = page.locator('#lesson [data-moved="rank"] td')
        expect(rank.first).to_have_text(str(expected["rank"]["before"]))
        if expected["rank"]["now"] is not None:
            expect(rank.nth(1)).to_have_text(str(expected["rank"]["now"]))
        else:
            expect(page.locator("#lesson .seps-moved")).to_contain_text("A drawn decision has no rank")
        marked = page.locator(f'#lesson [data-knob="{knob}"]')
        if knob in expected["untrained"]:
            expect(marked).to_contain_text("not trained for")


def test_a_knob_moved_during_a_recompute_is_computed_too(browser: Browser, address: str) -> None:
    with opened(browser, address, LINK, canvas="#lesson canvas") as page:
        page.locator('#lesson [data-knob="keep_ratio"] input').evaluate(
            "(one) => { one.value = 0.3; one.dispatchEvent(new Event('input', {bubbles: true})); }"
        )
        expect(page.locator("#lesson [aria-busy]")).to_have_count(1)
        decision = page.locator('#lesson [data-knob="decision"] select')
        decision.select_option("gumbel")
        expect(page).to_have_url(re.compile("keep_ratio=0.3.*decision=gumbel"))
        expect(page.locator("#lesson [aria-busy]")).to_have_count(0)
        expect(decision).to_have_value("gumbel")
        expect(page.locator("#lesson .seps-moved")).to_contain_text("A drawn decision has no rank")


@pytest.mark.parametrize(("knob", "value"), [("temperature", 2.5), ("seed", 7)])
def test_knobs_of_a_draw_count_once_it_is_drawn(
    browser: Browser, address: str, service: RetrievalService, knob: str, value: Any
) -> None:
    expected = lesson(service, decision="gumbel", **{knob: value})
    with opened(browser, address, LINK + "&decision=gumbel", canvas=".seps-lesson") as page:
        control = page.locator(f'#lesson [data-knob="{knob}"]').locator("input").first
        control.evaluate(
            "(one, to) => { one.value = to; one.dispatchEvent(new Event('input', {bubbles: true})); }", str(value)
        )
        expect(page).to_have_url(re.compile(f"{knob}={value}"))
        kept = expected["moved"]["kept"]
        moved = page.locator('#lesson [data-moved="kept"]')
        expect(moved).to_have_attribute("data-gained", str(len(kept["gained"])))
        expect(moved).to_have_attribute("data-lost", str(len(kept["lost"])))


COMPUTED = """async () => {
    const view = document.querySelector("#lesson .seps-lesson").closest(".html-container");
    view.classList.add("pending");
    await Promise.all(document.getAnimations().map((animation) => animation.finished));
}"""


def test_talk_mode_fills_the_screen_and_turns_with_a_remote(browser: Browser, address: str) -> None:
    with opened(browser, address, LINK + "&step=2", canvas=".seps-lesson") as page:
        page.keyboard.press("t")
        expect(page).to_have_url(re.compile("talk=1"))
        box = page.locator("#lesson .seps-lesson").bounding_box()
        assert box is not None
        assert (box["width"], box["height"]) >= (1366, 768)
        # It is computed anew, which takes a while: the talk stays where it is.
        page.evaluate(COMPUTED)
        assert page.locator("#lesson .seps-lesson").bounding_box() == box
        page.keyboard.press("PageDown")
        at(page, 3)
        page.keyboard.press("PageUp")
        at(page, 2)


@pytest.mark.slow
def test_all_steps_as_files(browser: Browser, address: str) -> None:
    def saved(page: Page, kind: str) -> tuple[str, bytes]:
        with page.expect_download(timeout=90_000) as waiting:
            page.locator("#lesson").get_by_role("button", name=f"Download all steps as {kind}").click()
        return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()

    with opened(browser, address, LINK, canvas=".seps-lesson") as page:
        name, content = saved(page, "PDF")
        assert name.endswith(".pdf")
        assert len(re.findall(rb"/Type /Page\b", content)) == STEPS
        name, content = saved(page, "PNG")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert len(archive.namelist()) == STEPS
            with Image.open(io.BytesIO(archive.read(archive.namelist()[0]))) as image:
                assert image.size == (1920, 1080)
        name, content = saved(page, "GIF")
        with Image.open(io.BytesIO(content)) as image:
            assert getattr(image, "n_frames", 1) >= 2 * STEPS


def test_losses_claims_and_the_paper(browser: Browser, address: str) -> None:
    with opened(browser, address, LINK, canvas=".seps-lesson") as page:
        page.get_by_role("tab", name="Losses", exact=True).click()
        loss = page.locator("#playground .seps-now")
        expect(loss).to_be_visible()
        before = loss.inner_text()
        page.locator("#playground [data-mining=hardest]").click()
        expect(loss).not_to_have_text(before)
        for claim in page.locator("#claims [data-run]").all():
            name = claim.get_attribute("data-run")
            claim.click()
            expect(page.locator(f'#claims [data-claim="{name}"] [data-holds]')).to_have_attribute("data-holds", "true")
        page.get_by_role("tab", name="Paper and code", exact=True).click()
        expect(page.locator("#paper")).to_contain_text("Published results")
        tables = page.locator("#paper table").all_inner_texts()
        ours = [row for row in our_results() if row["dense"] == "none"]
        mixed = [text for text in tables if "SEPS" in text and f"{ours[0]['rsum']:.1f}" in text]
        assert mixed == []
        assert sum(text.count("\n") for text in tables) > len(published()["rows"])


@pytest.mark.parametrize("size", SIZES)
def test_every_step_fits(browser: Browser, address: str, size: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    with opened(browser, address, LINK, SIZES[size], canvas=".seps-lesson") as page:
        for step in range(1, STEPS + 1):
            at(page, step)
            page.wait_for_timeout(900)
            overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert overflow <= 0
            page.screenshot(path=SCREENSHOTS / f"lesson-{step}-{size}.png", full_page=True)
            if step < STEPS:
                page.locator('#lesson .seps-rail [data-turn="1"]').click()


def test_the_address_leads_back_to_the_losses_and_the_paper(browser: Browser, address: str) -> None:
    with opened(browser, address, LINK, canvas="#lesson canvas") as page:
        page.get_by_role("tab", name="Losses", exact=True).click()
        expect(page).to_have_url(re.compile(r"\?view=losses$"))
        page.get_by_role("button", name="Hardest negatives").click()
        page.get_by_label("Other captions of the same photo are no negatives").uncheck()
        page.get_by_label("Kept share").fill("0.7")
        expect(page).to_have_url(re.compile(r"\?view=losses&mining=hardest&mask_ids=0&share=0\.7$"))
        link = page.url.removeprefix(address + "/")
        loss = page.locator("#playground [data-loss]").inner_text()
        page.get_by_role("tab", name="Paper and code", exact=True).click()
        expect(page).to_have_url(re.compile(r"\?view=paper$"))
        page.get_by_role("tab", name="The walk", exact=True).click()
        expect(page).to_have_url(re.compile(r"\?view=lesson&"))
        page.get_by_role("tab", name="Losses", exact=True).click()  # as it was left
        expect(page).to_have_url(re.compile(re.escape(link) + "$"))
    with opened(browser, address, link, canvas="#playground .seps-chart") as page:
        expect(page.locator("#playground [data-loss]")).to_have_text(loss)
        expect(page.get_by_label("Kept share")).to_have_value("0.7")
        expect(page.get_by_label("Other captions of the same photo are no negatives")).not_to_be_checked()
        expect(page.get_by_role("tab", name="Losses", exact=True)).to_have_attribute("aria-selected", "true")
        assert page.url.endswith(link)
        page.get_by_role("button", name="Which loss for which task").click()
        expect(page.locator("#losses-tasks .wide[tabindex] table")).to_have_count(4)  # tasks, methods, cheats, errors
        expect(page.locator("#losses-tasks")).to_contain_text("Keeps all patches")
        page.get_by_role("tab", name="The walk", exact=True).click()
        expect(page.locator("#lesson canvas")).to_be_visible()
    with opened(browser, address, "?view=paper", canvas="#paper table"):
        pass

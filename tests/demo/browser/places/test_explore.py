"""Explore on the new page: one photo, its caption, and the ranking."""

import re
from base64 import b64encode
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.demo.browser.places.conftest import Opener
from tests.demo.browser.standalone import SMALL
from tests.helpers.web.axe import load_axe, serious_violations

CHINA = Path(__file__).parents[4] / "assets" / "galleries" / "photos" / "china.jpg"
COFFEE = "a cup of espresso on a wooden table"
COFFEE_LINK = "?gallery=examples&photo=coffee&caption=a+cup+of+espresso+on+a+wooden+table"
DROP = """([content, name]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name, { type: "image/jpeg" }));
    for (const type of ["dragenter", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }
}"""


def ready(page: Page) -> Page:
    """The page once its numbers come from the app."""
    expect(page.locator("[data-tool=whatif]")).to_be_visible()
    return page


def score(page: Page) -> float:
    return float(page.locator(".headline output").get_attribute("data-similarity") or "nan")


def listed(page: Page) -> float:
    """The score of the selected photo in the strip."""
    return float(page.locator(".ranked [aria-pressed=true] .score").get_attribute("data-score") or "nan")


def test_typing_keeps_the_photo_enter_opens_the_best_and_an_empty_caption_changes_nothing(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    expect(page.locator(".photo-title")).to_have_text("coffee")
    expect(page.locator(".ranked .bar")).to_have_count(14)
    widths = page.locator(".ranked .bar").evaluate_all("(bars) => bars.map((bar) => bar.getBoundingClientRect().width)")
    assert max(widths) - min(widths) < 1  # one scale
    page.fill("#caption", "a tabby cat with green eyes")
    expect(page.locator(".ranked .title").first).to_have_text("cat")
    expect(page.locator(".photo-title")).to_have_text("coffee")
    page.press("#caption", "Enter")
    expect(page.locator(".photo-title")).to_have_text("cat")
    assert score(page) == pytest.approx(listed(page), abs=1e-4)
    page.go_back()
    expect(page.locator(".photo-title")).to_have_text("coffee")
    page.fill("#caption", " ")
    expect(page.get_by_role("alert")).to_contain_text("The caption is empty")
    expect(page.locator(".photo-title")).to_have_text("coffee")
    page.fill("#caption", "xyzzy blorft")
    expect(page.get_by_text("it may not know: xyzzy, blorft")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_keep_ratio_is_exact_in_the_picture_and_in_the_ranking(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    expect(page.locator("p.kept")).to_have_text("Kept 98 of 196 patches")
    page.locator("#keep").fill("20")
    expect(page.locator("p.kept")).to_have_text("Kept 40 of 196 patches")
    expect(page.locator(".changed")).to_contain_text("Was")
    page.wait_for_function("() => new URLSearchParams(location.search).get('ratio') === '20'")
    page.wait_for_function(
        """() => Math.abs(document.querySelector(".headline output").dataset.similarity
            - document.querySelector(".ranked [aria-pressed=true] .score").dataset.score) < 1e-4"""
    )
    page.reload()
    expect(ready(page).locator("p.kept")).to_have_text("Kept 40 of 196 patches")
    page.locator(".keep button").click()
    expect(page.locator("p.kept")).to_have_text("Kept 98 of 196 patches")


def test_a_pinned_word_stays_while_others_are_pointed_at(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    espresso = page.locator(".words button", has_text="espresso")
    expect(espresso.or_(page.locator(".words button").nth(4)).first).to_be_visible()
    page.locator(".words button").nth(2).click()
    expect(page.locator(".reading")).to_contain_text("Best match of")
    said = page.locator(".reading").inner_text()
    page.locator(".words button").nth(1).hover()
    assert page.locator(".reading").inner_text() == said
    page.locator("[data-side=word]").click()
    expect(page.locator(".reading")).to_contain_text("met")
    page.keyboard.press("Escape")
    expect(page.locator("[data-layer=mask]")).to_have_attribute("aria-pressed", "true")


def test_a_click_on_a_patch_flips_its_decision_and_nothing_painted_has_no_score(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    page.locator("[data-tool=whatif]").click()
    before = page.locator(".headline output").get_attribute("data-similarity")
    box = page.locator(".stage-canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 3.5 * box["width"] / 14, box["y"] + 0.5 * box["height"] / 14)
    expect(page.locator("p.kept")).not_to_have_text("Kept 98 of 196 patches")
    page.wait_for_function(
        "before => ![undefined, before].includes(document.querySelector('.headline output').dataset.similarity)",
        arg=before,
    )
    painted = page.locator("p.kept").inner_text()
    for undo in (page.locator("[data-tool=undo]").click, lambda: page.locator(".stage-canvas").press("Control+z")):
        page.locator("[data-tool=keep_none]").click()
        expect(page.locator(".headline output")).to_have_text("-")
        expect(page.locator("p.kept")).to_have_text("Kept 0 of 196 patches")
        undo()
        expect(page.locator("p.kept")).to_have_text(painted)
        expect(page.locator(".headline output")).not_to_have_text("-")


def test_the_layer_of_classes_names_the_class_of_a_patch(visit: Opener) -> None:
    page = ready(visit(f"{COFFEE_LINK}&layer=class"))
    page.locator(".stage-canvas").hover()  # its middle, the cup
    expect(page.locator(".reading")).to_contain_text(re.compile(r"espresso [01]\.\d\d"))


def test_an_abandoned_measurement_leaves_no_bar(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    page.locator(".layers .more summary").click()
    page.locator("[data-layer=blurred]").click()
    expect(page.locator(".message.waiting")).to_be_visible()
    page.locator("[data-layer=score]").click()
    expect(page.locator(".message.waiting")).to_be_hidden()
    expect(page.locator(".reading")).to_contain_text("Score of each patch")


def test_ones_own_photo_is_ranked_and_survives_a_reload(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    page.set_input_files(".sources input[type=file]", CHINA)
    expect(page.locator(".photo-title")).to_have_text("china.jpg")
    expect(page.locator(".headline .place")).to_have_text("ranked 1st of 1")
    expect(page.locator("#caption")).to_have_value(COFFEE)
    assert "photo" not in page.url
    page.reload()
    expect(ready(page).locator(".photo-title")).to_have_text("china.jpg")
    expect(page.locator("#caption")).to_have_value(COFFEE)


def test_a_photo_is_dropped_anywhere_and_a_bad_file_is_refused(visit: Opener, tmp_path: Path) -> None:
    page = ready(visit(COFFEE_LINK))
    page.evaluate(DROP, [b64encode(CHINA.read_bytes()).decode(), "dropped.jpg"])
    expect(page.locator(".photo-title")).to_have_text("dropped.jpg")
    expect(page.locator(".drop-veil")).to_be_hidden()
    page.evaluate(DROP, [b64encode(b"<script>alert(1)</script>").decode(), "<img src=x onerror=alert(1)>.jpg"])
    expect(page.get_by_role("alert")).to_contain_text("no photo that can be read")
    assert page.locator("[role=alert] img").count() == 0


def test_a_gallery_that_is_not_here_and_old_links(visit: Opener) -> None:
    page = visit("?gallery=nowhere")
    expect(page.get_by_role("alert")).to_contain_text("There is no gallery")
    address = page.url.partition("?")[0]
    page.goto(f"{address}?view=search&model=photos{COFFEE_LINK.replace('?', '&')}&layer=score&opacity=40&grid=0")
    expect(ready(page).locator("[data-layer=score]")).to_have_attribute("aria-pressed", "true")
    page.locator(".looks summary").click()
    expect(page.get_by_label("Opacity")).to_have_value("40")
    expect(page.get_by_label("Grid")).not_to_be_checked()
    page.get_by_label("Opacity").fill("75")
    page.wait_for_function("() => !location.search.includes('opacity')")
    page.goto(f"{address}?view=captions&gallery=examples&photo=coffee&caption=a+cup")
    expect(page.locator(".ranked-caption").first).to_be_visible()


def test_play_steps_through_stills_where_motion_is_reduced(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK, reduced_motion="reduce"))
    page.locator(".play-open").click()
    expect(page.locator(".play h3")).to_have_text("1. Cut into patches")
    for name in ("Score the patches", "Drop low scores", "Merge into tokens", "Connect words", "Add up the score"):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".play h3")).to_contain_text(name)
    expect(page.locator(".play-text")).to_contain_text(f"= {score(page):.2f}")
    page.locator(".play a").click()
    expect(page.locator("[data-place=learn]")).to_have_attribute("aria-current", "page")
    assert "step=8" in page.url


def test_play_runs_by_itself(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    page.locator(".play-open").click()
    expect(page.locator(".play h3")).to_contain_text("2. Score the patches")
    page.keyboard.press("Escape")
    expect(page.locator(".play")).to_be_hidden()


@pytest.mark.parametrize("phone", [False, True])
def test_nothing_serious_is_found(visit: Opener, phone: bool) -> None:
    page = ready(visit(COFFEE_LINK + ("&lang=zh" if phone else ""), phone))
    load_axe(page)
    assert serious_violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if phone:
        expect(page.locator(".stage-canvas")).to_be_in_viewport()
        assert page.evaluate(SMALL) == []
    else:
        page.emulate_media(color_scheme="dark")
        page.reload()
        load_axe(ready(page))
        assert serious_violations(page) == []


def test_the_keyboard_is_enough(visit: Opener) -> None:
    page = ready(visit(COFFEE_LINK))
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.focus(".stage-canvas")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".reading")).to_contain_text("Row 1, column 1")
    page.focus(".ranked button >> nth=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".ranked button").nth(1)).to_have_attribute("aria-pressed", "true")

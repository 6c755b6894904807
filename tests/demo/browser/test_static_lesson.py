"""The lesson on the page without a server: settings, keys, talk mode, a decision by hand, links, a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.galleries.scenes import scenes_gallery
from tests.demo.browser.fitting import problems_of
from tests.helpers.static_site import READY, watched_page

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]
LINK = "?view=lesson&model=scenes&gallery=scenes&photo=7&caption=a+red+car"
STEPS = 9


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched_page(browser) as page:
        yield page


def open_lesson(page: Page, address: str, link: str = LINK) -> None:
    """Open the lesson, and wait until all of it is there: the patch that counts most comes last."""
    page.goto(address + link)
    expect(page.locator("#lesson canvas").first).to_be_visible(timeout=READY)
    expect(page.locator("#lesson .seps-standing, #lesson [data-tensor]").first).to_be_attached()


def query(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def at(page: Page, step: int) -> None:
    expect(page.locator(f'#lesson .seps-steps [data-step="{step}"]')).to_have_attribute("aria-current", "step")


def turn(page: Page, knob: str, value: float) -> None:
    """Move a slider of the settings."""
    page.locator(f"#lesson [data-knob={knob}] input").evaluate(
        "(input, to) => { input.value = to; input.dispatchEvent(new Event('input', { bubbles: true })); }", str(value)
    )


def test_the_tab_opens_the_worked_example_and_keys_turn_its_pages(page: Page, static_address: str) -> None:
    page.goto(static_address)
    page.locator("#tab-lesson").click()
    expect(page.locator("#lesson canvas").first).to_be_visible(timeout=READY)
    page.locator("#lesson h2").click()  # of the tabs, arrow keys turn the tabs
    for step in range(2, STEPS + 1):
        page.keyboard.press("ArrowRight")
        at(page, step)
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("has the highest effect: without it")
    page.wait_for_function("new URLSearchParams(location.search).get('step') === '9'")
    assert query(page)["view"] == "lesson" and query(page)["caption"]


def test_a_setting_computes_anew_and_tells_what_it_moved(page: Page, static_address: str) -> None:
    open_lesson(page, static_address, f"{LINK}&step=4")
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("The 98 of 196 patches")
    turn(page, "keep_ratio", 0.2)
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("The 40 of 196 patches")
    moved = page.locator("#lesson [data-moved=kept]")
    expect(moved).to_have_attribute("data-lost", "58")
    expect(page.locator("#lesson [data-knob=keep_ratio]")).to_contain_text("not trained for")
    page.locator("#lesson [data-knob=decision] select").select_option("gumbel")
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("drawn by its own keep probability")
    page.wait_for_function("new URLSearchParams(location.search).get('decision') === 'gumbel'")
    assert query(page)["keep_ratio"] == "0.2"
    page.get_by_role("button", name="As trained").click()
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("The 98 of 196 patches")
    page.wait_for_function("!new URLSearchParams(location.search).has('keep_ratio')")


def test_a_link_has_its_settings_step_and_decision_and_a_wrong_one_is_told(page: Page, static_address: str) -> None:
    open_lesson(page, static_address, f"{LINK}&variant=released&beta=0.1&step=8")
    at(page, 8)
    expect(page.locator("#lesson [data-knob=variant] select")).to_have_value("released")
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("The means of both directions add up")
    assert query(page)["variant"] == "released" and query(page)["beta"] == "0.1"
    for wrong, message in (
        ("step=12", "There is no step 12"),
        ("beta=0.7", "beta is 0.7, but it must lie between 0 and 0.5"),
        ("keep_ratio=much", "keep_ratio is much, but a number is needed"),
        ("mask=zz", "none of 196 patches"),
        ("aggr_ratio=0.9", "another number takes another training"),
        ("dense=%E7%8A%AC", "write the dense caption in English"),
        ("use_dense=much", "use_dense is much, but it must be True or False"),
    ):
        open_lesson(page, static_address, f"{LINK}&{wrong}")
        expect(page.locator("#lesson-said [role=alert]")).to_contain_text(message)


def test_a_step_that_is_chosen_while_a_caption_is_typed_stays(page: Page, static_address: str) -> None:
    open_lesson(page, static_address, f"{LINK}&step=2")
    box = page.locator("#lesson-caption textarea")
    page.locator("#lesson-example > summary").click()
    for caption, step, goes_on in (("a blue house", 4, False), ("two sheep", 6, True)):
        box.fill(caption)
        page.locator(f"#lesson [data-step='{step}']").evaluate("(button) => button.click()")
        for _ in range(8 * goes_on):  # until the step is told
            box.press_sequentially(" ")
            page.wait_for_timeout(60)
        page.wait_for_function(
            "(caption) => new URLSearchParams(location.search).get('caption').trim() === caption", arg=caption
        )
        page.wait_for_function("(step) => new URLSearchParams(location.search).get('step') === step", arg=str(step))
        page.wait_for_timeout(500)  # what takes longer to compute comes later, and leaves it as well
        at(page, step)
        assert query(page)["step"] == str(step)


def test_captions_that_are_read_do_not_cover_what_was_wrong_with_a_link(page: Page, static_address: str) -> None:
    page.add_init_script("""window.addEventListener("DOMContentLoaded", () => {
        window.lines = [];
        const line = document.getElementById("lesson-said");
        new MutationObserver(() => window.lines.push(line.innerText)).observe(line, { childList: true, subtree: true });
    })""")
    page.goto(f"{static_address}{LINK}&step=12")
    page.wait_for_function("window.lines.some((text) => text.includes('Reading caption'))")
    page.wait_for_function("!document.getElementById('lesson-said').innerText.includes('Reading caption')")
    expect(page.locator("#lesson-said [role=alert]")).to_contain_text("There is no step 12")
    reading = page.evaluate("window.lines.filter((text) => text.includes('Reading caption'))")
    assert [text for text in reading if "There is no step 12" not in text] == []


DENSE = f"{LINK}&dense=A+red+car+on+a+road%2C+and+a+tree."


def test_a_dense_caption_is_typed_left_out_and_taken_away(page: Page, static_address: str) -> None:
    open_lesson(page, static_address, "?view=lesson&model=scenes&gallery=scenes&photo=7&step=2")
    box, sentence = page.locator("#lesson-dense textarea"), page.locator("#lesson .seps-sentence")
    expect(box).to_have_value(scenes_gallery().items[7].dense or "none")  # its own, where a link names no caption
    expect(sentence).to_contain_text("the dense caption, a long description, makes")
    page.locator("#lesson-example > summary").click()
    box.fill("")
    page.keyboard.type("A red ")
    expect(page.locator("#lesson .seps-chips").nth(1)).to_contain_text("red")
    expect(box).to_have_value("A red ")  # as it was typed, with its last space
    page.keyboard.type("car on a road,\nand a tree.")
    expect(page.locator("#lesson .seps-chips").nth(1)).to_contain_text("tree")
    page.wait_for_function("new URLSearchParams(location.search).get('dense') === 'A red car on a road,\\nand a tree.'")
    box.fill("")
    expect(page.locator("#lesson .seps-aside", has_text="No dense caption here")).to_be_visible()
    page.wait_for_function("!new URLSearchParams(location.search).has('dense')")
    page.go_back()
    expect(box).not_to_have_value("")  # to where typing last paused, or began


def test_a_link_with_a_dense_caption_leads_to_it_and_a_key_leaves_it_out(page: Page, static_address: str) -> None:
    open_lesson(page, static_address, f"{DENSE}&step=4")
    expect(page.locator("#lesson-dense textarea")).to_have_value("A red car on a road, and a tree.")
    branch = page.locator("#lesson .seps-choices button", has_text="dense branch")
    branch.click()
    expect(page.locator("#lesson [data-tensor]")).to_have_count(2)
    page.locator("#lesson [data-knob=dense] input").focus()
    page.keyboard.press("Space")
    page.wait_for_function(
        "location.search.includes('&dense=A+red+car+on+a+road%2C+and+a+tree.&use_dense=False&step=4')"
    )
    expect(branch).to_be_hidden()
    expect(page.locator("#lesson [data-moved=kept]")).not_to_have_attribute("data-lost", "0")
    open_lesson(page, static_address, f"{DENSE}&use_dense=False&step=2")
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("and is left out now")
    expect(page.locator("#lesson [data-knob=dense] input")).not_to_be_checked()


def test_a_decision_by_hand_stands_beside_the_models(page: Page, static_address: str) -> None:
    open_lesson(page, static_address, f"{LINK}&step=9")
    expect(page.locator("#lesson .seps-ring")).to_be_visible()
    place = page.locator("#lesson .seps-paint").bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(page.locator("#lesson .seps-trial")).to_contain_text("by hand")
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("by hand")
    page.wait_for_function("new URLSearchParams(location.search).has('mask')")
    link = urlsplit(page.url).query
    open_lesson(page, static_address, f"?{link}")
    expect(page.locator("#lesson .seps-trial")).to_contain_text("by hand")


def test_another_example_by_photograph_caption_and_a_picture_of_ones_own(
    page: Page, static_address: str, tmp_path: Path
) -> None:
    open_lesson(page, static_address)
    page.locator("#lesson-example > summary").click()
    page.locator("#lesson-strip [data-index='3']").click()
    page.wait_for_function("new URLSearchParams(location.search).get('photo') === '3'")
    box = page.locator("#lesson-caption textarea")
    expect(box).to_have_value(scenes_gallery().items[3].captions[0])
    box.fill("a blue tent")
    page.wait_for_function("new URLSearchParams(location.search).get('caption') === 'a blue tent'")
    box.fill(" ")
    expect(page.locator("#lesson-said [role=alert]")).to_contain_text("The caption is empty")
    box.fill("a blue tent")
    scenes_gallery().items[5].photo().save(tmp_path / "mine.png")
    page.locator("#lesson-own summary").click()
    page.set_input_files("#lesson-upload", tmp_path / "mine.png")
    expect(page.locator("#lesson .seps-foot")).to_be_visible()
    page.wait_for_function("!location.search")
    page.keyboard.press("End")


@pytest.mark.parametrize("size", [(1024, 768), (1280, 720)])
def test_a_talk_fits(browser: Browser, static_address: str, size: tuple[int, int]) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = context.new_page()
    open_lesson(page, static_address, f"{LINK}&talk=1")
    expect(page.locator("#lesson .seps-talk")).to_be_visible()
    for step in range(1, STEPS + 1):
        page.keyboard.press(str(step))
        at(page, step)
        expect(page.locator("#lesson .seps-scene")).to_have_attribute("data-still", "true")
        assert problems_of(page) == [], step
    page.keyboard.press("Escape")
    expect(page.locator("#lesson .seps-talk")).to_have_count(0)
    context.close()


def test_on_a_phone_it_fits_the_width_and_is_pressed_by_a_finger(browser: Browser, static_address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    open_lesson(page, static_address, f"{DENSE}&lang=zh")
    for step in (3, 9):
        page.locator(f'#lesson [data-step="{step}"]').tap()
        at(page, step)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("#lesson .seps-note")).to_contain_text("\u7a20\u5bc6\u5206\u652f")  # the dense branch
    page.locator("#lesson-example > summary").tap()
    expect(page.locator("#lesson-dense")).to_contain_text("\u7a20\u5bc6\u63cf\u8ff0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator("#lesson-example > summary").bounding_box()
    assert box is not None and box["height"] >= 44
    context.close()


def test_it_works_without_a_network(page: Page, static_address: str) -> None:
    page.goto(static_address)
    page.wait_for_function("document.body.dataset.offline === 'scenes'")
    page.context.set_offline(True)
    open_lesson(page, static_address, f"{LINK}&variant=released&step=4")
    expect(page.locator("#lesson .seps-sentence")).to_contain_text("The 98 of 196 patches")

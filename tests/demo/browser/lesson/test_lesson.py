"""The lesson in a real browser: its keys, its talk mode, its movement, and nothing cut off."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from demo.record.settings import evaluation_knobs, idle_choices
from demo.record.texts.table import say
from demo.service.retrieval import RetrievalService
from demo.views.lesson.steps import STEPS
from demo.views.lesson.walk import WalkRequest, walk_value
from tests.demo.browser.lesson.fitting import problems_of
from tests.demo.browser.lesson.lesson_page import go, lesson, lesson_value, resting, sent
from tests.demo.browser.standalone import RECORDS, SMALL, open_html, page_of, photo, random_record

LAPTOP, PHONE = (1366, 768), (390, 844)


def walked(service: RetrievalService, dense: bool, **knobs: Any) -> dict[str, Any]:
    """The lesson's value of an example, with its dense caption or without."""
    indexed = service.find("examples")
    item = indexed.gallery.items[2]
    settings = replace(evaluation_knobs(service.model), **knobs)
    return walk_value(WalkRequest(service, indexed, 2, item.captions[0], item.dense if dense else None, settings))


@pytest.mark.parametrize("name", ["paper, dense", "released, [CLS]"])
def test_all_steps_by_keyboard(browser: Browser, name: str) -> None:
    value = lesson_value(random_record(**RECORDS[name]))
    page = lesson(browser, value)
    for number, step in enumerate(value["steps"], start=1):
        expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", str(number))
        expect(page.locator(".seps-lesson h2")).to_have_text(f"{number}{step['title']}")
        assert page.locator(".seps-equation math").count() == 1
        shapes = [tensor.get_attribute("data-shape") for tensor in page.locator("[data-tensor]").all()]
        assert shapes == [",".join(map(str, tensor["shape"])) for tensor in step["tensors"]]
        expect(page.locator(".seps-scene > canvas")).to_have_attribute("aria-label", step["title"])
        page.keyboard.press("ArrowRight")
        resting(page)
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", "9")  # and no further
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.wait_for_function("window.triggered.at(-1)?.[1].step === 9")
    count = len(sent(page, "step"))
    page.evaluate(
        """() => Array.from({ length: 10 }, () => document.body.dispatchEvent(
            new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true, cancelable: true })))"""
    )
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", "1")
    page.wait_for_timeout(600)
    assert sent(page, "step")[count:] == [{"step": 1, "talk": False}]  # once, where the walk rested
    page.keyboard.press("PageDown")
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", "2")
    page.keyboard.press("PageUp")
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", "1")
    page.get_by_label("Keep ratio").press("ArrowRight")  # moves the slider
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", "1")


def test_talk_mode_turns_with_a_remote(browser: Browser) -> None:
    page = lesson(browser, lesson_value(random_record()))
    current = page.locator("[aria-current=step]")
    page.keyboard.press("t")
    root = page.locator(".seps-lesson.seps-talk")
    expect(root).to_be_visible()
    assert root.bounding_box() == {"x": 0, "y": 0, "width": 1366, "height": 768}
    keys = {"PageDown": 2, " ": 3, "ArrowDown": 4, "PageUp": 3, "ArrowUp": 2, "End": 9, "Home": 1}
    for key, step in keys.items():
        page.keyboard.press(key)
        expect(current).to_have_attribute("data-step", str(step))
    expect(page.locator(".seps-knobs")).to_be_hidden()
    page.keyboard.press("k")
    expect(page.locator(".seps-knobs")).to_be_visible()
    page.wait_for_function("window.triggered.at(-1)?.[1].step === 1")
    assert sent(page, "step")[-1] == {"step": 1, "talk": True}
    page.keyboard.press("t")
    expect(page.locator(".seps-talk")).to_have_count(0)
    assert page.evaluate("document.fullscreenElement") is None
    page.evaluate("() => { Element.prototype.requestFullscreen = () => Promise.reject(new Error('refused')); }")
    page.get_by_role("button", name="Talk mode").click()
    expect(root).to_be_visible()
    page.keyboard.press("PageDown")  # the button that was clicked has no focus any more
    expect(current).to_have_attribute("data-step", "2")
    page.keyboard.press("Escape")
    expect(root).to_have_count(0)


@pytest.mark.parametrize(("size", "drawn"), [((1024, 768), False), ((1280, 720), True)], ids=str)
def test_a_talk_with_open_settings_fits_at_every_step(
    browser: Browser, service: RetrievalService, size: tuple[int, int], drawn: bool
) -> None:
    value = walked(service, drawn, decision="gumbel" if drawn else "top-k")
    page = lesson(browser, value | {"idle": idle_choices()}, size=size)
    page.keyboard.press("t")
    for opened in (False, True):
        if opened:
            page.keyboard.press("k")
        for step in range(1, STEPS + 1):
            page.keyboard.press(str(step))
            resting(page)
            assert problems_of(page) == [], (step, opened)


def test_keys_of_a_talk(browser: Browser) -> None:
    page = lesson(browser, lesson_value(random_record()))
    current, blank, keys = (page.locator(where) for where in ("[aria-current=step]", ".seps-blank", ".seps-keys"))
    for key in ("7", "b", "?"):  # of a talk alone
        page.keyboard.press(key)
    expect(current).to_have_attribute("data-step", "1")
    expect(blank).to_have_count(0)
    page.keyboard.press("t")
    page.keyboard.press("7")
    expect(current).to_have_attribute("data-step", "7")
    page.keyboard.press("b")
    assert blank.bounding_box() == {"x": 0, "y": 0, "width": 1366, "height": 768}
    assert blank.evaluate("(one) => getComputedStyle(one).backgroundColor") == "rgb(0, 0, 0)"
    page.keyboard.press("PageDown")  # brings the picture back, and no more
    expect(blank).to_have_count(0)
    expect(current).to_have_attribute("data-step", "7")
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    for name in ("turn", "digits", "blank", "keys", "leave"):
        expect(keys).to_contain_text(say(f"talk.does_{name}"))
    page.keyboard.press("2")  # the list has the keys
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    expect(current).to_have_attribute("data-step", "7")
    expect(page.locator(".seps-talk")).to_have_count(1)
    page.get_by_role("button", name=say("talk.keys_hint")).click()
    page.get_by_role("button", name=say("talk.close")).click()
    page.keyboard.press("2")
    expect(current).to_have_attribute("data-step", "2")


def test_the_tab_key_stays_in_a_talk(browser: Browser) -> None:
    html = page_of("lesson", lesson_value(random_record()))
    page = open_html(browser, html.replace("</body>", "<button>outside</button></body>"), calm=True)
    resting(page)
    page.keyboard.press("t")
    page.keyboard.press("k")
    inside = "document.querySelector('.seps-talk').contains(document.activeElement)"
    count = page.locator(".seps-talk button:visible, .seps-talk input:visible, .seps-talk select:visible").count()
    for key in ("Tab", "Shift+Tab"):
        for _ in range(count + 2):
            page.keyboard.press(key)
            assert page.evaluate(inside)


# Where a label stands on its stage.
PLACE = """(label) => {
  const [own, stage] = [label, label.closest(".seps-scene")].map((element) => element.getBoundingClientRect());
  return [own.x - stage.x, own.y - stage.y, own.width, own.height];
}"""


def test_pictures_glide_and_what_stays_stays(browser: Browser) -> None:
    page = lesson(browser, lesson_value(random_record(), step=2), calm=False)
    stage = page.locator(".seps-scene")
    heading = page.locator("[data-label=home]")
    before = heading.evaluate(PLACE)
    page.keyboard.press("ArrowRight")
    expect(stage).to_have_attribute("data-still", "false")
    middle = page.locator(".seps-scene > canvas").evaluate("(canvas) => canvas.toDataURL()")
    resting(page)
    assert page.locator(".seps-scene > canvas").evaluate("(canvas) => canvas.toDataURL()") != middle
    assert heading.evaluate(PLACE) == before


def test_a_talk_asked_for_while_the_lesson_is_computed_starts_with_it(browser: Browser) -> None:
    page = open_html(browser, page_of("lesson", None), calm=True)
    page.keyboard.press("t")
    page.evaluate("(value) => window.send(value)", lesson_value(random_record()))
    expect(page.locator(".seps-lesson.seps-talk")).to_have_count(1)
    page.keyboard.press("t")
    expect(page.locator(".seps-lesson.seps-talk")).to_have_count(0)
    page.evaluate("(value) => window.send(value)", lesson_value(random_record(2)))  # asked for once
    resting(page)
    expect(page.locator(".seps-lesson.seps-talk")).to_have_count(0)


def test_another_example_brings_its_step(browser: Browser) -> None:
    page = open_html(browser, page_of("lesson", None), calm=True)
    expect(page.locator(".seps-empty:visible")).to_contain_text("No lesson yet. Choose a photo and a caption.")
    page.evaluate("(value) => window.send(value)", lesson_value(random_record(), step=3))
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", "3")
    page.keyboard.press("ArrowRight")
    other = lesson_value(random_record(3), caption="another caption", step=6, photo=photo(300, 400))
    page.evaluate("(value) => window.send(value)", other)
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", "6")
    page.evaluate("window.send(null)")
    expect(page.locator("canvas")).to_have_count(0)


@pytest.mark.parametrize(("size", "talk"), [(LAPTOP, False), (PHONE, False), (PHONE, True)], ids=str)
def test_nothing_is_cut_off_and_the_stage_stays(
    browser: Browser, service: RetrievalService, size: tuple[int, int], talk: bool
) -> None:
    page = lesson(browser, walked(service, True), size=size, touch=size[0] < 500)
    if talk:
        page.get_by_role("button", name="Talk mode").click()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    cut = """() => {
        const stage = document.querySelector(".seps-scene").getBoundingClientRect();
        const words = [...document.querySelectorAll(".seps-labels p, .seps-labels svg text, .seps-labels li")];
        const outside = words.filter((one) => {
            const box = one.getBoundingClientRect();
            const beside = box.right > stage.right + 1 || box.left < stage.left - 1;
            const short = one.tagName === "P" && one.scrollWidth > one.clientWidth + 1;
            return box.width && (beside || short || box.bottom > stage.bottom + 1);
        });
        const math = document.querySelector(".seps-equation math");
        const [inner, outer] = [math, math.parentElement].map((one) => one.getBoundingClientRect());
        if (inner.width > outer.width + 1 || inner.height > outer.height + 1) outside.push(math);
        return outside.map((one) => one.textContent);
    }"""
    tops = []
    for step in range(1, STEPS + 1):
        go(page, step)
        tops.append(page.locator(".seps-scene").evaluate("(stage) => stage.getBoundingClientRect().y"))
        assert page.evaluate(cut) == [], step
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if size == LAPTOP:
        assert max(tops) - min(tops) <= 2, tops
    else:
        assert page.evaluate(SMALL.replace(", input[type=range]", "")) == []
    assert errors == []

"""Shared pictures for people who use a keyboard or a screen reader, or asked for no motion."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.page.html import SHEETS
from demo.record.texts.table import say
from demo.server.files.static import style_sheets
from tests.demo.browser.lesson.lesson_page import lesson_value
from tests.demo.browser.standalone import compare_value, open_html, open_page, page_of, random_record, viewer_value
from tests.demo.browser.views.test_why import why_value
from tests.demo.record.test_contrast import FIRST, contrast_of
from tests.helpers.web.numbers import short


def description(page: Page, name: str) -> str:
    """What the browser gives a screen reader to describe what has a name."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    named = [node for node in nodes if node.get("name", {}).get("value") == name and node.get("description")]
    assert len(named) == 1
    return str(named[0]["description"].get("value"))


def test_pictures_are_tied_to_the_sentences_beside_them(browser: Browser) -> None:
    record = random_record(dense=True)
    values: dict[str, tuple[dict[str, Any], str, list[str]]] = {
        "viewer": (viewer_value(record), ".seps-stage > canvas", ["dropped", short(record.similarity)]),
        "compare": (
            compare_value([record, random_record(1)], shared="Half of them."),
            "[data-item=A] canvas",
            ["patches kept", short(record.similarity), "Half of them."],
        ),
        "lesson": (lesson_value(record), ".seps-scene > canvas", [lesson_value(record)["steps"][0]["sentence"]]),
    }
    for component, (value, where, sentences) in values.items():
        page = open_page(browser, page_of(component, value))
        picture = page.locator(where)
        expect(picture).to_have_attribute("aria-label", re.compile("."))
        spoken = description(page, picture.get_attribute("aria-label") or "")
        for sentence in sentences:
            assert sentence in spoken


def test_a_choice_keeps_focus_where_it_draws_its_view_anew(browser: Browser) -> None:
    value = why_value(contrast_of(FIRST, FIRST))
    page = open_page(browser, page_of("why", value))
    chooser = page.get_by_label(say("why.choose_right"))
    chooser.focus()
    page.evaluate("(value) => window.send(value)", value)
    expect(chooser).to_be_focused()


MOVES = """() => {
    const seconds = (text) => text.split(",").map(parseFloat);
    const moves = (style) => [...seconds(style.transitionDuration), ...seconds(style.animationDuration)].some(Boolean);
    return [...document.querySelectorAll("body *")].filter((element) => moves(getComputedStyle(element)))
        .map((element) => element.className);
}"""


@pytest.mark.parametrize("calm", [False, True])
def test_nothing_moves_for_who_asked_for_none(browser: Browser, calm: bool) -> None:
    body = """<div class="seps-view seps-lesson" aria-busy="true"><div class="seps-scene">
        <div class="seps-labels seps-moving"><div class="seps-new"></div></div></div>
        <ol class="seps-play"><li></li></ol><ul class="seps-tensors"></ul></div>"""
    page = open_html(
        browser, f"<!doctype html><title>calm</title><style>{style_sheets(SHEETS)}</style><body>{body}", calm=calm
    )
    assert (page.evaluate(MOVES) == []) == calm

"""The page for people who use a keyboard or a screen reader, or asked for no motion."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.record.contrast import contrast_value
from demo.record.page_table import table_tag
from demo.record.table import say
from demo.server.static import styles
from tests.demo.browser.lesson_page import lesson_value
from tests.demo.browser.page import SIZES, opened
from tests.demo.browser.standalone import (
    compare_value,
    imported,
    open_html,
    open_page,
    page_of,
    photo,
    random_record,
    viewer_value,
)
from tests.demo.browser.test_lists import PIXEL, open_list, ranking
from tests.demo.record.test_contrast import FIRST, contrast_of
from tests.helpers.axe import load_axe, serious_violations
from tests.helpers.static_site import READY

# Playwright leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

# What is there once a view of the app is filled, by its tab's name.
APP = {
    "Photos": "#viewer .seps-stage canvas",
    "Captions": "#captions-viewer .seps-stage canvas",
    "Compare": "#compare figure canvas",
    "Why": "#why figure canvas",
    "Edit": "#edit figure canvas",
    "Judge": "#judge .seps-score-scale",
    "Generate": "#generate-looks canvas",  # the drawing is finished
    "Lesson": "#lesson .seps-scene canvas",
    "Losses": "#playground .seps-chart",
    "Paper and code": "#paper table",
    "About": ".tables table",
}
UNFOLD = """() => {
    for (const fold of document.querySelectorAll(".label-wrap:not(.open)")) if (fold.offsetParent) fold.click();
    for (const fold of document.querySelectorAll("details")) if (fold.getClientRects().length) fold.open = true;
}"""
RESTED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))"


def check(page: Page, name: str) -> list[str]:
    """What keeps somebody out of what is shown, in both sizes and themes; the dark one changes colours alone."""
    lines = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.evaluate("(theme) => document.body.classList.toggle('dark', theme === 'dark')", theme)
            page.evaluate(RESTED)
            violations = serious_violations(page, colours_alone=theme == "dark")
            lines += [f"{name}, {size}, {theme}: {line}" for line in violations]
    return lines


def whatif(page: Page) -> None:
    """Photos with a decision by hand, in the game."""
    page.locator("#viewer [data-tool=whatif]").click()
    page.locator("#viewer [data-tool=play]").click()
    expect(page.locator("#viewer .seps-whatif")).to_be_visible()


def curve(page: Page) -> None:
    """Photos with a video's curve."""
    page.locator("#gallery").get_by_label("moving").check()
    expect(page.locator("#ranking .timeline .plot polyline").first).to_be_visible(timeout=3 * READY)
    page.evaluate(UNFOLD)


def turned(step: int) -> Callable[[Page], None]:
    """The lesson at a step."""

    def turn(page: Page) -> None:
        page.locator(f"#lesson [data-step='{step}']").click()
        page.locator(".seps-scene[data-still=true]").wait_for()

    return turn


def judge_more(page: Page) -> None:
    """Judge with the distorted copies, which are asked for when they come into sight, and several pictures."""
    page.locator("#judge-spoil").scroll_into_view_if_needed()
    expect(page.locator("#judge-spoil .seps-curves svg").first).to_be_visible()
    page.get_by_role("button", name="Judge all 14 photographs").click()
    expect(page.locator("#judge-several li button")).to_have_count(14)


def talk(page: Page) -> None:
    page.locator("#lesson .seps-talk-button").click()


def check_views(page: Page, views: dict[str, str]) -> list[str]:
    """The same of every view, with what is folded in it open."""
    load_axe(page)
    lines = []
    more: dict[str, list[Callable[[Page], None]]] = {
        "Photos": [whatif, curve] if "Judge" in views else [whatif],
        "Judge": [judge_more],
        "Lesson": [*(turned(step) for step in (4, 5, 7, 8, 9)), talk],
    }
    for name, content in views.items():
        page.get_by_role("tab", name=name, exact=True).click()
        expect(page.locator(f"{content}:visible").first).to_be_visible(timeout=3 * READY)  # scenes are read
        page.evaluate(UNFOLD)
        lines += check(page, name)
        for number, act in enumerate(more.get(name, [])):
            act(page)
            lines += check(page, f"{name} ({number})")
        if name == "Lesson":
            page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog.seps-keys")).to_be_visible()
    return lines + check(page, "keys")


@pytest.mark.slow
def test_what_keeps_somebody_out_is_noticed_in_the_tab_in_sight_alone(browser: Browser) -> None:
    problems = "<img src='a.png'><p style='color: #999; background: #aaa'>pale</p>"
    for hidden, noticed in (("", ["color-contrast", "image-alt"]), ("hidden", [])):
        body = f"<main><h1>Views</h1><div class='tabitem' {hidden}>{problems}</div></main>"
        page = open_html(browser, f"<!doctype html><html lang='en'><title>axe</title>{body}</html>")
        load_axe(page)
        assert sorted(line.split(":")[0] for line in serious_violations(page)) == noticed
        assert [line.split(":")[0] for line in serious_violations(page, colours_alone=True)] == noticed[:1]
        page.context.close()


@pytest.mark.slow
def test_no_view_of_the_app_keeps_anybody_out(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.emulate_media(reduced_motion="reduce")
        lines = check_views(page, APP)
        page.goto(f"{address}/?view=compare&gallery=examples&embed=1")
        expect(page.locator("#compare figure canvas").first).to_be_visible()
        load_axe(page)
        lines += check(page, "embedded")
    assert lines == []


def description(page: Page, name: str) -> str:
    """What the browser gives a screen reader to describe what has a name."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    named = [node for node in nodes if node.get("name", {}).get("value") == name and node.get("description")]
    assert len(named) == 1
    return str(named[0]["description"].get("value"))


def test_pictures_are_tied_to_the_sentences_beside_them(browser: Browser) -> None:
    record = random_record(dense=True)
    says = "Nothing is called that."
    values: dict[str, tuple[dict[str, Any], str, list[str]]] = {
        "viewer": (
            viewer_value(record, unfound={"pieces": [], "words": {}, "says": says}),
            ".seps-stage > canvas",
            [says, "dropped", f"{record.similarity:.4f}"],
        ),
        "compare": (
            compare_value([record, random_record(1)], shared="Half of them."),
            "[data-item=A] canvas",
            ["patches kept", f"{record.similarity:.4f}", "Half of them."],
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
        page.context.close()


# A view in a tab, with the list and the viewer of an answer, and the line for messages.
VIEW = f"""<!doctype html><title>live</title><style>{styles()}</style>{table_tag()}
<div id="views"><button role="tab" data-tab-id="search" aria-selected="true">Photos</button>
<div class="tabitem"><div id="said"></div><div id="ranking"></div><p class="seps-reading">moves</p></div></div>"""
TELLS = f"""async () => {{
    const [{{ tellAnswers }}, lists] = [{imported("page/live.js")}, {imported("lists/lists.js")}];
    const props = {{ value: null }};
    window.send = (value) => {{ props.value = value; window.changed(); }};
    lists.ranking(document.getElementById("ranking"), props, () => {{}}, (_, call) => {{ window.changed = call; }});
    window.send({json.dumps(ranking(0.5, 0.25))});
    tellAnswers();
}}"""


@pytest.mark.journey
def test_an_answer_is_told_once_where_it_came(browser: Browser) -> None:
    page = open_html(browser, VIEW)
    page.evaluate(TELLS)
    region = page.get_by_role("status")
    expect(region).to_have_text("")  # what stands there from the start is read, not told
    expect(region).to_have_attribute("aria-live", "polite")
    page.evaluate("(value) => window.send(value)", ranking(0.25, 0.75))
    first = say("live.first", name="photo 1", score=0.75)
    expect(region).to_have_text(first)
    page.evaluate("document.getElementById('said').innerHTML = '<p class=\"message note\">Cut short.</p>'")
    expect(region).to_have_text("Cut short.")  # and not the best photograph again
    assert region.bounding_box() is not None  # hidden, a screen reader would not know it
    page.context.close()


@pytest.mark.journey
def test_a_question_mark_lists_the_keys_of_the_view_in_sight(browser: Browser) -> None:
    page = open_html(browser, VIEW.replace("<p class", "<textarea></textarea><i id=own-video></i><p class"))
    page.evaluate(f"async () => ({imported('page/keys.js')}).noticeKeys()")
    keys = page.get_by_role("dialog", name=say("keys.title"))
    page.locator("textarea").press("?")
    expect(page.locator("textarea")).to_have_value("?")  # typed
    expect(keys).to_have_count(0)
    page.get_by_role("tab").press("?")
    expect(keys).to_be_visible()
    listed = keys.locator("dt").all_inner_texts()
    names = ("tab", "ask", "patches", "release", "paint", "frames")
    assert listed == [*(say(f"keys.key_{name}") for name in names), say("talk.keys_keys")]
    for leave in ("Escape", "?"):
        page.keyboard.press(leave)
        expect(keys).to_have_count(0)
        expect(page.get_by_role("tab")).to_be_focused()
        page.keyboard.press("?")
        expect(keys).to_be_visible()
    keys.get_by_role("button", name=say("talk.close")).press("Enter")
    expect(keys).to_have_count(0)
    page.evaluate("document.getElementById('own-video').remove()")  # a page without videos has no keys for one
    page.keyboard.press("?")
    expect(keys.locator("dt").filter(has_text=say("keys.key_frames"))).to_have_count(0)
    expect(keys.locator("dt")).to_have_count(len(names))
    page.context.close()


def test_a_strip_is_one_tab_stop_and_keeps_focus_when_it_is_drawn_anew(browser: Browser) -> None:
    items = [{"index": index, "title": f"photo {index}", "thumb": PIXEL} for index in range(9)]
    page = open_list(browser, "strip", {"selected": 4, "items": items})
    page.keyboard.press("Tab")
    thumb = page.locator(".thumb")
    expect(thumb.nth(4)).to_be_focused()  # the pressed one
    for key, place in (("ArrowRight", 5), ("End", 8), ("ArrowRight", 8), ("Home", 0), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        expect(thumb.nth(place)).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("window.events") == [["pick", {"index": 0}]]
    page.evaluate("(value) => window.send(value)", {"selected": 0, "items": items[::-1]})
    expect(thumb.nth(8)).to_be_focused()  # the same picture, in its new place
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === document.body")
    page.context.close()


def test_a_choice_keeps_focus_where_it_draws_its_view_anew(browser: Browser) -> None:
    contrast = contrast_value(contrast_of(FIRST, FIRST))
    for index, side in enumerate(contrast["sides"]):
        side |= {"photo": photo(), "index": index}
    value = contrast | {"model": "random", "captions": False, "options": [[0, "1. house"], [1, "2. boat"]]}
    value |= {"layer": "mask", "link": None}
    page = open_page(browser, page_of("why", value | {"key": 1}))
    chooser = page.get_by_label(say("why.choose_right"))
    chooser.focus()
    page.evaluate("(value) => window.send(value)", value | {"key": 2})
    expect(chooser).to_be_focused()
    page.context.close()


MOVES = """() => {
    const seconds = (text) => text.split(",").map(parseFloat);
    const moves = (style) => [...seconds(style.transitionDuration), ...seconds(style.animationDuration)].some(Boolean);
    return [...document.querySelectorAll("body *")].filter((element) => moves(getComputedStyle(element)))
        .map((element) => element.className);
}"""


@pytest.mark.parametrize("calm", [False, True])
def test_nothing_moves_for_who_asked_for_none(browser: Browser, calm: bool) -> None:
    body = """<div id="views"><div class="html-container pending"></div></div>
        <div class="seps-view seps-lesson" aria-busy="true"><div class="seps-scene">
        <div class="seps-labels seps-moving"><div class="seps-new"></div></div></div>
        <ol class="seps-play"><li></li></ol><ul class="seps-tensors"></ul></div>"""
    page = open_html(browser, f"<!doctype html><title>calm</title><style>{styles()}</style><body>{body}", calm=calm)
    assert (page.evaluate(MOVES) == []) == calm
    page.context.close()

"""Ranked lists: their bars begin at zero, and what their signs mean can be read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from demo.record.page_table import table_tag
from demo.record.table import say
from demo.server.static import script_address, styles
from tests.demo.browser.standalone import open_html

pytestmark = [pytest.mark.journey, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


def open_list(browser: Browser, name: str, value: dict[str, Any]) -> Page:
    """One list of lists.js on a page of its own; `window.send(value)` gives it another value, and `window.events` holds
    what it triggered."""
    script = f"""
    import * as lists from "/{script_address("lists/lists.js")}";
    const props = {{ value: {json.dumps(value)} }};
    window.events = [];
    const note = (event, detail) => window.events.push([event, detail]);
    lists.{name}(document.getElementById("place"), props, note, (_, call) => {{ window.changed = call; }});
    window.send = (value) => {{ props.value = value; window.changed(); }};"""
    page = f'<body><div id="place" style="width: 320px"></div><script type="module">{script}</script></body>'
    return open_html(browser, f"<!doctype html><style>{styles()}</style>{table_tag()}{page}", kept=True)


def ranking(*scores: float) -> dict[str, Any]:
    items = [
        {"index": index, "rank": rank, "title": f"photo {index}", "thumb": PIXEL, "score": scores[index]}
        for rank, index in enumerate(sorted(range(len(scores)), key=lambda index: -scores[index]), start=1)
    ]
    return {"note": "ranked", "selected": 0, "lists": [{"title": "", "items": items}]}


def captions(*scores: float, marks: tuple[str | None, ...]) -> dict[str, Any]:
    rows = [
        {"rank": rank, "caption": f"caption {rank}", "score": score, "mark": mark}
        for rank, (score, mark) in enumerate(zip(scores, marks, strict=True), start=1)
    ]
    return {"note": "ranked", "selected": "", "recall": "", "rows": rows}


def ends(bars: Locator) -> list[tuple[float, float]]:
    """Where each bar begins and ends, as shares of the list's width."""
    script = """(all) => all.map((bar) => {
        const [outer, inner] = [bar, bar.firstChild].map((one) => one.getBoundingClientRect());
        return [(inner.left - outer.left) / outer.width, (inner.right - outer.left) / outer.width];
    })"""
    return [(start, end) for start, end in bars.evaluate_all(script)]


def test_bars_begin_at_zero(browser: Browser) -> None:
    page = open_list(browser, "ranking", ranking(1.0, 0.5, 0.059))
    np.testing.assert_allclose(ends(page.locator(".bar")), [(0, 1), (0, 0.5), (0, 0.059)], atol=0.01)
    expect(page.locator(".seps-list")).not_to_contain_text("zero line")


@pytest.mark.parametrize("kind", ["ranking", "captions"])
def test_negative_scores_go_to_the_left_of_a_zero_line(browser: Browser, kind: str) -> None:
    scores = (0.75, 0.0, -0.25)
    value = ranking(*scores) if kind == "ranking" else captions(*scores, marks=(None, None, None))
    page = open_list(browser, kind, value)
    np.testing.assert_allclose(ends(page.locator(".bar")), [(0.25, 1), (0.25, 0.25), (0, 0.25)], atol=0.01)
    lines = page.locator(".bar i")
    expect(lines).to_have_count(3)
    expect(page.locator(".seps-list")).to_contain_text(say("list.below_zero"))
    page.evaluate("(value) => window.send(value)", ranking(-0.5, -1.0) if kind == "ranking" else value)
    if kind == "ranking":
        np.testing.assert_allclose(ends(page.locator(".bar")), [(0.5, 1), (0, 1)], atol=0.01)


def test_arrows_are_explained_where_there_are_some(browser: Browser) -> None:
    page = open_list(browser, "ranking", ranking(1.0, 0.5))
    expect(page.locator(".moves")).to_have_count(0)
    page.evaluate("(value) => window.send(value)", ranking(0.5, 1.0))
    expect(page.locator(".change")).to_have_text(["▲1", "▼1"])
    expect(page.locator(".moves")).to_have_text(say("list.moves"))
    expect(page.locator(".moves")).to_be_visible()


def test_signs_of_captions_are_explained(browser: Browser) -> None:
    page = open_list(browser, "captions", captions(0.9, 0.5, 0.2, marks=("right", "wrong", "wrong")))
    key = page.locator(".marks")
    expect(key).to_have_text(f"✓ {say('list.right')} · ✗ {say('list.wrong')}")
    page.evaluate("(value) => window.send(value)", captions(0.9, marks=(None,)))
    expect(key).to_have_count(0)


def test_photographs_that_are_nearly_the_same_unfold_and_are_picked(browser: Browser) -> None:
    value = ranking(1.0, 0.9, 0.4)
    first, copy, last = value["lists"][0]["items"]
    alike = {"text": say("list.alike", count=1), "tip": say("list.alike_tip", count=1), "items": [copy]}
    value["lists"][0]["items"] = [first | {"alike": alike}, last]
    page = open_list(browser, "ranking", value)
    shown = page.locator(".row:visible .title")
    assert shown.all_inner_texts() == ["photo 0", "photo 2"]
    page.get_by_role("button", name="1 alike").click()
    assert shown.all_inner_texts() == ["photo 0", "photo 1", "photo 2"]
    page.locator(".others .row").click()
    assert page.evaluate("window.events") == [["pick", {"index": 1}]]
    expect(page.locator(".row[aria-pressed=true] .title")).to_have_text("photo 1")
    page.get_by_role("button", name="1 alike").click()
    assert shown.all_inner_texts() == ["photo 0", "photo 2"]
    page.close()


def test_exact_scores_of_all_are_one_click_where_some_lack(browser: Browser) -> None:
    page = open_list(browser, "ranking", ranking(1.0, 0.9))
    assert page.locator(".score-all").count() == 0
    page.evaluate("(value) => window.send(value)", ranking(1.0, 0.9) | {"all": say("list.score_all", total=5000)})
    page.get_by_role("button", name="Score all 5000").click()
    assert page.evaluate("window.events") == [["all", {}]]
    page.close()

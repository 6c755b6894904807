"""The lesson's settings in a real browser: each is told once, and what it moved is shown."""

from dataclasses import asdict, replace
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.demo.browser.lesson.lesson_page import TRAINED, lesson, lesson_value, resting, sent, slide
from tests.demo.browser.standalone import random_record
from tests.helpers.web.numbers import number, on_page, short


def test_each_knob_tells_all_settings_once(browser: Browser) -> None:
    page = lesson(browser, lesson_value(random_record(dense=True)))
    moves: list[tuple[str, str, Any]] = [
        ("Keep ratio", "keep_ratio", 0.3),
        ("Beta", "beta", 0.1),
        ("Top K", "top_k", 2),
        ("Decision", "decision", "gumbel"),
        ("Temperature", "temperature", 2.5),
        ("Seed", "seed", 7),
        ("Dense caption", "dense", False),
        ("Variant", "variant", "released"),
    ]
    expect(page.get_by_label("Temperature")).to_be_hidden()  # until decisions are drawn
    expected = asdict(TRAINED)
    for label, name, setting in moves:
        knob = page.get_by_label(label, exact=True)
        if isinstance(setting, bool):
            knob.set_checked(setting)
        elif isinstance(setting, str):
            knob.select_option(setting)
        else:
            slide(knob, 1, setting)
        expected[name] = setting
        count = len(sent(page, "knobs")) + 1
        page.wait_for_function(f"window.triggered.filter(([name]) => name === 'knobs').length >= {count}")
        page.wait_for_timeout(300)
        assert sent(page, "knobs")[count - 1 :] == [expected]
    fixed = page.locator("[data-knob=aggr_ratio]")
    expect(fixed.locator("input")).to_be_disabled()
    expect(fixed).to_contain_text("The parameters make Nc = 7 aggregated tokens.")
    assert page.get_by_label("Top K").get_attribute("max") == "3"
    page.get_by_role("button", name="As trained").click()
    page.wait_for_timeout(400)
    assert sent(page, "knobs")[-1] == asdict(TRAINED)


def test_what_the_knobs_moved(browser: Browser) -> None:
    record, before = random_record(1), random_record(2)
    page = lesson(browser, lesson_value(before, step=4))
    expect(page.locator(".seps-moved")).to_contain_text("All as the model was trained.")
    expect(page.locator(".seps-untrained:visible")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    knobs = replace(TRAINED, keep_ratio=0.4)
    page.evaluate("(value) => window.send(value)", lesson_value(record, before, knobs, step=1))
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", "5")  # a knob turns no step
    expect(page.locator(".seps-untrained:visible")).to_have_text(["not trained for"])
    expect(page.locator("[data-knob=keep_ratio] output")).to_have_text("0.40")
    kept, then = record.sparse.kept, before.sparse.kept
    counts = page.locator("[data-moved=kept]")
    expect(counts).to_have_attribute("data-gained", str((kept & ~then).sum()))
    expect(counts).to_have_attribute("data-lost", str((then & ~kept).sum()))
    for name, now in record.terms.items():
        cells = page.locator(f"[data-moved='{name}'] td").all_inner_texts()
        assert cells[:2] == [short(before.terms[name]), short(now)]
        assert number(cells[2]) == pytest.approx(now - before.terms[name], abs=5.1e-3)
    score = page.locator("[data-moved=score] td").all_inner_texts()
    assert score[:2] == [short(before.similarity), short(record.similarity)]
    assert page.locator("[data-moved=rank] td").all_inner_texts() == ["3", "2", on_page("-1")]


def test_a_knob_moved_while_others_are_computed_stays(browser: Browser) -> None:
    record, before = random_record(1), random_record(2)
    page = lesson(browser, lesson_value(before))
    decision, temperature = page.get_by_label("Decision"), page.get_by_label("Temperature")
    slide(page.get_by_label("Keep ratio", exact=True), 0.3)
    page.wait_for_function("window.triggered.length === 1")
    decision.select_option("gumbel")
    first, last = replace(TRAINED, keep_ratio=0.3), replace(TRAINED, keep_ratio=0.3, decision="gumbel")
    page.wait_for_function("window.triggered.length === 2")
    for value in (
        lesson_value(record, before, first, asked=asdict(first)),  # the answer to the first
        lesson_value(record, before, TRAINED, caption="another caption"),  # and one to a caption
    ):
        page.evaluate("(value) => window.send(value)", value)
        resting(page)
        expect(decision).to_have_value("gumbel")
        expect(page.get_by_label("Keep ratio", exact=True)).to_have_value("0.3")
        expect(page.locator(".seps-lesson")).to_have_attribute("aria-busy", "true")
    page.evaluate("(value) => window.send(value)", lesson_value(record, before, last, asked=asdict(last)))
    expect(page.locator("[aria-busy]")).to_have_count(0)
    expect(decision).to_have_value("gumbel")
    refused = replace(last, temperature=2.5)
    slide(temperature, 2.5)
    page.wait_for_function("window.triggered.length === 3")
    page.evaluate("(value) => window.send(value)", lesson_value(record, before, last, asked=asdict(refused)))
    expect(temperature).to_have_value("1")  # what could not be computed goes back


def test_what_a_choice_makes_idle_follows_the_choice_at_once(browser: Browser) -> None:
    page = lesson(browser, lesson_value(random_record(1)))
    for choice, still in (("gumbel", ["Keep ratio"]), ("top-k", ["Temperature", "Seed"])):
        page.get_by_label("Decision").select_option(choice)
        for label in ("Keep ratio", "Temperature", "Seed"):
            assert page.get_by_label(label, exact=True).is_disabled() == (label in still)
    page.get_by_label("Variant").select_option("released")
    expect(page.get_by_label("Beta")).to_be_disabled()
    expect(page.locator("[data-knob=aggr_ratio] input")).to_be_disabled()

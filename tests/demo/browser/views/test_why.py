"""Two photos or captions side by side: both maps of a word on one scale, and shares that add up."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from demo.record.contrast import Contrast, contrast_sentences, contrast_value
from demo.record.texts.table import TABLE, say
from tests.demo.browser.standalone import VEIL, centres, check_laid, open_page, page_of, photo
from tests.demo.record.test_contrast import FIRST, contrast_of, maps_of
from tests.helpers.web.numbers import on_page

# They leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def numbers(page: Page, side: str, where: str = "#why") -> list[float]:
    """The shares of one side, words and what they leave, without the sum."""
    rows = page.locator(f"{where} .seps-share-row:not([data-rest=sum]) .seps-for-{side}[data-value]")
    return [float(value) for value in rows.evaluate_all("all => all.map((one) => one.dataset.value)")]


def pictures(page: Page) -> list[Locator]:
    return page.locator("figure canvas").all()


def why_value(contrast: Contrast) -> dict[str, Any]:
    """The value of two photos side by side."""
    value = contrast_value(contrast)
    for index, side in enumerate(value["sides"]):
        side |= {"photo": photo(), "index": index}
    options = [[0, "1. house"], [1, "2. boat"]]
    return value | {"model": "random", "captions": False, "options": options, "layer": "mask"}


def test_both_maps_of_a_word_are_drawn_on_one_scale(browser: Browser) -> None:
    contrast = contrast_of(FIRST, FIRST)
    page = open_page(browser, page_of("why", why_value(contrast)))
    rows = page.locator(".seps-why-rows button")
    assert rows.count() == len(contrast.words)
    _, parts, *plain = map(on_page, contrast_sentences(contrast))
    expect(page.locator(".seps-told")).to_have_text(" ".join(plain))
    expect(page.get_by_text(parts)).to_be_hidden()
    page.get_by_text(TABLE["fold"]["numbers"]).click()
    expect(page.get_by_text(parts)).to_be_visible()
    differences = page.locator(".seps-why-rows small").evaluate_all("all => all.map((one) => +one.dataset.difference)")
    assert differences == sorted(differences, reverse=True)
    for part in contrast.words[:2]:
        page.locator(f".seps-why-rows [data-word='{part.number}']").click()
        maps = maps_of(contrast, part)
        high = max(values.max() for values in maps)
        for canvas, values in zip(pictures(page), maps, strict=True):
            check_laid(centres(canvas, (4, 6)), values, 0, high, 0.75)
        ends = page.locator(".seps-legend output").evaluate_all("all => all.map((one) => +one.dataset.value)")
        assert ends == pytest.approx([0, high])
    assert page.evaluate("window.triggered.at(-1)") == ["layer", {"layer": contrast.words[1].layer}]
    page.keyboard.press("Escape")
    expect(page.locator(".seps-overview")).to_have_attribute("aria-pressed", "true")
    marked = centres(pictures(page)[0], (4, 6))
    assert not (marked == VEIL).all()
    page.get_by_label("The right photo").select_option("0")
    assert page.evaluate("window.triggered.at(-1)") == ["choose", {"side": "right", "index": 0}]


def test_a_dense_captions_share_stands_with_the_rest(browser: Browser) -> None:
    contrast = contrast_of(FIRST, FIRST, paper=False, dense=9)  # the released variant aligns a dense caption by itself
    value = why_value(contrast)
    page = open_page(browser, page_of("why", value))
    for side, shown in (("left", contrast.left), ("right", contrast.right)):
        dense = page.locator(f"[data-rest=dense] .seps-for-{side}")
        assert float(dense.get_attribute("data-value") or "") == pytest.approx(shown.dense) != 0
        attributions = numbers(page, side, "#place")
        assert sum(attributions) == pytest.approx(shown.record.similarity, abs=1e-5)
        total = page.locator(f"[data-rest=sum] .seps-for-{side}")
        assert float(total.get_attribute("data-value") or "") == pytest.approx(sum(attributions), abs=1e-6)
    reading = page.locator(".seps-reading")
    expect(reading).to_have_text(say("why.words"))
    page.locator("[data-word]").last.focus()
    for name, meaning in (*((part["name"], part["says"]) for part in value["rest"]), ("sum", say("why.sum_means"))):
        page.keyboard.press("Tab")  # what a row below the words means is told to who has no pointer too
        row = page.locator(f"[data-rest={name}]")
        expect(row).to_be_focused()
        page.keyboard.press("Enter")
        expect(row).to_have_attribute("aria-pressed", "true")
        expect(reading).to_have_text(meaning)
    page.keyboard.press("Escape")
    expect(reading).to_have_text(say("why.words"))

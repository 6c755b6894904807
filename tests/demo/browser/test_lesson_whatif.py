"""The lesson's last step in the app: patches painted, by mouse and by keys, and numbers that are the library's."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from demo.views.examples import FIRST_CAPTION, FIRST_PHOTO
from playwright.sync_api import Browser, Page, expect

from demo.record.settings import evaluation_knobs
from demo.service.masks import mask_text
from demo.service.retrieval import RetrievalService
from demo.views.lesson.walk import WalkRequest, walk_value
from tests.demo.browser.page import opened

# Playwright leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

Mask = np.ndarray[Any, np.dtype[np.bool_]]
LINK = "?view=lesson&gallery=examples&step=9"


def value_of(service: RetrievalService, text: str = "") -> dict[str, Any]:
    """What the library says of the lesson's first example under a decision by hand."""
    indexed = service.find("examples")
    index = indexed.gallery.position(FIRST_PHOTO)
    dense, knobs = indexed.gallery.items[index].dense, evaluation_knobs(service.model)
    return walk_value(WalkRequest(service, indexed, index, FIRST_CAPTION, dense, knobs, text), 9)


def expect_numbers(page: Page, service: RetrievalService, mask: Mask | None) -> None:
    """The table and the sentence are those of a decision."""
    value = value_of(service, "" if mask is None else mask_text(mask))
    for key, _, numbers in value["whatif"]["rows"]:
        expect(page.locator(f'#lesson [data-trial="{key}"] td')).to_have_text(numbers)
    expect(page.locator("#lesson .seps-trial[aria-busy]")).to_have_count(0)
    words = value["steps"][8]["sentence"].partition(":")[0]
    expect(page.locator("#lesson .seps-sentence")).to_contain_text(words)


def spot(page: Page, patch: int) -> tuple[float, float]:
    place = page.locator("#lesson .seps-paint")
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box is not None
    row, column = divmod(patch, 14)
    return box["x"] + (column + 0.5) * box["width"] / 14, box["y"] + (row + 0.5) * box["height"] / 14


def test_painted_patches_move_the_numbers(browser: Browser, address: str, service: RetrievalService) -> None:
    by_model = np.array(value_of(service)["record"]["branches"][0]["kept"], dtype=bool)
    with opened(browser, address, LINK) as page:
        ring = page.locator("#lesson .seps-ring")
        expect(ring).to_have_attribute("data-patch", str(value_of(service)["whatif"]["patch"]))
        expect_numbers(page, service, None)
        mask = by_model.copy()
        for patch in (int(np.flatnonzero(by_model)[20]), int(np.flatnonzero(~by_model)[0])):
            page.mouse.click(*spot(page, patch))
            mask[patch] = not mask[patch]
            expect_numbers(page, service, mask)
        expect(ring).to_have_count(0)
        expect(page.locator("#lesson .seps-scene .seps-gained")).to_have_count(1)
        expect(page.locator("#lesson .seps-scene .seps-lost")).to_have_count(1)

        place = page.locator("#lesson .seps-paint")  # by keys: the arrows move here, and turn pages elsewhere
        page.mouse.move(0, 0)
        place.blur()
        place.focus()
        for key in ("ArrowRight", "ArrowDown", "ArrowRight", " "):
            page.keyboard.press(key)
        mask[15] = not mask[15]
        expect(page.locator("#lesson .seps-patch")).to_contain_text("Row 2, column 2")
        expect_numbers(page, service, mask)
        expect(place).to_be_focused()
        expect(page).to_have_url(re.compile("mask=" + mask_text(mask)))
        assert parse_qs(urlsplit(page.url).query)["mask"] == [mask_text(mask)]
        page.locator("#lesson h2").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#lesson [data-step='8']")).to_have_attribute("aria-current", "step")
        expect(page.locator("#lesson .seps-hand")).to_be_hidden()
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile("mask=" + mask_text(mask) + "&step=9"))
        link = urlsplit(page.url).query
        page.locator("#lesson [data-tool=undo]").click()
        mask[15] = not mask[15]
        expect_numbers(page, service, mask)
        page.locator("#lesson [data-tool=own]").click()
        expect_numbers(page, service, None)
        expect(page).not_to_have_url(re.compile("mask="))
    mask[15] = not mask[15]
    with opened(browser, address, "?" + link) as page:
        expect_numbers(page, service, mask)

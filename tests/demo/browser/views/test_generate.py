"""The pictures of Generate alone: maps of a word, and frames of a drawing."""

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from demo.record.packing import pack_array
from demo.views.generate.values import GenerateState, blank_value
from tests.demo.browser.standalone import centres, check_laid, open_page, page_of, photo

TEXT = "a red dog next to a cat"


@pytest.mark.journey
def test_both_maps_of_a_word_share_one_scale(browser: Browser) -> None:
    unet, seps = np.array([[0.5, 0.25, 0.25, 0.0]]), np.array([[0.0, 1.0, 0.0, 0.0]])
    value = {
        "photo": photo(),
        "grid": [2, 2],
        "words": [{"label": "dog", "word": 1, "high": 1.0, "unet": "one", "seps": "other", "numbers": ["0.5 of it"]}],
        "unet": pack_array(unet),
        "seps": pack_array(seps),
        "selected": None,
    }
    page = open_page(browser, page_of("looks", value))
    for side, values in (("unet", unet), ("seps", seps)):
        drawn = centres(page.locator(f"canvas[data-side={side}]"), (2, 2))
        check_laid(drawn, values[0], 0, 1, 0.75)
    assert [output.get_attribute("data-value") for output in page.locator(".seps-legend output").all()] == ["0", "1"]
    page.get_by_role("button", name="dog").click()
    assert page.evaluate("window.triggered") == [["word", {"word": 1}]]


@pytest.mark.journey
def test_a_frame_that_comes_after_the_stop_is_not_shown(browser: Browser) -> None:
    state = GenerateState(caption=TEXT, steps=10)
    beginning, stopped = blank_value(state, "Begins."), blank_value(state, "Stopped.") | {"stopped": True}
    frames = [blank_value(state, f"Step {step}.") | {"done": step, "pictures": [photo()["src"]]} for step in (1, 2)]
    page = open_page(browser, page_of("generate", beginning))
    says = page.locator(".seps-reading")
    values = [frames[0], stopped, frames[1], beginning, frames[0]]
    messages = ["Step 1.", stopped["says"], stopped["says"], "Begins.", "Step 1."]
    for value, message in zip(values, messages, strict=True):
        page.evaluate("(value) => window.send(value)", value)
        expect(says).to_have_text(message)

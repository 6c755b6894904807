"""What a person sees from the first second on: the worked example, then the app in its place."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from demo.opening.first import first_view
from demo.opening.server import Opening
from demo.views.search import FIRST_CAPTION
from tests.demo.browser.conftest import SCREENSHOTS, served
from tests.demo.browser.page import SIZES, VEIL, opaque, opened, patch_colours, shown, titles

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


def test_the_worked_example_is_there_before_the_app(browser: Browser, cache: Path, uploads: Path) -> None:
    view = first_view()
    assert view is not None
    command = ("app.py", "--cache", str(cache), "--no-fetch", "--port")
    with served(uploads, *command, ready="/") as address, opened(browser, address) as page:
        expect(page.locator("#state")).to_contain_text("A worked example to read while the model loads")
        expect(page.locator("output#caption")).to_have_text(FIRST_CAPTION)
        assert titles(page) == [item["title"] for item in view["ranking"]["items"]]
        expect(shown(page)).to_have_attribute("aria-label", re.compile(r"^98 of 196 patches kept"))
        opaque(page)
        branch = view["viewer"]["record"]["branches"][0]
        grid = tuple(view["viewer"]["record"]["grid"])
        dropped = (np.abs(patch_colours(shown(page), grid) - VEIL) <= 2).all(axis=1)
        np.testing.assert_array_equal(dropped, ~np.array(branch["kept"], dtype=bool))
        page.locator("#ranking .row").nth(3).click()
        expect(page.locator("#state")).to_contain_text("this works in a moment")
        # The app takes the page over by itself, with the same ranking and the same picture.
        expect(page.locator("#caption textarea")).to_have_value(FIRST_CAPTION, timeout=90_000)
        expect(page.locator("#ranking .title")).to_have_count(len(view["ranking"]["items"]))
        assert titles(page) == [item["title"] for item in view["ranking"]["items"]]


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_both_sizes(
    browser: Browser, scheme: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_SERVER_NAME", "127.0.0.1")
    opening = Opening()
    try:
        with opened(browser, opening.address, size=size, scheme=scheme) as page:
            page.wait_for_function("[...document.images].every((image) => image.complete)")
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            if size[0] > 1000:
                assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
            SCREENSHOTS.mkdir(exist_ok=True)
            page.screenshot(path=SCREENSHOTS / f"opening-{scheme}-{size[0]}.png")
        with opened(browser, opening.address, "?view=compare&photo=cat", canvas="#state span") as page:
            expect(page.locator(".screen")).to_be_hidden()
            expect(page.locator("#state")).to_contain_text("this page turns into the app by itself")
    finally:
        opening.close()

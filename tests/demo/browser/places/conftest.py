"""Pages of the app, of a laptop's and of a phone's size."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.demo.browser.conftest import CONTEXTS
from tests.demo.browser.standalone import check_text

LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}
WAIT = 180_000  # milliseconds that an answer may take next to other tests
Opener = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, page_address: str) -> Iterator[Opener]:
    """A function that opens the page at a query; no script of it may fail."""
    faults: list[str] = []
    pages = []

    def opened(query: str = "", phone: bool = False, **options: Any) -> Page:
        name = f"{phone} {options}"
        if name not in CONTEXTS:
            CONTEXTS[name] = browser.new_context(viewport=PHONE if phone else LAPTOP, has_touch=phone, **options)
        page = CONTEXTS[name].new_page()
        pages.append(page)
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"{page_address}/{query}")
        return page

    expect.set_options(timeout=WAIT)
    yield opened
    expect.set_options(timeout=5_000)
    for page in pages:
        check_text(page)
        page.evaluate("localStorage.clear()")
        page.close()
    assert faults == []

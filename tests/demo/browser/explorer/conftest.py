"""The new page: a separate app, and pages of a laptop's and of a phone's size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from demo.static.__main__ import MODELS
from tests.helpers.static_site import served_folder

LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}
WAIT = 90_000  # milliseconds that an answer may take next to other tests
Opener = Callable[..., Page]


@pytest.fixture(scope="session")
def static_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page without a server below it, with both models."""
    from demo.static.write import write_site

    folder = tmp_path_factory.mktemp("static")
    write_site(folder / "below" / "it", MODELS)
    return folder


@pytest.fixture(scope="session")
def static_address(static_folder: Path) -> Iterator[str]:
    """The address of the page without a server."""
    with served_folder(static_folder) as url:
        yield f"{url}/below/it/"


@pytest.fixture
def visit(browser: Browser, page_address: str) -> Iterator[Opener]:
    """A function that opens the page at a query; no script of it may fail."""
    faults: list[str] = []
    contexts = []

    def opened(query: str = "", phone: bool = False, **options: Any) -> Page:
        context = browser.new_context(viewport=PHONE if phone else LAPTOP, has_touch=phone, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"{page_address}/{query}")
        return page

    expect.set_options(timeout=WAIT)
    yield opened
    expect.set_options(timeout=5_000)
    for context in contexts:
        context.close()
    assert faults == []

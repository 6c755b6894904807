"""Actions of the app's tests on its page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, Error, Locator, Page, Request, expect

WAIT = 60_000  # milliseconds, for a machine that does much else besides
SIZES = {"1366x768": (1366, 768), "390x844": (390, 844)}
VEIL = (16, 25, 26)
KNOWN = "try { localStorage.setItem('seps.intro', 'left'); } catch {}"


KEPT: dict[Browser, Page] = {}  # at rest, between two tests


@contextmanager
def opened(
    browser: Browser,
    address: str,
    query: str = "",
    size: tuple[int, int] = (1366, 768),
    scheme: str = "light",
    canvas: str = "canvas",
    known: bool = True,
    kept: bool = False,
) -> Iterator[Page]:
    """The page with its first view drawn; it asks nobody else for anything, and its scripts raise no error.

    `known`: to a person who has been here before, and left what opens on a first visit.
    `kept`: where tests with `kept` had it before, nothing stored: a browser that has the scripts opens it three times
    as soon. It leaves the page as others have it: no routes, no other size, and no history.
    """
    page = KEPT.pop(browser, None) if kept else None
    if page is None or page.is_closed():
        page = new_page(browser, size, scheme == "dark", known)
    strays: list[str] = []
    errors: list[str] = []

    def note_stray(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            strays.append(request.url)

    def note_error(error: Error) -> None:
        errors.append(str(error))

    page.on("pageerror", note_error)
    page.on("request", note_stray)
    page.set_default_timeout(WAIT)
    expect.set_options(timeout=WAIT)
    page.goto(address + "/" + query)
    expect(page.locator(f"{canvas}:visible").first).to_be_visible()
    yield page
    if kept:
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
        page.mouse.move(0, 0)
        page.goto("about:blank")
        page.remove_listener("pageerror", note_error)
        page.remove_listener("request", note_stray)
        KEPT[browser] = page
    else:
        page.context.close()
    assert strays == []
    assert errors == []


def new_page(browser: Browser, size: tuple[int, int], is_dark: bool, is_known: bool) -> Page:
    """An empty page of a separate context."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if is_dark else "light",
        has_touch=size[0] < 500,
        accept_downloads=True,
    )
    if is_known:
        context.add_init_script(KNOWN)
    return context.new_page()


def shown(page: Page, where: str = "#viewer") -> Locator:
    """The canvas of a viewer."""
    return page.locator(f"{where} .seps-stage > canvas")


def spot(page: Page, patch: int, grid: tuple[int, int] = (14, 14)) -> tuple[float, float]:
    """The position of a patch's centre on the page."""
    shown(page).evaluate("(canvas) => canvas.scrollIntoView({ block: 'center' })")
    box = shown(page).bounding_box()
    assert box is not None
    row, column = divmod(patch, grid[1])
    return box["x"] + (column + 0.5) * box["width"] / grid[1], box["y"] + (row + 0.5) * box["height"] / grid[0]


def titles(page: Page) -> list[str]:
    """The ranked photographs, the best first."""
    return [str(text) for text in page.locator("#ranking .title").all_inner_texts()]


def patch_colours(canvas: Locator, grid: tuple[int, int]) -> NDArray[np.int64]:
    """The colours at the patches' centres, (N, 3)."""
    colours: Any = canvas.evaluate(
        """(canvas, [rows, columns]) => {
            const context = canvas.getContext("2d");
            const found = [];
            for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) {
                const x = Math.floor(((column + 0.5) * canvas.width) / columns);
                const y = Math.floor(((row + 0.5) * canvas.height) / rows);
                found.push([...context.getImageData(x, y, 1, 1).data].slice(0, 3));
            }
            return found;
        }""",
        list(grid),
    )
    return np.asarray(colours)


def opaque(page: Page, where: str = "#viewer") -> None:
    """Move the opacity slider to its end."""
    page.locator(where).get_by_label("Opacity").press("End")


def unfold(page: Page, name: str) -> None:
    """Open an accordion and wait until the page is at rest: Gradio sets the boxes in it a moment after they are there,
    over what is typed in that moment."""
    page.get_by_role("button", name=name).click()
    page.evaluate("async () => { for (let i = 0; i < 9; i++) await new Promise((done) => requestIdleCallback(done)); }")

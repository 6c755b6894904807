"""One headless Chromium, and the app in a separate process."""

import functools
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from demo.page.html import SHEETS
from demo.record.layers.page_table import table_tag
from demo.server.files.static import style_sheets
from tests.demo.browser.standalone import KEPT, open_html
from tests.helpers.web.chromium import MISSING, find_chromium

ROOT = Path(__file__).parents[3]
# Without a GPU, and without network requests by the browser, a page opens a quarter sooner.
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
CHROMIUM += ["--disable-sync", "--disable-features=Translate,BackForwardCache"]
CONTEXTS: dict[str, BrowserContext] = {}  # of the app's pages: the next test finds the scripts in their cache


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what is no journey to `make test-slow`: in a browser a test takes seconds, values need none."""
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        item.add_marker(pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"))  # Playwright's sockets
        if item.get_closest_marker("journey") is None:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def close_pages(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close what a test opened, besides what the next one uses again."""
    browser = request.getfixturevalue("browser") if "browser" in request.fixturenames else None
    before = list(browser.contexts) if browser else []
    yield
    kept = [*before, *CONTEXTS.values(), *(page.context for page in KEPT.values())]
    for context in browser.contexts if browser else []:
        if context not in kept:
            context.close()


@functools.cache
def chromium_path() -> str | None:
    """Where Chromium is, looked for once per process."""
    return find_chromium()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests in a browser without one; not in its fixture, where each test would be a line of the summary."""
    if "browser" in getattr(item, "fixturenames", ()) and chromium_path() is None:
        pytest.skip(MISSING)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    """An empty page that can import the app's modules."""
    head = f"<!doctype html><title>modules</title><style>{style_sheets(SHEETS)}</style>{table_tag()}"
    return open_html(browser, f"{head}<body></body>", kept=False)


@pytest.fixture(scope="session")
def uploads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the apps of all test processes: each gallery is encoded once."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "app_cache"


@pytest.fixture(scope="session")
def page_address(cache: Path, uploads: Path) -> Iterator[str]:
    """The app's address: `python app.py`, as a person starts it, with nothing fetched."""
    with served(uploads, "app.py", "--cache", str(cache), "--no-fetch", "--port") as url:
        yield url


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(uploads: Path, *command: str, ready: str = "/config") -> Iterator[str]:
    """Run `python *command PORT` and give the address when the app, or what `ready` names, answers there."""
    port = free_port()
    settings = {"GRADIO_ANALYTICS_ENABLED": "False", "GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_TEMP_DIR": str(uploads)}
    started = [sys.executable, *command, str(port)]
    quiet, errors = subprocess.DEVNULL, subprocess.PIPE
    app = subprocess.Popen(started, cwd=ROOT, env=os.environ | settings, text=True, stdout=quiet, stderr=errors)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(12_000):
            if app.poll() is not None:
                assert app.stderr is not None
                pytest.fail(f"{command[0]} ended with {app.returncode}:\n{app.stderr.read()}")
            try:
                urllib.request.urlopen(url + ready, timeout=5).close()
                break
            except OSError:
                time.sleep(0.05)
        else:
            pytest.fail(f"{command[0]} did not answer at {url} within ten minutes.")
        yield url
    finally:
        app.terminate()
        app.communicate(timeout=60)

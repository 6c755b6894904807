"""How fast the page is: `python -m tests.bench.page`.

Starts the app in a separate process and opens it in headless Chromium, without a cache. It measures:

- the first view: seconds and bytes until the worked example is drawn (goals: 1.0 s and 400 KB);
- a keystroke: from the last typed letter until the frame with the new ranking was painted;
- a click: 20 patches of the mask of the best of the 200 drawn scenes are painted by hand. Each click counts from the
  pointer going down until the frame with the new S(I, T) was painted; the server's part is what the browser waited for
  its answer.
"""

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from tests.demo.browser.conftest import CHROMIUM, served
from tests.helpers.web.chromium import find_chromium

GRID = (14, 14)  # of the shipped models
QUERY = "?view=search&gallery=scenes&caption=a+red+car"
VIEWS, LETTERS = 5, 15
AT_REST = 300  # milliseconds between clicks
GOALS = 1.0, 400.0  # of the first view: seconds, KB
# The milliseconds from the navigation until the worked example is drawn: its photo with a layer, and its score.
DRAWN = """() => document.querySelector(".headline output[data-similarity]")
    && document.querySelector(".stage-canvas").width > 300 && performance.now()"""
# Resolves `window.ranked` with the milliseconds from the next keystroke until another ranking was painted.
TYPED = """() => {
    const strip = document.querySelector(".strip");
    window.ranked = new Promise((done) => addEventListener("keydown", ({ timeStamp }) => {
        const watch = new MutationObserver(() => {
            watch.disconnect();
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp)));
        });
        watch.observe(strip, { childList: true });
    }, { once: true, capture: true }));
}"""
# Resolves `window.eyed` with the milliseconds of the next click and of its answers, once S(I, T) has changed in a frame
# that was painted.
WATCH = """() => {
    const viewer = document.querySelector(".score-panel");
    const similarity = () => viewer.querySelector(".headline output").dataset.similarity;
    const before = similarity();
    performance.clearResourceTimings(); // browsers keep 250 entries, and the page's files may fill them
    window.eyed = new Promise((done) => addEventListener("pointerdown", (event) => {
        const start = event.timeStamp;
        const finish = () => {
            const calls = performance.getEntriesByType("resource").filter((one) =>
                one.startTime >= start && one.responseEnd && new URL(one.name).pathname.startsWith("/gradio_api/"));
            const took = calls.map((one) => one.responseStart - one.requestStart);
            done([performance.now() - start, Math.max(0, ...took)]);
        };
        const watch = new MutationObserver(() => {
            if ([undefined, before].includes(similarity())) return;
            watch.disconnect();
            requestAnimationFrame(() => {
                const { port1, port2 } = new MessageChannel(); // its message arrives after the frame was painted
                port1.onmessage = finish;
                port2.postMessage(null);
            });
        });
        watch.observe(viewer, { subtree: true, childList: true, attributes: true });
    }, { once: true, capture: true }));
}"""


@dataclass(frozen=True)
class Click:
    """Times of one, in seconds.

    Attributes:
        eye: until the new S(I, T) was painted; server: until the slowest of the server's answers began.
    """

    eye: float
    server: float


def first_view(browser: Browser, address: str) -> tuple[float, float]:
    """Open the page without a cache; returns the seconds and the KB until the worked example is drawn."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    session = context.new_cdp_session(page)
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    session.send("Network.enable")
    page.goto(address, wait_until="commit")
    milliseconds = page.wait_for_function(DRAWN, timeout=120_000, polling="raf").json_value()
    total = sum(sizes)
    context.close()
    return milliseconds / 1000, total / 1000


def keystrokes(browser: Browser, address: str, count: int) -> list[float]:
    """Type letters into the caption box of Explore; returns the seconds until each ranking was painted."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(address)
    page.locator("[data-tool=whatif]").wait_for(timeout=120_000)
    box = page.locator("#caption")
    box.fill("a cat next to")
    seconds = []
    for letter in (" a red car on grass" * count)[:count]:
        page.wait_for_timeout(4 * AT_REST)
        page.evaluate(TYPED)
        box.press("Space" if letter == " " else letter)
        seconds.append(page.evaluate("window.ranked") / 1000)
    page.close()
    return seconds


def timed_clicks(page: Page, patches: Sequence[int], grid: tuple[int, int] = GRID) -> list[Click]:
    """Click on patches of the photo in Explore, where the mask can be painted, one after the other."""
    clicks = []
    box = page.locator(".stage-canvas").bounding_box()
    assert box is not None
    for patch in patches:
        row, column = divmod(patch, grid[1])
        page.evaluate(WATCH)
        page.mouse.click(
            box["x"] + (column + 0.5) * box["width"] / grid[1], box["y"] + (row + 0.5) * box["height"] / grid[0]
        )
        eye, server = page.evaluate("window.eyed")
        clicks.append(Click(eye / 1000, server / 1000))
        page.wait_for_timeout(AT_REST)
    return clicks


def summary(clicks: Sequence[Click]) -> str:
    """Median and maximum in milliseconds, and the median of the server's share."""
    fraction = statistics.median(click.server / click.eye for click in clicks)
    return (
        f"{len(clicks)} clicks on a patch to the new S(I, T): {in_milliseconds([click.eye for click in clicks])}, "
        f"the server's share {fraction:.0%}"
    )


def in_milliseconds(seconds: Sequence[float]) -> str:
    """Write median and maximum."""
    return f"median {1000 * statistics.median(seconds):.0f} ms, at most {1000 * max(seconds):.0f} ms"


def measure(browser: Browser, address: str, count: int) -> list[Click]:
    """Let the mask be painted in Explore, and click on so many patches."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(f"{address}/{QUERY}")
    page.locator("[data-tool=whatif]").click(timeout=120_000)
    page.wait_for_timeout(AT_REST)
    patches = np.random.default_rng(0).permutation(GRID[0] * GRID[1])[:count]
    clicks = timed_clicks(page, patches.tolist())
    page.close()
    return clicks


def main() -> None:
    """Measure, and print a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clicks", type=int, default=20, help="how many (default 20)")
    count = parser.parse_args().clicks
    if not 1 <= count <= GRID[0] * GRID[1]:
        parser.error(f"--clicks is {count}, but it must be from 1 to {GRID[0] * GRID[1]}.")
    with tempfile.TemporaryDirectory() as uploads, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM)
        with served(Path(uploads), "app.py", "--no-fetch", "--port") as address:
            first_view(browser, address)  # the server compresses each file once
            views = [first_view(browser, address) for _ in range(VIEWS)]
            seconds, size = (statistics.median(values) for values in zip(*views, strict=True))
            print(f"first view: {seconds:.2f} s (goal {GOALS[0]}), {size:.0f} KB (goal {GOALS[1]:.0f})", flush=True)
            typed = keystrokes(browser, address, LETTERS)
            print(f"{LETTERS} keystrokes to the ranking: {in_milliseconds(typed)}", flush=True)
            print(summary(measure(browser, address, count)), flush=True)
        browser.close()


if __name__ == "__main__":
    main()

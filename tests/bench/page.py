"""Time to the eye: from a click on a patch to the new S(I, T) on the page, `python -m tests.bench.page`.

Starts the app in a process of its own, opens the 200 drawn test scenes in headless Chromium, and paints 20 patches of
the mask of the best one by hand, one click after the other. Each click counts from the pointer going down until the
frame with the new S(I, T) was painted; the server's part is what the browser waited for its answer.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from tests.demo.browser.conftest import CHROMIUM, served
from tests.helpers.chromium import find_chromium

GRID = (14, 14)  # of the shipped models
QUERY = "?view=search&gallery=scenes&caption=a+red+car"
AT_REST = 300  # milliseconds between clicks
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
    eyes = [1000 * click.eye for click in clicks]
    fraction = statistics.median(click.server / click.eye for click in clicks)
    return (
        f"{len(clicks)} clicks on a patch   to the eye: median {statistics.median(eyes):.0f} ms, "
        f"most {max(eyes):.0f} ms   the server's share {fraction:.0%}"
    )


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
            print(summary(measure(browser, address, count)), flush=True)
        browser.close()


if __name__ == "__main__":
    main()

"""Measure the page without a server: `python -m tests.bench.static DIR`, a folder that `make static` wrote.

In headless Chromium, from a server on this machine: bytes and seconds until the worked example is drawn and until each
model is ready, times of requests, and the memory of the tab. In Python: how far embeddings and weights of 16 bits move
scores, decisions and rankings from the app's. Linux only: memory is read from /proc.
"""

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from demo.service.retrieval import RetrievalService
from demo.static.model import page_model
from demo.static.write import MARK, opened_model
from seps import ScoringEngine
from tests.bench.timing import process_bytes
from tests.demo.browser.conftest import CHROMIUM
from tests.helpers.web.chromium import find_chromium
from tests.helpers.web.static_site import open_engine, served_folder

MEGABYTE = 1e6
PATIENCE = 180_000  # milliseconds
CAPTIONS = 100
FAR = 1e-3  # of S(I, T)
REST = 5  # seconds after which the memory is measured again
WITHOUT_WORKER = "navigator.serviceWorker.register = () => Promise.reject(new Error('measured without'))"
# Milliseconds of each kind of request, each new to the model.
SPEEDS = """async (name) => {
    const { models: engine, pairs } = asked;
    const facts = await engine.open(name);
    const { model, name: gallery } = facts;
    const times = {};
    const timed = async (kind, work) => {
        const start = performance.now();
        await work();
        (times[kind] ??= []).push(performance.now() - start);
    };
    const picture = { pixels: new Uint8Array(3 * 1000 * 750).map((_, at) => at % 251), width: 1000, height: 750 };
    for (let at = 0; at < 10; at += 1) {
        const caption = `a dog and ${at + 2} cars on a street`;
        const drawn = { layer: "mask", opacity: 0.75, lines: true, objects: false, mask: "", budget: 0 };
        const state = { ...drawn, index: at % facts.items.length, caption };
        await timed("caption and pair, ms", () => engine.ask("explain", { model, gallery, index: 0, caption }));
        await timed("ranking, ms", () => engine.ask("rank", { model, gallery, caption }));
        await timed("value of the viewer, ms", () => pairs.viewerValue(facts, state));
        if (at < 4) await timed("own picture, ms", () => engine.encode(model, [picture]));
    }
    return times;
}"""


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.static", description=__doc__)
    parser.add_argument("folder", type=Path, help="that make static wrote")
    folder = parser.parse_args().folder
    sizes = json.loads((folder / MARK).read_text(encoding="utf-8"))["bytes"]
    figures: dict[str, Any] = {"MB of each part": {name: round(size / MEGABYTE, 2) for name, size in sizes.items()}}
    models = [name.partition(" ")[2] for name in sizes if name.startswith("model ")]
    with served_folder(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM)
        warm_up = browser.new_page()  # the browser's own start is not the page's
        warm_up.goto(f"{address}/")
        warm_up.wait_for_selector(".stage-canvas")
        warm_up.close()
        figures["page"] = [page_figures(browser, f"{address}/", models, number) for number in range(len(models))]
        browser.close()
    figures["from the app"] = {name: distances(name) for name in models}
    print(json.dumps(figures, indent=1))


def page_figures(browser: Browser, address: str, models: Sequence[str], number: int) -> dict[str, Any]:
    """Downloads and times until the page's example and a model are ready, then its requests and memory."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.set_default_timeout(PATIENCE)
    fetched: list[int] = []
    page.on("response", lambda answer: fetched.append(int(answer.headers.get("content-length", 0))))
    page.add_init_script(WITHOUT_WORKER)
    started = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(".stage-canvas")
    drawn = time.perf_counter() - started
    page.wait_for_selector("[data-tool=whatif]")  # numbers come from the model
    if number:
        started = time.perf_counter()
        gallery = page.locator(".sources option").nth(number).get_attribute("value")
        page.locator(".sources select").select_option(gallery)
        page.wait_for_function("(name) => new URLSearchParams(location.search).get('gallery') === name", arg=gallery)
        page.wait_for_function("document.querySelector('.explore').getAttribute('aria-busy') === 'false'")
    figures: dict[str, Any] = {
        "model": models[number],
        "example drawn, s": round(drawn, 2),
        "ready, s": round(time.perf_counter() - started, 1),
        "fetched MB, all": round(sum(fetched) / MEGABYTE, 1),
    }
    page.fill("#caption", "a man on a horse")
    page.press("#caption", "Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('caption') === 'a man on a horse'")
    figures["tab MB"] = tab_memory(page)["now"]
    pixels = np.random.default_rng(0).integers(0, 256, (750, 1000, 3), dtype=np.uint8)
    with TemporaryDirectory() as folder:  # a file, as a person opens one: given as bytes, it is in memory several times
        Image.fromarray(pixels).save(Path(folder) / "own.png")
        page.set_input_files(".sources input[type=file]", Path(folder) / "own.png")
        page.wait_for_function("document.querySelector('.photo-title').textContent === 'own.png'")
    figures["tab MB with an own picture"] = tab_memory(page)
    time.sleep(REST)
    figures[f"tab MB {REST} s later"] = tab_memory(page)
    name = json.loads(page.locator("#site").text_content() or "")["galleries"][number]["name"]
    open_engine(page, name)  # last: it starts more models next to the page's
    times = page.evaluate(SPEEDS, name)
    page.close()
    return figures | {kind: round(statistics.median(values), 1) for kind, values in times.items()}


def tab_memory(page: Page) -> dict[str, int]:
    """Memory of the tab's process in MB: `now`, with its part of shared memory, and the `most` that it ever had, with
    all of its shared memory."""
    session = page.context.browser.new_browser_cdp_session()  # type: ignore[union-attr]
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    tabs = [process["id"] for process in processes if process["type"] == "renderer"]
    return {
        "now": round(max(process_bytes("Pss", tab, "smaps_rollup") for tab in tabs) / MEGABYTE),
        "most": round(max(process_bytes("VmHWM", tab) for tab in tabs) / MEGABYTE),
    }


def distances(name: str) -> dict[str, float]:
    """Measure how far the page's embeddings and weights move what the app shows of a gallery and its captions."""
    service, indexed = opened_model(name, False)
    model = page_model(service.model)
    halves = indexed.embeddings.cpu().half().float()
    moved = replace(indexed, embeddings=halves, images=ScoringEngine(model.cross_net).encode_images(halves))
    page = RetrievalService(model, name, [moved])
    items = indexed.gallery.items
    captions = list(dict.fromkeys(caption for item in items for caption in item.captions))[:CAPTIONS]
    apart, best, masks = [], 0, 0
    for number, caption in enumerate(captions):
        rankings = [service.rank_images(indexed, caption), page.rank_images(moved, caption)]
        scores = [np.array(ranking.scores)[np.argsort(ranking.order)] for ranking in rankings]
        apart.append(np.abs(scores[0] - scores[1]))
        best += rankings[0].order[0] == rankings[1].order[0]
        pair = number % len(items), caption
        kept, others = service.explain(indexed, *pair).sparse.kept, page.explain(moved, *pair).sparse.kept
        masks += bool((kept == others).all())
    return {
        "captions": len(captions),
        "largest difference of S": round(float(np.max(apart)), 6),
        "median difference of S": round(float(np.median(apart)), 6),
        "per cent of pairs more than 0.001 apart": round(100 * float(np.mean(np.array(apart) > FAR)), 2),
        "same best picture": best,
        "equal masks": masks,
    }


if __name__ == "__main__":
    main()

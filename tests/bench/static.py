"""Measure the page without a server: `python -m tests.bench.static DIR`, a folder that `make static` wrote.

In headless Chromium, from a server on this machine: bytes and seconds until the worked example is drawn and until each
model is ready, what a ranking, an explanation and a user's picture take then, in one thread and, from a host that
isolates its pages, in several, whether this browser offers WebGPU, and the memory of the tab. In Python: how far its
embeddings and weights of 16 bits move scores, decisions and rankings from the app's. Linux only: memory is read from
/proc.
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
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from demo.service.retrieval import RetrievalService
from demo.static.model import page_model
from demo.static.write import MARK, opened_model
from seps import ScoringEngine
from tests.demo.browser.conftest import CHROMIUM
from tests.helpers.web.chromium import find_chromium
from tests.helpers.web.static_site import open_engine, served_folder

MEGABYTE = 1e6
READY = "[data-tool=whatif]"  # what is there once numbers come from the model
PATIENCE = 180_000  # milliseconds
CAPTIONS = 100
FAR = 1e-3  # of S(I, T)
REST = 5  # seconds after which the memory is looked at again
WITHOUT_WORKER = "navigator.serviceWorker.register = () => Promise.reject(new Error('measured without'))"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.static", description=__doc__)
    parser.add_argument("folder", type=Path, help="that make static wrote")
    folder = parser.parse_args(arguments).folder
    sizes = json.loads((folder / MARK).read_text(encoding="utf-8"))["bytes"]
    figures: dict[str, Any] = {"MB of each part": {name: round(size / MEGABYTE, 2) for name, size in sizes.items()}}
    models = [name.partition(" ")[2] for name in sizes if name.startswith("model ")]
    with served_folder(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM)
        figures["page"] = page_figures(browser, f"{address}/", models)
        figures["threads"] = thread_figures(browser, folder, models)
        browser.close()
    figures["from the app"] = {name: distances(name) for name in models}
    print(json.dumps(figures, indent=1))
    return 0


def page_figures(browser: Browser, address: str, models: Sequence[str]) -> dict[str, Any]:
    """Downloads and times until the page's example and each model are ready."""
    figures: dict[str, Any] = {}
    first_visit(browser, address)  # the browser's own start is not the page's
    for name in models:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.set_default_timeout(PATIENCE)
        fetched: list[int] = []
        note_sizes(page, fetched)
        page.add_init_script(WITHOUT_WORKER)
        started = time.perf_counter()
        page.goto(address)
        page.wait_for_selector(".stage-canvas")
        if name == models[0]:
            figures["first view"] = {"seconds": round(time.perf_counter() - started, 2)}
        page.wait_for_selector(READY)
        if name != models[0]:
            started = time.perf_counter()
            gallery = page.locator(".sources option").nth(models.index(name)).get_attribute("value")
            page.locator(".sources select").select_option(gallery)
            page.wait_for_function(
                "(name) => new URLSearchParams(location.search).get('gallery') === name", arg=gallery
            )
            page.wait_for_function("document.querySelector('.explore').getAttribute('aria-busy') === 'false'")
        seconds, size = time.perf_counter() - started, sum(fetched)
        page.fill("#caption", "a man on a horse")
        page.press("#caption", "Enter")
        page.wait_for_function("new URLSearchParams(location.search).get('caption') === 'a man on a horse'")
        figures[name] = {"ready seconds": round(seconds, 1), "fetched MB, all": round(size / MEGABYTE, 1)}
        figures[name]["tab MB"] = tab_memory(page)["now"]
        figures[name]["tab MB with an own picture"] = memory_with_own(page)
        figures[name] |= speeds(page, models.index(name))  # last: it starts more models next to the page's
        page.close()
    return figures


def memory_with_own(page: Page) -> dict[str, int]:
    """The memory of the tab once a user's picture is shown, some seconds later, and at most until then."""
    pixels = np.random.default_rng(0).integers(0, 256, (750, 1000, 3), dtype=np.uint8)
    with TemporaryDirectory() as folder:  # a file, as a person opens one: given as bytes, it is in memory several times
        Image.fromarray(pixels).save(Path(folder) / "own.png")
        page.set_input_files(".sources input[type=file]", Path(folder) / "own.png")
        page.wait_for_function("document.querySelector('.photo-title').textContent === 'own.png'")
    shown = tab_memory(page)["now"]
    time.sleep(REST)
    return {"at once": shown, f"after {REST} s": tab_memory(page)["now"], "at most": tab_memory(page)["most"]}


def thread_figures(browser: Browser, folder: Path, models: Sequence[str]) -> dict[str, Any]:
    """Times of each model in one thread and in an isolated page's threads, the hosts taking turns; and whether
    the browser has a GPU to ask."""
    figures: dict[str, Any] = {}
    for number, name in enumerate(models):
        for isolated in (False, True, False, True):
            with served_folder(folder, isolated) as address:
                page = browser.new_page(viewport={"width": 1366, "height": 768})
                page.set_default_timeout(PATIENCE)
                page.add_init_script(WITHOUT_WORKER)
                page.goto(f"{address}/")
                times = speeds(page, number)
                threads = page.evaluate("asked.models.ask('engine', {}).then(({ threads }) => threads)")
                figures.setdefault(f"{name}, threads: {threads}", []).append(times)
                figures["webgpu"] = page.evaluate(
                    "(async () => Boolean(navigator.gpu && await navigator.gpu.requestAdapter()))()"
                )
                page.close()
    return figures


def note_sizes(page: Page, sizes: list[int]) -> None:
    """Note how long each answer is."""
    page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))


def first_visit(browser: Browser, address: str) -> None:
    """Open the page once."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_selector(".stage-canvas")
    page.close()


def tab_memory(page: Page) -> dict[str, int]:
    """The memory of the tab's process in MB: `now`, what it parts with others divided among them, and the `most` that
    it ever had, with all of its shared memory."""
    session = page.context.browser.new_browser_cdp_session()  # type: ignore[union-attr]
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    tabs = []
    for process in processes:
        if process["type"] == "renderer":
            place = Path(f"/proc/{process['id']}")
            tabs.append(
                [kilobytes(place / file, name) for file, name in (("smaps_rollup", "Pss"), ("status", "VmHWM"))]
            )
    now, most = (round(max(sizes) * 1024 / MEGABYTE) for sizes in zip(*tabs, strict=True))
    return {"now": now, "most": most}


def kilobytes(file: Path, name: str) -> int:
    """A size of /proc by its name."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def speeds(page: Page, number: int) -> dict[str, float]:
    """Median milliseconds of requests, each new to the model."""
    name = json.loads(page.locator("#site").text_content() or "")["galleries"][number]["name"]
    open_engine(page, name)
    script = """async (name) => {
        const { models: engine, pairs } = asked;
        const facts = await engine.open(name);
        const timed = async (work) => {
            const start = performance.now();
            await work();
            return performance.now() - start;
        };
        const times = { read: [], rank: [], explain: [], viewer: [], own: [] };
        const pixels = new Uint8Array(3 * 1000 * 750).map((_, at) => at % 251);
        const { model, name: gallery } = facts;
        for (let at = 0; at < 10; at += 1) {
            const caption = `a dog and ${at + 2} cars on a street`;
            times.read.push(await timed(() => engine.ask("explain", { model, gallery, index: 0, caption })));
            times.rank.push(await timed(() => engine.ask("rank", { model, gallery, caption })));
            times.explain.push(await timed(() => engine.ask("explain", { model, gallery, index: 1, caption })));
            const drawn = { layer: "mask", opacity: 0.75, lines: true, objects: false, mask: "", budget: 0 };
            const state = { ...drawn, index: at % facts.items.length, caption };
            times.viewer.push(await timed(() => pairs.viewerValue(facts, state)));
        }
        for (let at = 0; at < 4; at += 1) {
            const picture = { pixels, width: 1000, height: 750 };
            times.own.push(await timed(() => engine.encode(model, [picture])));
        }
        return times;
    }"""
    times = page.evaluate(script, name)
    named = {
        "read": "caption and pair, ms",
        "rank": "ranking, ms",
        "explain": "pair, ms",
        "viewer": "value of the viewer, ms",
        "own": "own picture, ms",
    }
    return {named[name]: round(statistics.median(values), 1) for name, values in times.items()}


def distances(name: str) -> dict[str, float]:
    """How far the page's embeddings and weights move what the app shows of a gallery and its captions."""
    service, indexed = opened_model(name, False)
    model = page_model(service.model)
    halves = indexed.embeddings.cpu().half().float()
    images = ScoringEngine(model.cross_net).encode_images(halves)
    moved = replace(indexed, embeddings=halves, images=images)
    page = RetrievalService(model, name, [moved])
    items = indexed.gallery.items
    captions = list(dict.fromkeys(caption for item in items for caption in item.captions))[:CAPTIONS]
    apart: list[NDArray[np.float64]] = []
    best, masks = 0, []
    for number, caption in enumerate(captions):
        rankings = [service.rank_images(indexed, caption), page.rank_images(moved, caption)]
        scores = [np.array(ranking.scores)[np.argsort(ranking.order)] for ranking in rankings]
        apart.append(np.abs(scores[0] - scores[1]))
        best += rankings[0].order[0] == rankings[1].order[0]
        pair = number % len(items), caption
        masks.append(
            bool((service.explain(indexed, *pair).sparse.kept == page.explain(moved, *pair).sparse.kept).all())
        )
    return {
        "captions": len(captions),
        "largest difference of S": round(float(np.max(apart)), 6),
        "median difference of S": round(float(np.median(apart)), 6),
        "per cent of pairs more than 0.001 apart": round(100 * float(np.mean(np.array(apart) > FAR)), 2),
        "same best picture": best,
        "masks that are the same": sum(masks),
    }


if __name__ == "__main__":
    raise SystemExit(main())

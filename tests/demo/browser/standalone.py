"""The picture scripts on a separate page, without Gradio: values, the page, and the content of its canvases."""

import json
import re
from base64 import b64encode
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Locator, Page

from demo.drawing.layered import side_colours, strength
from demo.page.html import SHEETS
from demo.record.layers.page_table import table_tag
from demo.record.packing import overlap, packed
from demo.server.files.static import CACHING, MEDIA_TYPE, find_script, script_address, style_sheets
from seps import CrossSparseAggrNet, Explanation, explain
from seps.explanation.classes import with_classes

MODULES = {
    "viewer": "viewer/viewer.js",
    "compare": "compare/compare.js",
    "lesson": "lesson/lesson.js",
    "playground": "losses/playground.js",
    "claims": "losses/claims.js",
    "judge": "judge/judge.js",
    "generate": "generate/generate.js",
    "looks": "generate/looks.js",
    "captioned": "generate/captioned.js",
    "why": "why/why.js",
}
VEIL = (16, 25, 26)
WORDS = ("[CLS]", "a", "skate", "##board", "##er", "rides", "<b>", "[SEP]")
GRID = (6, 8)


CLASSES = ("espresso", "coffee mug", "tabby")
RECORDS: dict[str, dict[str, Any]] = {
    "paper, dense": {"dense": True},
    "released, [CLS]": {"paper": False, "cls": True},
    "released, dense": {"paper": False, "dense": True},
}
# Controls that are too small for a finger.
SMALL = """() => [...document.querySelectorAll("button, select, summary, input[type=range]")]
    .filter((one) => one.checkVisibility() && one.offsetParent && one.getBoundingClientRect().height < 44)
    .map((one) => one.outerHTML.slice(0, 120))"""


def random_record(
    seed: int = 0,
    *,
    paper: bool = True,
    dense: bool = False,
    cls: bool = False,
    grid: tuple[int, int] = GRID,
    classes: bool = False,
) -> Explanation:
    """The record of a random network, random embeddings and the words of WORDS, with random CLASSES where asked for."""
    with torch.random.fork_rng(devices=[]):
        torch.random.default_generator.manual_seed(seed)
        count = grid[0] * grid[1]
        model = CrossSparseAggrNet(16, count, 0.5, 0.3, paper).eval()
        image, caption = torch.randn(count + cls, 16), torch.randn(len(WORDS), 16)
        record = explain(model, image, caption, torch.randn(9, 16) if dense else None, words=WORDS, grid=grid)
        if not classes:
            return record
        best, added = torch.randint(len(CLASSES), (count,)), torch.randn(count, 16)
        return with_classes(record, CLASSES, best, torch.rand(count), added, image, caption)


def photo(width: int = 400, height: int = 300, **words: Any) -> dict[str, Any]:
    """A drawn photo, bright everywhere, as the views hand it over."""
    rows, columns = np.mgrid[0:height, 0:width]
    pixels = np.stack([90 + 160 * columns / width, 110 + 120 * rows / height, 230 - 120 * columns / width], axis=-1)
    buffer = BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(buffer, format="PNG")
    source = "data:image/png;base64," + b64encode(buffer.getvalue()).decode()
    facts = {"title": "drawn", "credit": "a test", "link": "https://example.org/photo"}
    return {"src": source, "width": width, "height": height, **facts, **words}


def viewer_value(record: Explanation, **changes: Any) -> dict[str, Any]:
    value = {
        "photo": photo(),
        "model": "random",
        "caption": "a skateboarder rides",
        "dense_caption": None if record.dense is None else "a longer caption of the same photo",
        "similarity": record.similarity,
        "record": packed(record),
        "layer": "mask",
        "opacity": 0.75,
        "lines": True,
    }
    return value | changes


def compare_value(records: list[Explanation], **changes: Any) -> dict[str, Any]:
    items = [
        {"caption": f"caption {i + 1}", "similarity": record.similarity, "record": packed(record)}
        for i, record in enumerate(records)
    ]
    value = {"photo": photo(), "model": "random", "layer": "mask", "items": items}
    return value | {"overlap": overlap(records)} | changes


def page_of(component: str, value: dict[str, Any] | None, dark: bool = False, width: int = 0) -> str:
    """A page with one component of MODULES; what it triggers is listed in `window.triggered`.

    `window.send(value)` shows another value.
    """
    data = json.dumps(value).replace("<", "\\u003c")
    limit = f"max-width: {width}px;" if width else ""
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>standalone</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style_sheets(SHEETS)} body {{ margin: 0; padding: 12px; background: var(--ground); font-family: sans-serif; }}
#place {{ {limit} }}</style>{table_tag()}
<body class="{"dark" if dark else ""}"><div id="place"><div class="seps-{component}"></div></div>
<script type="module">
import {{ mount }} from "/{script_address(MODULES[component])}";
window.triggered = [];
const view = mount(document.getElementById("place"), (name, data) => window.triggered.push([name, data]), {data});
window.send = view.show;
</script></body></html>"""


class Scripts(ThreadingHTTPServer):
    """Serves a document at its root and the app's modules, which Chromium caches: with routes of Playwright it would
    fetch and compile each of them for every page."""

    daemon_threads = True
    html = ""


class Handler(BaseHTTPRequestHandler):
    """Answers with the document, a module or 404."""

    server: Scripts
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a request."""
        script = find_script(self.path[1:])
        content, kind = (
            (self.server.html.encode(), "text/html; charset=utf-8") if script is None else (script, MEDIA_TYPE)
        )
        is_known = script is not None or self.path == "/"
        self.send_response(HTTPStatus.OK if is_known else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store" if script is None else CACHING)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


@cache
def scripts() -> Scripts:
    """The server of this process."""
    server = Scripts(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return server


KEPT: dict[tuple[Browser, bool, bool], Page] = {}  # by settings that a page cannot change later
ERRORS: list[str] = []  # of the scripts of these pages


def open_html(
    browser: Browser,
    html: str,
    size: tuple[int, int] = (1366, 768),
    touch: bool = False,
    calm: bool = False,
    kept: bool = True,
) -> Page:
    """A page with the app's modules; with `calm` nothing glides, as for people who asked for that.

    `kept`: reuse the page of such a browser, with a new document and nothing stored; a new page
    takes a separate process, four times as long. The page opened before with `kept` is replaced.
    """
    page = KEPT.get((browser, touch, calm)) if kept else None
    if page is None:
        motion: Literal["reduce", "no-preference"] = "reduce" if calm else "no-preference"
        page = browser.new_context(has_touch=touch, is_mobile=touch, reduced_motion=motion).new_page()
        page.on("pageerror", lambda error: ERRORS.append(str(error)))
    else:
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
        page.mouse.move(0, 0)
    if kept:
        KEPT[browser, touch, calm] = page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    scripts().html = html
    ERRORS.clear()
    page.goto(f"http://127.0.0.1:{scripts().server_port}/")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert ERRORS == []
    return page


def imported(name: str) -> str:
    """The expression that imports one of the app's modules on such a page."""
    return f'await import("/{script_address(name)}")'


def check_text(page: Page) -> None:
    """Fail if a page shows a value that a script turned into text by mistake, such as "null"."""
    text = page.evaluate("document.body?.innerText ?? ''")
    assert not re.search(r"\b(null|undefined|NaN)\b|\[object ", text), text


def open_page(browser: Browser, html: str, size: tuple[int, int] = (1366, 768), touch: bool = False) -> Page:
    """The page once its pictures are drawn."""
    page = open_html(browser, html, size, touch)
    page.wait_for_function("[...document.querySelectorAll('canvas')].every((one) => one.style.width)")
    check_text(page)
    return page


def centres(canvas: Locator, grid: tuple[int, int]) -> NDArray[np.int64]:
    """The colours at the centres of a canvas's patches: (N, 3)."""
    script = """(canvas, [rows, columns]) => {
        const context = canvas.getContext("2d");
        const at = (index, count, length) => Math.floor(((index + 0.5) * length) / count);
        return Array.from({ length: rows * columns }, (_, patch) => [...context.getImageData(
            at(patch % columns, columns, canvas.width), at(Math.floor(patch / columns), rows, canvas.height), 1, 1,
        ).data.slice(0, 3)]);
    }"""
    return np.array(canvas.evaluate(script, list(grid)))


def viridis(values: NDArray[Any], low: float, high: float) -> NDArray[np.int64]:
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    return colormaps["viridis"](Normalize(low, high)(values), bytes=True)[:, :3].astype(np.int64)


def check_laid(
    seen: NDArray[Any], values: NDArray[Any], low: float, high: float, opacity: float = 1.0, diverging: bool = False
) -> None:
    """Check that colours (N, 3) match values over a grey photo, as strong as in files."""
    over = opacity * strength(values, low, high, diverging)[:, None]
    below = seen - over * (side_colours(values) if diverging else viridis(values, low, high))
    assert np.ptp(below, axis=1).max() <= 3  # what is left is grey
    assert (below >= -2).all() and (below <= 255 * (1 - over) + 2).all()

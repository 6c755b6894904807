"""The page without a server, served below a path, and calls of its scripts for tests."""

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseServer
from threading import Thread
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, expect

QUICK = 5_000  # milliseconds that something may take elsewhere
READY = 60_000  # milliseconds that a model may take to load, next to other tests
DECIMAL = re.compile(r"[+-]?\d+\.\d+")
# Arrays of a value as base64, as Python packs them.
PACKED = """(value) => {
    const text = (floats) => {
        const bytes = new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
        const [parts, step] = [[], 8192];
        for (let at = 0; at < bytes.length; at += step) {
            parts.push(String.fromCharCode(...bytes.subarray(at, at + step)));
        }
        return btoa(parts.join(""));
    };
    const pack = (part) => {
        if (part?.values instanceof Float32Array) return { shape: part.shape, float32: text(part.values) };
        if (Array.isArray(part)) return part.map(pack);
        if (part && typeof part === "object") {
            return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, pack(inner)]));
        }
        return part;
    };
    return pack(value);
}"""


class _Quiet(SimpleHTTPRequestHandler):
    """A host that forbids caching and does not know .mjs."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/plain"}

    def __init__(self, *arguments: Any, headers: Mapping[str, str], **options: Any) -> None:
        self.added = headers
        super().__init__(*arguments, **options)

    def end_headers(self) -> None:
        for name, value in {"Cache-Control": "no-store", **self.added}.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """Say nothing of a page that was left while it fetched."""


@contextmanager
def serving(server: BaseServer) -> Iterator[None]:
    """Let a server answer in a thread for as long as it is needed; then it is closed."""
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}


@contextmanager
def served_folder(folder: Path, isolated: bool = False, headers: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve a folder, with headers, or with those that isolate its pages; give its address."""
    handler = partial(_Quiet, directory=str(folder), headers=ISOLATED if isolated else headers or {})
    server = _Server(("127.0.0.1", 0), handler)
    with serving(server):
        yield f"http://127.0.0.1:{server.server_address[1]}"


@contextmanager
def watched_page(browser: Browser) -> Iterator[Page]:
    """A page of a laptop's size in which no script may fail."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(READY)
    expect.set_options(timeout=READY)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    expect.set_options(timeout=QUICK)
    context.close()
    assert faults == []


def open_engine(page: Page, gallery: str) -> None:
    """Let `window.asked` answer as the page's engine does, from another engine of its modules: plain(method, values),
    lesson(method, values) once it is whole, read(caption), squashed(content, size, type); `models`, `pairs`: what it
    is made of."""
    script = f"""async (gallery) => {{
        const site = JSON.parse(document.getElementById("site").textContent);
        const module = (name) => import(new URL(`${{site.parts.js}}/${{name}}`, document.baseURI).href);
        const {{ makeEngine }} = await module("engine/browser.js");
        const {{ makeEngine: makeModels }} = await module("engine/onnx/models.js");
        const {{ makePairs }} = await module("engine/answers/pairs.js");
        const [own, resize] = [await module("engine/onnx/pictures.js"), await module("engine/onnx/resize.js")];
        const [engine, models, pack] = [makeEngine(site), makeModels(site, () => {{}}), {PACKED}];
        const {{ model }} = await models.open(gallery);
        const answer = (work) => work.then(pack, ({{ message }}) => message);
        window.asked = {{
            models,
            pairs: makePairs(models.ask, () => {{}}),
            plain: (method, values) => answer(engine[method](values)),
            lesson: (method, values) => answer(new Promise((done, failed) => {{
                let parts = 0;
                const partial = (value) => {{ if ((parts += 1) === 2) done(value); }};
                engine.lesson(values, {{ partial }}).catch(failed);
            }})),
            read: (caption) => models.ask("read", {{ model, caption }}).then(({{ ids }}) => ids),
            async squashed(content, size, type) {{
                const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
                const {{ pixels, width, height }} = await own.openPicture(new File([bytes], "a picture", {{ type }}));
                const values = Float32Array.from(resize.squashed(pixels, width, height, size));
                return pack({{ shape: [size, size, 3], values }});
            }},
        }};
    }}"""
    page.evaluate(script, gallery)


def floats(value: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The array of a packed value."""
    return np.frombuffer(b64decode(value["float32"]), "<f4").reshape(value["shape"])


def same_text(text: str, other: str) -> bool:
    """Whether two texts are equal but for a unit in the last place of a number, where rounding fell either way."""
    numbers = zip(DECIMAL.findall(text), DECIMAL.findall(other), strict=False)
    return DECIMAL.sub("#", text) == DECIMAL.sub("#", other) and all(
        len(one) == len(two) and abs(float(one) - float(two)) <= 1.01 * 10.0 ** -len(one.partition(".")[2])
        for one, two in numbers
    )


def differences(given: Any, expected: Any, tolerance: float, path: str = "") -> list[str]:
    """Where two JSON values differ, each place with both; numbers, packed ones too, may by a tolerance, and texts as
    `same_text` lets them."""
    if isinstance(expected, dict) and isinstance(given, dict) and given.keys() == expected.keys():
        if "float32" in expected:
            arrays = floats(given), floats(expected)
            if arrays[0].shape != arrays[1].shape:
                return [f"{path}: {arrays[0].shape} and not {arrays[1].shape}"]
            furthest = float(np.abs(arrays[0] - arrays[1]).max(initial=0))
            return [] if furthest <= tolerance else [f"{path}: {furthest} apart"]
        return [
            line for name in expected for line in differences(given[name], expected[name], tolerance, f"{path}/{name}")
        ]
    if isinstance(expected, list | tuple) and isinstance(given, list) and len(given) == len(expected):
        pairs = enumerate(zip(given, expected, strict=True))
        return [line for number, pair in pairs for line in differences(*pair, tolerance, f"{path}/{number}")]
    if isinstance(given, str) and isinstance(expected, str):
        return [] if same_text(given, expected) else [f"{path}: {given} and not {expected}"]
    numbers = isinstance(given, int | float) and isinstance(expected, int | float)
    equal = abs(given - expected) <= tolerance if numbers else given == expected
    return [] if equal else [f"{path}: {given} and not {expected}"]

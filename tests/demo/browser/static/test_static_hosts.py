"""The page without a server on hosts with other types, policies and damaged files: it works, or says what is wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.record.texts.table import for_page, say
from tests.demo.browser.places.test_explore import ready
from tests.demo.browser.standalone import imported, open_html
from tests.helpers.web.static_site import served_folder, watched_page

ALLOWED = "script-src 'self' 'wasm-unsafe-eval'"
MARKUP = "<img src=x onerror=document.body.dataset.attacked=1>"
HOSTILE: list[tuple[str, Any]] = [
    ("grid", [10**9, 10**9]),
    ("grid", [13, 14]),
    ("variant", MARKUP),
    ("num_tokens", -1),
    ("coefficients", {"s_p": MARKUP}),
    ("captions", None),
    ("captions.max_words", 1e300),
    ("pixels.size", 10**9),
    ("pixels.std", [0, 0, 0]),
    ("graphs", []),
    ("graphs.text.file", "../../other/text.onnx"),
    ("graphs.text.file", "https://example.org/text.onnx"),
    ("graphs.pair.file", MARKUP),
    ("graphs.image.weights", "..\\image.weights"),
    ("graphs.image.outputs.0.shape", ["images", 10**12, 10**12]),
]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched_page(browser) as page:
        yield page


def expect_problem(page: Page, address: str, name: str, **values: Any) -> None:
    """Expect the sentence of a name when the page cannot open its model; the first view stays."""
    page.goto(address)
    with for_page():
        expect(page.get_by_role("alert")).to_have_text(say(f"static.{name}", **values))
    expect(page.locator(".stage-canvas")).to_be_visible()


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        ("default-src 'self'; style-src 'self' 'unsafe-inline'", "wasm_forbidden"),
        (f"{ALLOWED}; worker-src 'none'", "worker_forbidden"),
        (f"{ALLOWED}; worker-src 'self'", ""),
    ],
)
def test_a_policy_that_forbids_the_models_is_named(page: Page, static_folder: Path, policy: str, problem: str) -> None:
    assert list(static_folder.rglob("*.mjs")) == []  # a type that hosts do not know
    headers = {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"}
    with served_folder(static_folder, headers=headers) as host:
        if problem:
            return expect_problem(page, f"{host}/below/it/", problem)
        page.goto(f"{host}/below/it/")
        ready(page)
    return None


def test_a_browser_without_webassembly_is_told_so(page: Page, static_address: str) -> None:
    page.route("**/engine/onnx/worker.js", lambda route: route.fulfill(
        body="delete self.WebAssembly;\n" + route.fetch().text(), content_type="text/javascript"
    ))  # fmt: skip
    expect_problem(page, static_address, "no_wasm")


def changed(manifest: Any, path: str, value: Any) -> Any:
    *names, last = [int(name) if name.isdigit() else name for name in path.split(".")]
    place = manifest
    for name in names:
        place = place[name]
    place[last] = value
    return manifest


def test_a_hostile_manifest_is_refused_with_the_name_of_its_field(browser: Browser, static_folder: Path) -> None:
    (file,) = static_folder.rglob("model-scenes-*/manifest.json")
    manifests = [changed(json.loads(file.read_text()), path, value) for path, value in HOSTILE]
    script = f"""async (manifests) => {{
        const {{ checkedManifest }} = {imported("engine/onnx/manifest.js")};
        return manifests.map((manifest) => {{
            try {{ return checkedManifest(manifest) && ""; }} catch ({{ message }}) {{ return message; }}
        }});
    }}"""
    asked = [json.loads(file.read_text()), [], None, 5, "x" * 100, *manifests]
    right, *problems = open_html(browser, "<!doctype html>").evaluate(script, asked)
    assert right == ""
    assert problems[:4] == ["manifest.json: variant"] * 4
    for (path, _), problem in zip(HOSTILE, problems[4:], strict=True):
        field = problem.removeprefix("manifest.json: ")
        assert field != problem and path.startswith(field.partition(".")[0])


def test_a_hostile_manifest_gets_a_sentence_and_is_not_followed(
    page: Page, static_folder: Path, static_address: str
) -> None:
    (file,) = static_folder.rglob("model-scenes-*/manifest.json")
    manifest = changed(json.loads(file.read_text()), "graphs.text.file", f"https://example.org/{MARKUP}.onnx")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/manifest.json", lambda route: route.fulfill(json=manifest))
    expect_problem(page, static_address, "bad_manifest", field="graphs")
    assert not [url for url in asked if url.endswith((".onnx", ".weights"))]
    assert page.get_attribute("body", "data-attacked") is None


def test_a_manifest_that_is_none_gets_a_sentence(page: Page, static_address: str) -> None:
    page.route("**/manifest.json", lambda route: route.fulfill(body="<html>not found</html>"))
    expect_problem(page, static_address, "not_json", file="manifest.json")

"""The page without a server on hosts with other types, policies and damaged files: it works, or says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.record.table import say
from tests.helpers.static_site import ask, served_folder, watched_page

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]
ALLOWED = "script-src 'self' 'wasm-unsafe-eval'"
POLICIES = [
    ("script-src 'self'", "static.wasm_forbidden"),
    ("default-src 'self'; style-src 'self' 'unsafe-inline'", "static.wasm_forbidden"),
    (f"{ALLOWED}; worker-src 'none'", "static.worker_forbidden"),
]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched_page(browser) as page:
        yield page


def problem(page: Page, address: str) -> str:
    """What the page says when its model cannot be opened."""
    page.goto(address)
    line = page.locator("#said .problem")
    expect(line).to_be_visible()
    return line.text_content() or ""


def test_no_file_needs_a_host_that_knows_mjs(page: Page, static_folder: Path) -> None:
    assert list(static_folder.rglob("*.mjs")) == []
    with served_folder(static_folder, headers={"X-Content-Type-Options": "nosniff"}) as host:
        page.goto(f"{host}/below/it/")
        ask(page, "a green rocket in the dark sky")
        expect(page.locator("#ranking .row")).to_have_count(24)


@pytest.mark.parametrize(("policy", "sentence"), POLICIES)
def test_a_policy_that_forbids_the_models_is_named(page: Page, static_folder: Path, policy: str, sentence: str) -> None:
    with served_folder(static_folder, headers={"Content-Security-Policy": policy}) as host:
        assert problem(page, f"{host}/below/it/") == say(sentence)


def test_the_policy_that_the_sentence_asks_for_is_enough(page: Page, static_folder: Path) -> None:
    policy = f"{ALLOWED}; worker-src 'self'"
    with served_folder(static_folder, headers={"Content-Security-Policy": policy}) as host:
        page.goto(f"{host}/below/it/")
        ask(page, "a green rocket in the dark sky")
        expect(page.locator("#ranking .row")).to_have_count(24)


def test_a_browser_without_webassembly_is_told_so(page: Page, static_address: str) -> None:
    page.route("**/engine/worker.js", lambda route: route.fulfill(
        body="delete self.WebAssembly;\n" + route.fetch().text(), content_type="text/javascript"
    ))  # fmt: skip
    assert problem(page, static_address) == say("static.no_wasm")


MARKUP = "<img src=x onerror=document.body.dataset.attacked=1>"
HOSTILE: list[tuple[str, Any]] = [
    ("grid", [10**9, 10**9]),
    ("grid", {"0": 14}),
    ("grid", [14.5, 14]),
    ("grid", [13, 14]),
    ("variant", MARKUP),
    ("has_cls", "yes"),
    ("num_tokens", -1),
    ("coefficients", {"s_p": MARKUP}),
    ("captions", None),
    ("captions.max_words", 1e300),
    ("captions.cls_id", -5),
    ("pixels.size", 10**9),
    ("pixels.std", [0, 0, 0]),
    ("graphs", []),
    ("graphs.text.file", "../../other/text.onnx"),
    ("graphs.text.file", "https://example.org/text.onnx"),
    ("graphs.pair.file", MARKUP),
    ("graphs.image.weights", "..\\image.weights"),
    ("graphs.image.outputs.0.shape", ["images", 10**12, 10**12]),
]


def changed(manifest: Any, path: str, value: Any) -> Any:
    """A manifest with another value at a path."""
    *names, last = [int(name) if name.isdigit() else name for name in path.split(".")]
    place = manifest
    for name in names:
        place = place[name]
    place[last] = value
    return manifest


@pytest.mark.parametrize(("path", "value"), HOSTILE, ids=str)
def test_a_hostile_manifest_gets_a_sentence_and_is_not_followed(
    page: Page, static_folder: Path, static_address: str, path: str, value: Any
) -> None:
    (file,) = static_folder.rglob("manifest.json")
    manifest = changed(json.loads(file.read_text()), path, value)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/manifest.json", lambda route: route.fulfill(json=manifest))
    message = problem(page, static_address)
    field = message.partition('("')[2].partition('")')[0]
    assert message == say("static.bad_manifest", field=field)
    assert path.startswith(field.partition(".")[0])
    assert not [url for url in asked if url.endswith((".onnx", ".weights"))]
    assert page.get_attribute("body", "data-attacked") is None


@pytest.mark.parametrize("content", ["", "{", "<html>not found</html>", "[]", "null", "5", json.dumps("x" * 100)])
def test_a_manifest_that_is_none_gets_a_sentence(page: Page, static_address: str, content: str) -> None:
    page.route("**/manifest.json", lambda route: route.fulfill(body=content))
    expected = say("static.bad_manifest", field="variant")
    if content in ("", "{") or "<" in content:
        expected = say("static.not_json", file="manifest.json")
    assert problem(page, static_address) == expected

"""Parts of the engine in the browser, without a model: caching, fetching, losses, memory."""

from typing import Any

import pytest
from playwright.sync_api import Page

from demo.record.texts.table import say
from demo.service.retrieval import RetrievalService
from demo.views.losses.values import playground_value
from tests.demo.browser.standalone import imported
from tests.helpers.web.static_site import differences

pytestmark = pytest.mark.journey


# A page that keeps what it needs for when there is no network, with a cache of its own and a network that can fail.
KEEPING = f"""async () => {{
    const {{ keepOffline }} = {imported("engine/onnx/offline.js")};
    const [cached, network] = [new Set(["js/entry.js"]), {{ there: true, now: 0, most: 0, asked: [] }}];
    const nameOf = (request) => (request.url ?? String(request)).replace(location.origin + "/", "");
    const cache = {{
        match: async (name) => cached.has(name),
        keys: async () => [],
        add: async (name) => {{ cached.add(name); }},
        addAll: async (requests) => {{
            network.now += requests.length;
            network.most = Math.max(network.most, network.now);
            await new Promise((end) => setTimeout(end));
            network.now -= requests.length;
            if (!network.there) throw new TypeError("Failed to fetch");
            for (const request of requests) network.asked.push(nameOf(request));
            for (const request of requests) cached.add(nameOf(request));
        }},
    }};
    Object.defineProperty(window, "caches", {{ value: {{ open: async () => cache }} }});
    Object.defineProperty(navigator, "serviceWorker", {{ value: {{ register: async () => {{}} }} }});
    const pictures = (name) => Array.from({{ length: 9 }}, (_, number) => `pictures/${{name}}${{number}}.png`);
    const gallery = (name) => ({{ name, model: name, files: ["text.onnx"], pictures: pictures(name) }});
    const parts = {{ js: "js", libraries: "lib", losses: "losses" }};
    for (const name of ["a", "b"]) {{
        Object.assign(parts, {{ [`model ${{name}}`]: `m${{name}}`, [`gallery ${{name}}`]: `g${{name}}` }});
    }}
    const announced = [];
    let rest = null;
    const next = () => new Promise((end) => {{ rest = end; }});
    const keep = keepOffline({{ parts, scripts: ["entry.js"], galleries: [gallery("a"), gallery("b")] }}, (whole) => {{
        announced.push(whole.map(({{ name }}) => name).join());
        rest();
    }});
    let waiting = next();
    keep("a");
    keep("a");
    keep("own pictures");
    await waiting;
    const first = [...network.asked];
    network.there = false;
    keep("b");
    for (let turns = 0; turns < 9; turns += 1) await new Promise((end) => setTimeout(end));
    const without = network.asked.length - first.length;
    network.there = true;
    waiting = next();
    keep("b");
    await waiting;
    return {{ first, second: network.asked.slice(first.length), without, announced, most: network.most }};
}}"""


def test_each_gallery_that_is_opened_is_kept_with_all_its_pictures_a_few_at_a_time(page: Page) -> None:
    kept = page.evaluate(KEEPING)
    for name, given in (("a", kept["first"]), ("b", kept["second"])):
        expected = {f"g{name}/pictures/{name}{number}.png" for number in range(9)}
        expected |= {f"g{name}/gallery.json", f"g{name}/embeddings.f16", f"m{name}/text.onnx"}
        assert expected <= set(given) and len(given) == len(set(given))
    assert "lib/ort.wasm.gz" in kept["first"] and "js/entry.js" not in kept["first"]
    assert kept["without"] == 0 and kept["announced"] == ["a", "a,b"] and kept["most"] <= 4


# What `fetched` makes of an answer in parts, and what it tells on the way, by what the answer says of its length.
FETCHED = f"""async (length) => {{
    const {{ fetched }} = {imported("engine/onnx/fetching.js")};
    const [before, noted] = [window.fetch, []];
    const parts = [[1, 2, 3], [4], [5, 6, 7, 8]].map((part) => Uint8Array.from(part));
    const body = new ReadableStream({{ start(controller) {{
        for (const part of parts) controller.enqueue(part);
        controller.close();
    }} }});
    const headers = length === null ? {{}} : {{ "content-length": length }};
    window.fetch = async () => new Response(body, {{ headers }});
    try {{
        const content = await fetched("/parts", (bytes) => noted.push(bytes));
        return [[...content], content.buffer.byteLength, noted, parts.map(({{ length }}) => length)];
    }} finally {{
        window.fetch = before;
    }}
}}"""


@pytest.mark.parametrize("length", [None, "5", "20"])  # packed on its way, an answer is longer than it says
def test_what_is_fetched_is_whole_and_in_memory_once(page: Page, length: str | None) -> None:
    assert page.evaluate(FETCHED, length) == [list(range(1, 9)), 8, [3, 1, 4], [0, 0, 0]]  # and its parts are gone


def test_what_cannot_be_reached_is_told_in_a_sentence(page: Page) -> None:
    script = f"""async () => {{
        const {{ fetched }} = {imported("engine/onnx/fetching.js")};
        const {{ failure }} = {imported("engine/onnx/remote.js")};
        const problems = [fetched("http://127.0.0.1:9/none"), fetched("/none")]
            .map((fetching) => fetching.catch(({{ message }}) => failure(message).message));
        return Promise.all(problems);
    }}"""
    unreached, missing = page.evaluate(script)
    assert unreached == say("static.unreached")
    assert missing == say("static.failed", reason="404 /none")


def test_what_still_comes_after_a_part_could_not_be_fetched_is_passed_over(page: Page) -> None:
    script = f"""async () => {{
        const {{ remote }} = {imported("engine/onnx/remote.js")};
        const [Thread, noted] = [window.Worker, []];
        let thread = null;
        window.Worker = class {{ constructor() {{ thread = this; }} postMessage() {{}} }};
        const {{ ask }} = remote();
        window.Worker = Thread;
        const asked = ask("open", {{}}, (progress) => noted.push(progress)).catch(({{ message }}) => message);
        for (const answer of [{{ progress: 7 }}, {{ problem: "404 /none" }}, {{ progress: 9 }}]) {{
            thread.onmessage({{ data: {{ id: 1, ...answer }} }});
        }}
        return [await asked, noted];
    }}"""
    assert page.evaluate(script) == [say("static.failed", reason="404 /none"), [7]]


SETTINGS: list[dict[str, Any]] = [
    {"margin": 0.0, "mining": "all", "mask_ids": False},
    {"margin": 0.55, "mining": "hardest", "mask_ids": False},
    {"margin": 0.55, "mining": "all", "mask_ids": True},
]


def test_the_losses_under_other_settings_are_pythons(page: Page, service: RetrievalService) -> None:
    script = f"""async ([value, settings]) => {{
        const {{ playgroundUnder }} = {imported("engine/answers/loss.js")};
        return settings.map((each) => playgroundUnder(value, each));
    }}"""
    given = page.evaluate(script, [playground_value(service), SETTINGS])
    assert len({value["now"] for value in given}) == len(SETTINGS)
    for settings, value in zip(SETTINGS, given, strict=True):
        expected = playground_value(service, **settings)
        assert differences(value, expected, 1e-5) == [], settings


# ONNX Runtime as a model asks it, counting the sessions that are there.
RUNTIME = f"""async () => {{
    const {{ Model }} = {imported("engine/onnx/model.js")};
    const [log, loaded] = [[], []];
    const wasmBinary = Uint8Array.of(1, 2, 3);
    const [binary, wasm] = [wasmBinary.buffer, {{ wasmBinary }}];
    const ort = {{ env: {{ wasm }}, InferenceSession: {{ create: async (content) => {{
        const name = new TextDecoder().decode(content);
        log.push(`load ${{name}}`);
        loaded.push(content.buffer);
        return {{ run: async () => name, release: async () => {{ log.push(`free ${{name}}`); }} }};
    }} }} }};
    const graph = (name) => ({{ file: name, outputs: [{{ shape: [1, 4, 2] }}] }});
    const graphs = {{ image: graph("image"), text: graph("text"), pair: graph("pair") }};
    const captions = {{ max_words: 30, cls_id: 1, sep_id: 2 }};
    const pixels = {{ size: 8, mean: [0, 0, 0], std: [1, 1, 1] }};
    const numbers = {{ grid: [2, 2], has_cls: false, num_tokens: 10, coefficients: {{}} }};
    const model = new Model(ort, "data:,", {{ variant: "paper", ...numbers, captions, pixels, graphs }});
    const answers = [await model.run("text"), await model.run("pair"), await model.run("text")];
    await model.release();
    answers.push(await model.run("text"));
    return [answers, log, "wasmBinary" in wasm, [binary, ...loaded].map(({{ byteLength }}) => byteLength)];
}}"""


def test_a_model_frees_its_graphs_and_gets_them_again_and_keeps_no_bytes_that_were_copied(page: Page) -> None:
    answers, log, keeps_binary, bytes_left = page.evaluate(RUNTIME)
    assert not keeps_binary and bytes_left == [0, 0, 0, 0]
    assert answers == ["text", "pair", "text", "text"]
    assert log == ["load text", "load pair", "free text", "free pair", "load text"]


# How the bars of a row of shares are filled, left and right of its middle; and what the middle says.
BARS = f"""async (part) => {{
    const {{ shareRow }} = {imported("files/sheets/why.js")};
    document.body.style.setProperty("--accent", "full");
    const row = shareRow("rock", part, 0.4);
    const [inks, words] = [[[], []], []];
    const context = {{
        createPattern: () => "hatched",
        fillText: (text) => {{ words.push(text); }},
        fillRect(left, top, width) {{ if (width) inks[Number(left >= row.width / 2)].push(this.fillStyle); }},
    }};
    row.draw(context, 0, 0);
    return [...inks, words.at(1)];
}}"""


def test_a_share_below_zero_is_hatched_in_a_file_as_it_is_on_the_page(page: Page) -> None:
    full, hatched = ["full"], ["hatched"]
    assert page.evaluate(BARS, {"left": -0.1, "right": 0.1, "difference": -0.2}) == [hatched, full, "rock 0.20 ▸"]
    assert page.evaluate(BARS, {"left": None, "right": -0.3, "difference": 0.3}) == [[], hatched, "rock ◂ 0.30"]
    assert page.evaluate(BARS, {"left": 0.2, "right": 0.2, "difference": -1e-9})[2] == "rock 0.00"  # for neither

"""WebGPU on the page without a server: which pictures it may read, what it must prove first, and what is told of it."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.galleries.sources.named import examples_gallery
from demo.record.texts.table import say
from tests.demo.browser.conftest import CHROMIUM
from tests.demo.browser.places.test_explore import ready
from tests.demo.browser.standalone import imported
from tests.helpers.web.chromium import find_chromium
from tests.helpers.web.static_site import READY, watched_page

MANY = 16
# Chromium computes WebGPU by itself, slowly: SwiftShader, which comes with it.
SOFTWARE = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
SLOW = 15 * READY  # milliseconds; a CPU stands in for the GPU
FEWER = ("MANY = 16;", "MANY = 1;"), ("PATIENCE = 60_000;", f"PATIENCE = {SLOW};")


# What becomes of pictures whose embeddings are [1, -1, number], where WebGPU answers with what a case says; twice.
READ = f"""async ({{ count = 16, offered = true, moved = 0, apart = 0, turned = 0, wrong = null, late = null }}) => {{
    const {{ makeGpu }} = {imported("engine/onnx/gpu.js")};
    const [log, told] = [[], []];
    const kept = (far) => [1, 0, 1].map((bit, at) => (at < turned && far ? 1 - bit : bit));
    const record = (far) => ({{ similarity: 0.5 + far, branches: [{{ kept: kept(far) }}] }});
    const truth = (number) => Float32Array.from([1, -1, number]);
    const read = makeGpu({{
        start: () => {{
            log.push("start");
            return {{
                encode: async (number) => {{
                    if (number === late) await new Promise(() => {{}});
                    if (number === wrong) return truth(NaN);
                    return truth(number).map((value) => value + (number === 0 ? moved : 0));
                }},
                end: () => log.push("end"),
            }};
        }},
        reference: async (number) => truth(number),
        explain: async () => [record(0), record(apart || (turned ? 1e-9 : 0))],
        example: async () => 0,
        tell: (sentence) => told.push(sentence),
        offered: async () => {{ log.push("asked"); return offered; }},
        megabytes: 4.2,
        patience: 100,
    }});
    const pictures = Array.from({{ length: count }}, (_, at) => at + 1);
    const noted = [];
    const answers = [await read(pictures, (at) => noted.push(at)), await read(pictures, () => {{}})];
    return {{ read: answers.map((all) => all.map((values) => values[2])), log, told, noted: noted.length }};
}}"""


@pytest.mark.journey
def test_what_is_proven_reads_all_pictures_and_is_proven_once(page: Page) -> None:
    given = page.evaluate(READ, {"moved": 1e-5, "apart": 5e-6})
    numbers = list(range(1, MANY + 1))
    assert given["read"] == [numbers, numbers] and given["noted"] == MANY
    assert given["log"] == ["asked", "start", "end", "start", "end"]
    later, runs = given["told"]
    assert later == say("static.gpu_later", count=MANY, megabytes=4.2)
    assert "S(I, T) differs by 0.0000050 and embeddings by 0.000012 of" in runs


@pytest.mark.journey
@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ({"moved": 0.1}, "differed"),
        ({"apart": 2e-5}, "differed"),
        ({"turned": 2}, "by 2 patches of the decision mask"),
        ({"wrong": 0}, "differed"),
        ({"wrong": 5}, say("static.gpu_failed", reason=say("static.gpu_numbers"))),
        ({"late": 0}, say("static.gpu_failed", reason=say("static.gpu_late", seconds=0.1))),
        ({"late": 5}, say("static.gpu_failed", reason=say("static.gpu_late", seconds=0.1))),
        ({"offered": False}, say("static.gpu_none")),
        ({"count": MANY - 1}, say("static.gpu_later", count=MANY, megabytes=4.2)),  # a few do not ask for it
    ],
)
def test_what_differs_fails_or_is_not_there_reads_no_picture_and_is_asked_once(
    page: Page, case: dict[str, Any], sentence: str
) -> None:
    given = page.evaluate(READ, case)
    assert given["read"] == [[], []]
    assert len(given["told"]) <= 3 and sentence in given["told"][-1]
    assert given["log"] == ([] if "count" in case else ["asked"] if "offered" in case else ["asked", "start", "end"])


# A GPU as a page sees it, which its threads do not have.
FAKED = """Object.defineProperty(navigator, "gpu", { value: { requestAdapter: async () => ({ info: {} }) } })"""
TAKEN_FOR_A_GPU = """Object.defineProperty(GPUAdapterInfo.prototype, "isFallbackAdapter", { get: () => false })"""


def let_one_be_many(page: Page) -> None:
    """Let one picture be enough for WebGPU, and let it be slow."""

    def fewer(route: Any) -> None:
        answer = route.fetch()
        script = answer.text()
        for setting, other in FEWER:
            assert setting in script
            script = script.replace(setting, other)
        route.fulfill(response=answer, body=script)

    page.route("**/engine/onnx/gpu.js", fewer)


@pytest.mark.parametrize(
    ("script", "offline", "sentence"),
    [
        ("", False, say("static.gpu_none")),
        (FAKED, True, "failed ("),  # it was not kept, since it had never been fetched
    ],
)
def test_without_it_webassembly_reads_them_and_about_says_so(
    browser: Browser, static_address: str, tmp_path: Path, script: str, offline: bool, sentence: str
) -> None:
    with watched_page(browser) as page:
        page.add_init_script(script)
        let_one_be_many(page)
        fetched: list[str] = []
        page.on("request", lambda request: fetched.append(request.url))
        page.goto(f"{static_address}?gallery=examples")
        ready(page)
        if offline:
            page.wait_for_function("document.body.dataset.offline?.includes('examples')")
            page.context.set_offline(True)
        examples_gallery().items[0].photo().save(tmp_path / "mine.png")
        page.set_input_files(".sources input[type=file]", tmp_path / "mine.png")
        expect(page.locator(".ranked-photo")).to_have_count(1)
        assert len(page.workers) == 1
        page.get_by_role("button", name="About").click()
        about = page.locator("dialog .notes p", has_text="WebGPU").inner_text()
    assert any("/webgpu-" in url for url in fetched) == bool(script)
    assert sentence in about and about.endswith("WebAssembly reads them.")


# What the models say of WebGPU once they have read a picture with it, by the smallest model.
TAKE = """async () => {
    const site = JSON.parse(document.getElementById("site").textContent);
    const module = (name) => import(new URL(`${site.parts.js}/engine/onnx/${name}`, document.baseURI).href);
    const [{ makeEngine }, { pictureAt }] = await Promise.all(["models.js", "gpu.js"].map(module));
    let said = "";
    const models = makeEngine(site, () => {}, null, (sentence) => { said = sentence; });
    const { first, model } = site.galleries.find(({ name }) => name === "scenes");
    await models.take(model, [await pictureAt(first.photo)]);
    return said;
}"""


def test_it_gives_the_worked_examples_numbers_and_then_reads_them(browser: Browser, static_address: str) -> None:
    software = browser.browser_type.launch(executable_path=find_chromium(), args=[*CHROMIUM, *SOFTWARE])
    with software, watched_page(software) as page:
        page.add_init_script(TAKEN_FOR_A_GPU)
        let_one_be_many(page)
        page.goto(static_address)
        page.wait_for_function("navigator.serviceWorker.controller")
        said = page.evaluate(TAKE)
        measured = re.search(r"S\(I, T\) differs by ([\d.]+) and embeddings by ([\d.]+) of", said)
        assert measured is not None, said
        assert float(measured[1]) <= 1e-5 and float(measured[2]) < 1e-4
        kept = page.evaluate("async () => (await (await caches.open('seps-explorer')).keys()).map(({ url }) => url)")
        assert sorted(url.rpartition("/")[2] for url in kept if "/webgpu-" in url) == ["ort.js", "ort.wasm.gz"]

"""The page without a server, as people use it: a folder below a path of its own, on any static host."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect

from demo.galleries.scenes import scenes_gallery
from demo.static.libraries import PACKAGES
from tests.helpers.static_site import READY, ask, score, served_folder, watched_page

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")]
FIRST_VIEW = 1_000_000  # bytes
SCENES_READY = 20_000_000  # bytes that are fetched until the model is ready


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched_page(browser) as page:
        yield page


def test_the_worked_example_is_there_before_any_model(page: Page, static_address: str) -> None:
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url: int(answer.headers.get("content-length", 0))}))
    page.route("**/libraries-*/*", lambda route: route.abort())
    page.route("**/model-*/*", lambda route: route.abort())
    page.goto(static_address)
    expect(page.locator("#viewer canvas").first).to_be_visible()
    expect(page.locator("#viewer .seps-reading")).to_contain_text("patches kept")
    scripts = [size for url, size in sizes.items() if url.endswith((".js", "/it/"))]
    pictures = [size for url, size in sizes.items() if url.endswith(".png")]
    assert len(scripts) > 20 and sum(scripts) + sum(sorted(pictures)[-24:]) < FIRST_VIEW
    page.locator("#viewer [data-layer=tokens]").click()
    expect(page.locator("#viewer .seps-multiples button")).to_have_count(39)


def test_the_model_of_scenes_is_ready_within_its_budget(page: Page, static_address: str) -> None:
    page.goto(static_address)
    site = json.loads(page.locator("#site").text_content() or "")
    (gallery,) = site["galleries"]
    assert FIRST_VIEW + site["engine_bytes"] + gallery["bytes"] < SCENES_READY


def test_a_caption_ranks_and_a_picture_opens(page: Page, static_address: str) -> None:
    page.goto(static_address)
    ask(page, "a green rocket in the dark sky")
    expect(page.locator("#ranking .line").first).to_contain_text("200 scenes ranked in")
    rows = page.locator("#ranking .row")
    expect(rows).to_have_count(24)
    rows.nth(3).click()
    index = int(rows.nth(3).get_attribute("data-index") or -1)
    page.wait_for_function("(key) => new URLSearchParams(location.search).get('photo') === key", arg=str(index))
    assert f"{score(page):.3f}" == rows.nth(3).locator(".score").inner_text()
    page.locator("#viewer .seps-words button", has_text="rocket").click()
    expect(page.locator("#viewer .seps-reading")).to_contain_text("rocket: similarity")
    page.fill("#caption textarea", " ")
    expect(page.locator("#said [role=alert]")).to_contain_text("The caption is empty")


def test_a_row_pressed_while_one_types_opens_for_what_was_typed(page: Page, static_address: str) -> None:
    page.goto(static_address)
    ask(page, "a green rocket in the dark sky")
    index = page.locator("#ranking .row:not([aria-pressed=true])").nth(6).get_attribute("data-index") or ""
    script = """([caption, index]) => {
        const box = document.querySelector("#caption textarea");
        box.value = caption;
        box.dispatchEvent(new Event("input", { bubbles: true }));
        document.querySelector(`#ranking [data-index="${index}"]`).click();
    }"""
    page.evaluate(script, ["a red car", index])
    link = "(key) => ['photo', 'caption'].map((name) => new URLSearchParams(location.search).get(name)).join() === key"
    page.wait_for_function(link, arg=f"{index},a red car")
    expect(page.locator("#viewer [data-word]", has_text="car").first).to_be_visible()
    expect(page.locator("#caption textarea")).to_have_value("a red car")


def test_a_decision_by_hand_is_answered_and_an_effect_measured(page: Page, static_address: str) -> None:
    page.goto(static_address)
    ask(page, "a red car")
    before = score(page)
    page.get_by_role("button", name="What if").click()
    page.get_by_role("button", name="Keep all").click()
    hint = page.locator("#viewer .seps-whatif")
    expect(hint).to_contain_text("196 of 196 patches kept, 0 dropped and 98 added by hand")
    assert abs(score(page) - before) > 1e-4
    page.get_by_role("button", name="As the model decided").click()
    again = "(score) => Number(document.querySelector('#viewer output').dataset.similarity) === score"
    page.wait_for_function(again, arg=before)
    page.locator("#viewer [data-layer=effect]").click()
    expect(page.locator("#viewer .seps-reading")).to_contain_text("if this one decision is flipped")


def test_pictures_of_ones_own_score_as_in_the_gallery(page: Page, static_address: str, tmp_path: Path) -> None:
    page.goto(static_address)
    ask(page, "a red car")
    rows = page.locator("#ranking .row")
    three = [rows.nth(place) for place in range(3)]
    best = [(row.get_attribute("data-index"), row.locator(".score").inner_text()) for row in three]
    items = scenes_gallery().items
    for index, _ in best:
        items[int(index or -1)].photo().save(tmp_path / f"{index} & mine.png")
    (tmp_path / "none.png").write_bytes(b"no picture")
    page.locator("#own-box summary").click()
    page.set_input_files("#uploads", [tmp_path / f"{index} & mine.png" for index, _ in reversed(best)])
    expect(rows).to_have_count(3)
    for place, (index, points) in enumerate(best):
        expect(rows.nth(place).locator(".title")).to_have_text(f"{index} & mine.png")
        assert abs(float(rows.nth(place).locator(".score").inner_text()) - float(points)) < 3e-3
    expect(page.locator("#viewer canvas").first).to_be_visible()
    assert len(page.workers) == 1  # what encoded them is gone, with its memory
    page.set_input_files("#uploads", [tmp_path / "none.png"])
    expect(page.locator("#said [role=alert]")).to_contain_text('"none.png" cannot be read')


def test_files_are_what_the_app_writes(page: Page, static_address: str, tmp_path: Path) -> None:
    page.goto(static_address)
    ask(page, "a red car")
    for name, kind in (("PNG", "png"), ("JSON", "json"), ("CSV", "csv")):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"ranking as {name}" if kind == "csv" else f"as {name}").click()
        waiting.value.save_as(tmp_path / f"file.{kind}")
    assert Image.open(tmp_path / "file.png").size[0] == 1272
    numbers = json.loads((tmp_path / "file.json").read_text(encoding="utf-8"))
    assert numbers["caption"] == "a red car" and len(numbers["explanation"]["branches"][0]["score"]) == 196
    assert abs(sum(numbers["explanation"]["terms"].values()) - numbers["explanation"]["similarity"]) < 1e-5
    lines = (tmp_path / "file.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "rank,photo,title,score,caption" and len(lines) == 201


def test_links_lead_to_what_was_shown_and_back_leads_back(page: Page, static_address: str) -> None:
    link = "?view=search&model=scenes&gallery=scenes&photo=7&caption=a+red+car&layer=word%3A2&opacity=40&grid=0"
    page.goto(static_address + link)
    expect(page.locator("#viewer .seps-reading")).to_contain_text("red: similarity")
    expect(page.locator("#viewer .seps-opacity input")).to_have_value("40")
    assert page.evaluate("location.search") == link
    ask(page, "a blue tent")
    page.go_back()
    page.wait_for_function("document.querySelector('#caption textarea').value === 'a red car'")
    page.goto(f"{static_address}?view=edit")
    expect(page.locator("#said [role=alert]")).to_contain_text("only the app has")
    link = "?view=compare&model=scenes&gallery=scenes&photo=7&caption=a+red+car%0Aa+tree&dense=A+red+car+on+a+road."
    page.goto(static_address + link)
    expect(page.locator("#compare canvas").first).to_be_visible()
    page.locator("#compare-captions textarea").fill("a red car\na house")
    kept = """(dense) => {
        const query = new URLSearchParams(location.search);
        return query.get("dense") === dense && query.get("caption").endsWith("house");
    }"""
    page.wait_for_function(kept, arg="A red car on a road.")
    expect(page.locator("#compare-said")).to_have_text("")
    for view in ("captions", "compare"):
        page.goto(f"{static_address}?view={view}&gallery=scenes&photo=7&caption=a+red+car%0Aa+tree&dense=%E7%8A%AC")
        expect(page.locator(f"#{view}-said [role=alert]")).to_contain_text("write the dense caption in English")


@pytest.mark.parametrize(
    ("link", "message"), [("?view=edit", "only the app has"), ("?view=search&gallery=moving&caption=a", "is not here")]
)
def test_what_is_wrong_with_a_link_is_told_once_and_before_the_model_is_there(
    page: Page, static_address: str, link: str, message: str
) -> None:
    page.route("**/model-*/*", lambda route: None)
    page.goto(static_address + link)
    expect(page.locator("#said")).to_contain_text("Loading the model")
    problem = page.locator("#said [role=alert]")
    expect(problem).to_contain_text(message)
    expect(page.locator("#viewer canvas").first).to_be_visible()
    problem.evaluate("(line) => { window.line = line; }")
    page.unroute("**/model-*/*")  # which lets go of those that were held
    expect(page.locator("#said .note")).to_have_count(0)
    assert problem.evaluate("(line) => line === window.line")


def test_a_dense_caption_ranks_beside_the_caption_and_chooses_patches_too(page: Page, static_address: str) -> None:
    link = "?view=search&model=scenes&gallery=scenes&photo=7&caption=a+pink+parasol&dense=A+pink+parasol+on+a+beach."
    page.goto(static_address + link)
    expect(page.locator("#ranking h4")).to_have_text(["Caption only", "With dense caption"])
    expect(page.locator("#viewer .seps-dense")).to_have_text("A pink parasol on a beach.")
    assert page.evaluate("location.search") == link
    rows = page.locator("#ranking section").nth(1).locator(".row")
    row = rows.and_(page.locator("[data-index='7']"))
    assert f"{score(page):.3f}" == row.locator(".score").inner_text()
    page.locator("#viewer [data-branch=dense]").click()
    page.wait_for_function("new URLSearchParams(location.search).get('layer') === 'mask:dense'")
    box = page.get_by_label("Dense caption", exact=True).locator("visible=true")
    box.fill("A green tree beside a house, and snow on the ground.")
    expect(page.locator("#viewer .seps-dense")).to_have_text("A green tree beside a house, and snow on the ground.")
    box.fill("")
    expect(page.locator("#ranking h4")).to_have_count(0)
    expect(page.locator("#viewer [data-branch=dense]")).to_have_count(0)
    page.go_back()
    expect(page.locator("#ranking h4")).to_have_count(2)
    expect(box).to_have_value("A pink parasol on a beach.")


def test_after_a_visit_it_works_without_a_network(page: Page, static_address: str) -> None:
    page.goto(static_address)
    page.wait_for_function("document.body.dataset.offline === 'scenes'")
    expect(page.locator("#viewer .seps-swatch.kept")).to_have_text("")  # what About tells stands there alone
    addresses = """caches.open("seps-explorer").then((cache) => cache.keys())
        .then((requests) => requests.map(({ url }) => url))"""
    kept = page.evaluate(addresses)
    assert len(kept) > 100 and not [url for url in kept if "/webgpu-" in url]  # which few need
    page.context.set_offline(True)
    page.goto(f"{static_address}?view=search&model=scenes&gallery=scenes&caption=a+sheep")
    expect(page.locator("#ranking .line").first).to_contain_text("200 scenes ranked in")
    ask(page, "two purple gifts in the snow")
    page.locator("#ranking .row").nth(5).click()
    expect(page.locator("#ranking .row img").nth(5)).to_have_js_property("complete", True)
    assert page.locator("#ranking .row img").nth(5).evaluate("(image) => image.naturalWidth") == 224
    page.locator("#tab-about").click()
    expect(page.locator("#about .in-english .kept")).to_contain_text("Kept in this browser")
    forget = """async (names) => {
        const cache = await caches.open("seps-explorer");
        const requests = (await cache.keys()).filter(({ url }) => names.some((name) => url.endsWith(name)));
        return Promise.all(requests.map((request) => cache.delete(request)));
    }"""
    assert page.evaluate(forget, ["/199.png", "/losses.json"]) == [True, True]
    page.goto(f"{static_address}?view=search&model=scenes&gallery=scenes&caption=a+sheep&photo=199")
    expect(page.locator("#viewer [role=alert]")).to_contain_text("A picture cannot be fetched, and its place is blank")
    expect(page.locator("#viewer .seps-reading")).to_contain_text("patches kept")
    page.locator("#tab-losses").click()
    expect(page.locator("#losses-said [role=alert]")).to_contain_text("This is not kept in this browser")


def test_what_is_typed_before_a_link_has_opened_is_over_its_photograph(page: Page, static_address: str) -> None:
    held: list[Route] = []
    page.route("**/model-*/*", lambda route: held.append(route))
    page.goto(static_address + "?view=compare&model=scenes&gallery=scenes&photo=7&caption=a+parasol%0Aa+beach")
    expect(page.locator("#compare-said")).to_contain_text("Loading the model")
    page.locator("#compare-captions textarea").fill("a red car\na beach")
    page.wait_for_timeout(400)  # longer than the pause after which what is typed is answered
    assert held
    page.unroute("**/model-*/*")  # which lets them go
    page.wait_for_function("() => (new URLSearchParams(location.search).get('caption') ?? '').startsWith('a red car')")
    assert parse_qs(urlsplit(page.url).query)["photo"] == ["7"]


def test_a_key_with_alt_is_left_to_the_browser(page: Page, static_address: str) -> None:
    page.goto(static_address)
    expect(page.locator("#viewer canvas").first).to_be_visible()
    page.evaluate("document.addEventListener('keydown', (event) => { window.taken = event.defaultPrevented; })")
    for place in ("#viewer canvas", "#tab-search", "#viewer [data-layer=mask]"):
        page.locator(place).first.focus()
        page.keyboard.press("Alt+ArrowRight")
        assert page.evaluate("window.taken") is False, place
    expect(page.locator("#tab-search")).to_have_attribute("aria-selected", "true")
    page.locator("#tab-search").press("ArrowRight")
    expect(page.locator("#tab-search")).to_have_attribute("aria-selected", "false")


def test_on_a_phone_the_picture_is_in_the_first_screen(browser: Browser, static_address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(static_address)
    canvas = page.locator("#viewer canvas").first
    expect(canvas).to_be_visible()
    box = canvas.bounding_box()
    assert box is not None and box["y"] + box["height"] / 2 < 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for view, part in (("search", "own-box"), ("captions", "captions-own"), ("compare", "compare-own")):
        page.locator(f"#tab-{view}").tap()
        page.locator(f"#{part} summary").tap()
        hint = page.locator(f"#{part} .hint")
        expect(hint).to_contain_text("MB")
        place = hint.bounding_box()
        assert place is not None and place["x"] + place["width"] <= 390, view  # how much is fetched can be read
    context.close()


def test_about_tells_what_runs_and_an_isolated_page_takes_threads(
    page: Page, static_address: str, static_folder: Path
) -> None:
    link = "?view=search&model=scenes&gallery=scenes&photo=7&caption=a+red+car"
    scores = []
    with served_folder(static_folder, isolated=True) as isolated:
        for address, threads in ((static_address, 1), (f"{isolated}/below/it/", min(4, os.cpu_count() or 1))):
            page.goto(address + link)
            expect(page.locator("#viewer .seps-reading")).to_contain_text("patches kept", timeout=READY)
            scores.append(score(page))
            page.locator("#tab-about").click()
            running = page.locator("#engine")
            expect(running).to_contain_text(f"ONNX Runtime {PACKAGES['onnxruntime-web']}")
            expect(running).to_contain_text("in 1 thread;" if threads == 1 else f"in {threads} threads;")
            apart = re.search(r"S\(I, T\) is ([\d.]+) from the app's", running.inner_text())
            assert apart is not None and float(apart[1]) < 1e-3
    page.locator("#tab-search").click()
    page.locator(".seps-list-keys").click()
    expect(page.locator("dialog.seps-keys")).to_contain_text("keep or drop the patch")
    expect(page.locator("dialog.seps-keys")).not_to_contain_text("video")
    page.keyboard.press("Escape")
    page.locator("#tab-about").click()
    assert abs(scores[0] - scores[1]) < 1e-5
    expect(page.locator("#about .in-english .ideas dt")).to_have_text(["Patch", "Token", "Score"])

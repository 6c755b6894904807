"""The page in a folder without a server, below a path of its own, as people use it."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.galleries.sources.named import examples_gallery
from demo.static.libraries import PACKAGES
from tests.demo.browser.places.conftest import PHONE
from tests.demo.browser.places.test_explore import DROP, ready, score
from tests.demo.browser.places.test_places import APP_ONLY, PLACES, click_to
from tests.helpers.web.axe import load_axe, serious_violations
from tests.helpers.web.static_site import served_folder, watched_page

FIRST_VIEW = 1_000_000  # bytes
BUDGETS = {"scenes": 20_000_000, "photos": 55_000_000}  # bytes until a model is ready, the first with the libraries
LINK = "?gallery=scenes&photo=7&caption=a+pink+parasol+on+the+beach"
HERE = {query: shown for query, shown in PLACES.items() if query not in APP_ONLY}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched_page(browser) as page:
        yield page


# Whether the score of the picture is that of the ranking.
SCORES_AGREE = """() => Math.abs(document.querySelector(".headline output").dataset.similarity
    - document.querySelector(".ranked [aria-pressed=true] .score").dataset.score) < 1e-4"""


def wait_for_query(page: Page, name: str, value: str) -> None:
    script = "([name, value]) => new URLSearchParams(location.search).get(name) === value"
    page.wait_for_function(script, arg=[name, value])


def test_the_first_view_needs_no_model_and_is_small(page: Page, static_address: str) -> None:
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url: int(answer.headers.get("content-length", 0))}))
    for part in ("libraries", "model"):
        page.route(f"**/{part}-*/*", lambda route: route.abort())
    page.goto(static_address)
    expect(page.locator(".stage-canvas")).to_be_visible()
    expect(page.locator("p.kept")).to_have_text("Kept 98 of 196 patches")
    expect(page.locator(".ranked-photo")).to_have_count(24)
    expect(page.locator(".headline .place")).to_have_text("ranked 1st of 200")
    expect(page.get_by_role("button", name="Camera")).to_be_hidden()
    page.wait_for_load_state("networkidle")
    shown = {url: size for url, size in sizes.items() if url.endswith((".js", ".png", "/it/"))}
    assert len(shown) > 20 and 0 < sum(shown.values()) < FIRST_VIEW
    site = json.loads(page.locator("#site").text_content() or "")
    needed = {gallery["model"]: gallery["bytes"] for gallery in site["galleries"]}
    assert FIRST_VIEW + site["engine_bytes"] + needed["scenes"] < BUDGETS["scenes"]
    assert 0 < needed["photos"] < BUDGETS["photos"]


def test_a_caption_ranks_a_photo_opens_and_photos_of_ones_own_score_as_in_the_gallery(
    page: Page, static_address: str, tmp_path: Path
) -> None:
    page.goto(static_address)
    rows = page.locator(".ranked-photo")
    first = rows.first.get_attribute("data-index") or ""
    ready(page).fill("#caption", "a green rocket in the dark sky")
    page.press("#caption", "Enter")
    wait_for_query(page, "caption", "a green rocket in the dark sky")
    expect(rows.first).not_to_have_attribute("data-index", first)  # the new ranking is there
    expect(rows.first).to_have_attribute("aria-pressed", "true")
    rows.nth(3).click()
    wait_for_query(page, "photo", rows.nth(3).get_attribute("data-index") or "")
    page.wait_for_function(SCORES_AGREE)
    page.locator(".words button", has_text="rocket").click()
    expect(page.locator(".reading")).to_contain_text("rocket")
    page.go_back()
    expect(rows.first).to_have_attribute("aria-pressed", "true")
    page.locator("#keep").fill("20")
    expect(page.locator("p.kept")).to_have_text("Kept 40 of 196 patches")
    page.wait_for_function(SCORES_AGREE)
    page.locator(".layers .more summary").click()
    expect(page.locator(".more-list [data-layer=effect]")).to_be_visible()
    expect(page.locator(".more-list [data-layer=blurred]")).to_have_count(0)  # needs the app
    page.fill("#caption", " ")
    expect(page.get_by_role("alert")).to_contain_text("The caption is empty")
    page.locator(".sources select").select_option("examples")
    expect(page.locator(".ranked-photo")).to_have_count(14)
    page.fill("#caption", "a tabby cat with green eyes")
    wait_for_query(page, "caption", "a tabby cat with green eyes")
    expect(page.locator(".ranked-photo .title").first).to_have_text("cat")
    script = """(rows) => Object.fromEntries(rows.map((row) =>
        [row.querySelector(".title").textContent, Number(row.querySelector(".score").dataset.score)]))"""
    before = page.locator(".ranked-photo").evaluate_all(script)
    for item in examples_gallery().items[:2]:
        item.photo().save(tmp_path / f"{item.title}.png")
    files = sorted(tmp_path.glob("*.png"))
    page.set_input_files(".sources input[type=file]", files)
    expect(page.locator(".ranked-photo")).to_have_count(2)
    for name, points in page.locator(".ranked-photo").evaluate_all(script).items():
        assert points == pytest.approx(before[name.removesuffix(".png")], abs=2e-2)
    assert "photo" not in page.url
    page.evaluate(DROP, [b64encode(files[0].read_bytes()).decode(), "dropped.png"])
    expect(page.locator(".photo-title")).to_have_text("dropped.png")
    expect(page.locator("main")).to_contain_text("1 photograph ranked in")
    page.evaluate(DROP, [b64encode(b"<b>").decode(), "<img src=x onerror=alert(1)>.jpg"])
    expect(page.get_by_role("alert")).to_contain_text("cannot be read")
    assert page.locator("[role=alert] img").count() == 0
    page.reload()
    expect(ready(page).locator(".sources select")).to_have_value("scenes")


def test_every_place_is_filled_on_a_phone(page: Page, static_address: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{static_address}?lang=zh")
    ready(page)
    load_axe(page)
    for query, shown in HERE.items():
        click_to(page, query)
        expect(page.locator(shown).first).to_be_visible()
        expect(page.locator("[role=alert]:visible")).to_have_count(0)
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        assert serious_violations(page) == []


def test_links_to_what_is_not_here_say_so(page: Page, static_address: str) -> None:
    for query, role, message in (
        ("?view=edit", "note", "Only the app has Lab"),
        ("?view=paper", "note", "Only the app has Paper and code"),
        ("?view=nowhere", "note", "There is no view nowhere"),
        ("?gallery=moving&photo=0&caption=a", "problem", "moving"),
        ("?gallery=scenes&photo=900&caption=a", "problem", "900"),
        ("?gallery=scenes&photo=7&caption=a+car&mask=zz", "problem", "mask"),
    ):
        page.goto(static_address + query)
        expect(page.locator(f".message.{role}")).to_contain_text(message)
        expect(page.locator("[data-place=lab]")).to_have_count(0)


def test_after_a_visit_it_works_without_a_network(page: Page, static_address: str) -> None:
    page.goto(static_address)
    page.wait_for_function("document.body.dataset.offline === 'scenes'")
    page.context.set_offline(True)
    page.goto(f"{static_address}?caption=a+sheep")
    expect(ready(page).locator(".ranked-photo")).to_have_count(24)
    page.locator(".ranked-photo").nth(5).click()
    assert page.locator(".ranked-photo img").nth(5).evaluate("(image) => image.naturalWidth") == 224
    for place, shown in (("compare", ".seps-compare canvas"), ("learn", ".seps-lesson canvas")):
        page.locator(f"[data-place={place}]").click()
        expect(page.locator(shown).first).to_be_visible()
    page.locator("[data-part=losses]").click()
    expect(page.locator(".seps-playground .seps-chart").first).to_be_visible()
    page.get_by_role("button", name="About").click()
    expect(page.locator("dialog .notes")).to_contain_text("Kept in this browser")
    forget = """async (names) => {
        const cache = await caches.open("seps-explorer");
        const requests = (await cache.keys()).filter(({ url }) => names.some((name) => url.endsWith(name)));
        return Promise.all(requests.map((request) => cache.delete(request)));
    }"""
    assert page.evaluate(forget, ["/199.png"]) == [True]
    page.goto(f"{static_address}?gallery=scenes&caption=a+sheep&photo=199")
    expect(page.get_by_role("alert")).to_contain_text("A picture cannot be fetched")
    page.locator(".sources select").select_option("examples")
    expect(page.get_by_role("alert").first).to_contain_text("not kept in this browser")


def test_about_says_what_runs_and_an_isolated_page_takes_threads(
    page: Page, static_address: str, static_folder: Path
) -> None:
    scores = []
    with served_folder(static_folder, isolated=True) as isolated:
        for address, threads in ((static_address, 1), (f"{isolated}/below/it/", min(4, os.cpu_count() or 1))):
            page.goto(address + LINK)
            scores.append(score(ready(page)))
            page.get_by_role("button", name="About").click()
            notes = page.locator("dialog .notes")
            expect(notes).to_contain_text(f"ONNX Runtime {PACKAGES['onnxruntime-web']}")
            expect(notes).to_contain_text("in 1 thread;" if threads == 1 else f"in {threads} threads;")
            apart = re.search(r"S\(I, T\) is ([\d.]+) from the app's", notes.inner_text())
            assert apart is not None and float(apart[1]) < 1e-3
    assert abs(scores[0] - scores[1]) < 1e-5

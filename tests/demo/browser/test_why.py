"""The view "Why" in the app: filled at once, both maps of a word on one scale, reached from the other views, saved."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from demo.galleries.openings import load_openings
from demo.record.contrast import contrast_sentences, contrast_value
from demo.record.table import TABLE, say
from demo.screens.examples import FIRST_CAPTION
from demo.service.retrieval import RetrievalService
from tests.demo.browser.conftest import SCREENSHOTS
from tests.demo.browser.page import SIZES, opened, unfold
from tests.demo.browser.standalone import VEIL, centres, check_laid, open_page, page_of, photo
from tests.demo.record.test_contrast import FIRST, contrast_of, maps_of

# Playwright leaves sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

OPENINGS = load_openings()["examples"]
PAIR = "?view=why&model=photos&gallery=examples&photo=cat&caption=a+tabby+cat&against=cheetah+cub"
CAPTIONS = "?view=why&model=photos&gallery=examples&photo=cat&caption=a+tabby+cat&other=a+red+car"


def numbers(page: Page, side: str, where: str = "#why") -> list[float]:
    """The shares of one side, words and what they leave, without the sum."""
    rows = page.locator(f"{where} .seps-share-row:not([data-rest=sum]) .seps-for-{side}[data-value]")
    return [float(value) for value in rows.evaluate_all("all => all.map((one) => one.dataset.value)")]


def pictures(page: Page) -> list[Locator]:
    return page.locator("figure canvas").all()


def test_both_maps_of_a_word_are_drawn_on_one_scale(browser: Browser) -> None:
    contrast = contrast_of(FIRST, FIRST)
    value = contrast_value(contrast)
    for index, side in enumerate(value["sides"]):
        side |= {"photo": photo(), "index": index}
    options = [[0, "1. house"], [1, "2. boat"]]
    value |= {"key": 1, "model": "random", "captions": False, "options": options, "layer": "mask", "link": None}
    page = open_page(browser, page_of("why", value))
    rows = page.locator(".seps-why-rows button")
    assert rows.count() == len(contrast.words)
    _, parts, *plain = contrast_sentences(contrast)
    expect(page.locator(".seps-told")).to_have_text(" ".join(plain))
    expect(page.get_by_text(parts)).to_be_hidden()
    page.get_by_text(TABLE["fold"]["numbers"]).click()
    expect(page.get_by_text(parts)).to_be_visible()
    differences = page.locator(".seps-why-rows small").evaluate_all("all => all.map((one) => +one.dataset.difference)")
    assert differences == sorted(differences, reverse=True)
    for part in contrast.words[:2]:
        page.locator(f".seps-why-rows [data-word='{part.number}']").click()
        maps = maps_of(contrast, part)
        high = max(values.max() for values in maps)
        for canvas, values in zip(pictures(page), maps, strict=True):
            check_laid(centres(canvas, (4, 6)), values, 0, high, 0.75)
        ends = page.locator(".seps-legend output").evaluate_all("all => all.map((one) => +one.dataset.value)")
        assert ends == pytest.approx([0, high])
    assert page.evaluate("window.triggered.at(-1)") == ["layer", {"layer": contrast.words[1].layer}]
    page.keyboard.press("Escape")
    expect(page.locator(".seps-overview")).to_have_attribute("aria-pressed", "true")
    marked = centres(pictures(page)[0], (4, 6))
    assert not (marked == VEIL).all()
    page.get_by_label("The right photo").select_option("0")
    assert page.evaluate("window.triggered.at(-1)") == ["choose", {"side": "right", "index": 0}]
    page.context.close()


def test_a_dense_captions_share_stands_with_the_rest(browser: Browser) -> None:
    contrast = contrast_of(FIRST, FIRST, paper=False, dense=9)  # the released variant aligns a dense caption by itself
    value = contrast_value(contrast)
    for index, side in enumerate(value["sides"]):
        side |= {"photo": photo(), "index": index}
    options = [[0, "1. house"], [1, "2. boat"]]
    value |= {"key": 1, "model": "random", "captions": False, "options": options, "layer": "mask", "link": None}
    page = open_page(browser, page_of("why", value))
    for side, shown in (("left", contrast.left), ("right", contrast.right)):
        dense = page.locator(f"[data-rest=dense] .seps-for-{side}")
        assert float(dense.get_attribute("data-value") or "") == pytest.approx(shown.dense) != 0
        attributions = numbers(page, side, "#place")
        assert sum(attributions) == pytest.approx(shown.record.similarity, abs=1e-5)
        total = page.locator(f"[data-rest=sum] .seps-for-{side}")
        assert float(total.get_attribute("data-value") or "") == pytest.approx(sum(attributions), abs=1e-6)
    reading = page.locator(".seps-reading")
    expect(reading).to_have_text(say("why.words"))
    page.locator("[data-word]").last.focus()
    for name, meaning in (*((part["name"], part["says"]) for part in value["rest"]), ("sum", say("why.sum_means"))):
        page.keyboard.press("Tab")  # what a row below the words means is told to who has no pointer too
        row = page.locator(f"[data-rest={name}]")
        expect(row).to_be_focused()
        page.keyboard.press("Enter")
        expect(row).to_have_attribute("aria-pressed", "true")
        expect(reading).to_have_text(meaning)
    page.keyboard.press("Escape")
    expect(reading).to_have_text(say("why.words"))
    page.context.close()


def test_it_opens_filled_and_shares_add_up(browser: Browser, address: str, service: RetrievalService) -> None:
    caption = OPENINGS["why"]["captions"][0]
    ranking = service.rank_images(service.find("examples"), caption)
    with opened(browser, address) as page:
        page.get_by_role("tab", name="Why", exact=True).click()
        expect(page.locator("#why canvas")).to_have_count(2)
        expect(page.locator("#why-caption textarea")).to_have_value(caption)
        expect(page).to_have_url(re.compile("view=why&model=photos&gallery=examples&photo=.*&against="))
        for place, side in enumerate(("left", "right")):
            assert sum(numbers(page, side)) == pytest.approx(ranking.scores[place], abs=1e-4)
        expect(page.locator("#why .seps-order")).to_contain_text(f"For “{caption}”")


@pytest.mark.journey
def test_a_word_is_chosen_by_keyboard_and_stands_in_the_address(browser: Browser, address: str) -> None:
    with opened(browser, address, PAIR, canvas="#why canvas", kept=True) as page:
        first = page.locator("#why .seps-why-rows button").first
        first.press("Enter")
        expect(first).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#why .seps-reading")).to_contain_text("of S for cat")
        expect(page).to_have_url(re.compile(r"layer=word%3A\d$"))
        link = page.url
        page.keyboard.press("Escape")
        expect(page).not_to_have_url(re.compile("layer"))
        rocket = page.locator("#why [data-side=right] option", has_text="rocket").get_attribute("value")
        page.get_by_label("The right photo").select_option(rocket)
        expect(page).to_have_url(re.compile("against=rocket"))
    with opened(browser, address, link.removeprefix(address).lstrip("/"), canvas="#why canvas", kept=True) as page:
        expect(page.locator("#why .seps-why-rows button[aria-pressed=true]")).to_have_count(1)


def test_photos_captions_and_compare_lead_here(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed, texts = service.find("examples"), ["a red car", "an orange flower", "a dog"]
    place = indexed.gallery.position(OPENINGS["compare"]["photo"])
    best, other, _ = sorted(texts, key=lambda text: -service.explain(indexed, place, text).similarity)
    with opened(browser, address) as page:
        page.locator("#ranking .row").nth(3).click()
        title = page.locator("#ranking .title").nth(3).inner_text()
        expect(page.locator("#viewer .seps-credit")).to_contain_text(title)
        page.locator("#ranking").get_by_role("button", name="Why this order?").click()
        expect(page.locator("#why canvas").first).to_be_visible()
        expect(page.locator("#why [data-side=right] select option:checked")).to_contain_text(f"4. {title}")
        expect(page).to_have_url(re.compile("view=why.*&against="))
        page.get_by_role("tab", name="Captions", exact=True).click()
        page.locator("#captions-ranking").get_by_role("button", name="Why this order?").click()
        expect(page.locator("#why .seps-caption")).to_have_count(2)
        expect(page).to_have_url(re.compile("view=why.*&other="))
        page.get_by_role("tab", name="Compare", exact=True).click()
        expect(page.locator("#compare figure")).to_have_count(len(OPENINGS["compare"]["captions"]))
        page.locator("#compare-captions textarea").fill("\n".join(texts))
        expect(page.locator("#compare figure")).to_have_count(3)
        expect(page.locator("#compare [data-item=A]")).to_contain_text("a red car")
        page.locator("#compare").get_by_role("button", name="Why this order?").click()
        expect(page.locator("#why-caption textarea")).to_have_value(best)
        expect(page.locator("#why-other textarea")).to_have_value(other)
        page.locator("#why-other textarea").fill("")
        expect(page.locator("#why .seps-caption")).to_have_count(0)
        expect(page).to_have_url(re.compile("&against="))


def test_photos_ranked_with_a_dense_caption_lead_here_with_it(
    browser: Browser, address: str, service: RetrievalService
) -> None:
    indexed, dense = service.find("examples"), "a bright orange flower with many thin petals stands in a garden"
    ranking = service.rank_images(indexed, FIRST_CAPTION, dense)
    with opened(browser, address) as page:
        unfold(page, "Dense caption")
        page.locator("#dense textarea").fill(dense)
        expect(page.locator("#ranking h4")).to_have_text(["Caption only", "With dense caption"])
        page.locator("#ranking").get_by_role("button", name="Why this order?").click()
        expect(page.locator("#why .seps-told")).to_contain_text("A dense caption is used")
        expect(page).to_have_url(re.compile("view=why.*dense="))
        link = page.url
        for place, side in enumerate(("left", "right")):
            assert sum(numbers(page, side)) == pytest.approx(ranking.scores[place], abs=1e-4)
            total = page.locator(f"#why [data-rest=sum] .seps-for-{side}").get_attribute("data-value")
            assert float(total or "") == pytest.approx(ranking.scores[place], abs=1e-4)
            alone = service.explain(indexed, ranking.order[place], FIRST_CAPTION).similarity
            assert abs(ranking.scores[place] - alone) > 1e-3
    with opened(browser, address, link.removeprefix(address).lstrip("/"), canvas="#why canvas") as page:
        assert sum(numbers(page, "left")) == pytest.approx(ranking.scores[0], abs=1e-4)


def test_what_stands_there_is_saved(browser: Browser, address: str, tmp_path: Path) -> None:
    with opened(browser, address, CAPTIONS, canvas="#why canvas") as page:
        for kind in ("CSV", "PNG", "JSON"):
            with page.expect_download() as saving:
                page.locator("#why").get_by_role("button", name=f"Download as {kind}").click()
            saving.value.save_as(tmp_path / f"why.{kind.lower()}")
        with (tmp_path / "why.csv").open(encoding="utf-8-sig", newline="") as file:
            *parts, total = csv.DictReader(file)
        for side in ("left", "right"):
            assert sum(float(part[side] or 0) for part in parts) == pytest.approx(float(total[side]), abs=1e-4)
            assert sum(numbers(page, side)) == pytest.approx(float(total[side]), abs=1e-4)
        assert (tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("query", [PAIR, CAPTIONS], ids=["photos", "captions"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_size_fits(browser: Browser, address: str, scheme: str, query: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    kind = "captions" if query == CAPTIONS else "photos"
    with opened(browser, address, query, SIZES["1366x768"], scheme, canvas="#why canvas") as page:
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(400)
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
            page.evaluate("window.scrollTo(0, 0)")
            page.screenshot(path=SCREENSHOTS / f"why-{kind}-{size}-{scheme}.png", full_page=width < 500)
            page.locator("#why .seps-why-rows button").first.click()
            page.wait_for_timeout(200)
            page.screenshot(path=SCREENSHOTS / f"why-{kind}-word-{size}-{scheme}.png", full_page=width < 500)
            page.keyboard.press("Escape")
            tab = page.get_by_role("tab", name="Why", exact=True).bounding_box()
            assert tab is not None and tab["x"] >= 0 and tab["x"] + tab["width"] <= width
            if size == "1366x768":
                expect(page.locator("#why [data-rest=sum]")).to_be_in_viewport()
                continue
            targets = page.locator("#why button:visible, #why select:visible").all()
            sizes = [box for target in targets if (box := target.bounding_box())]
            assert len(sizes) > 8
            assert min(min(box["width"], box["height"]) for box in sizes) >= 44

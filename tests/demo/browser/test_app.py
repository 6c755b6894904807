"""The app as a person meets it: searching, reading a picture, comparing, links, keyboard, phone."""

from __future__ import annotations

import json
import re
import urllib.request

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from demo.screens.examples import FIRST_CAPTION, FIRST_PHOTO
from demo.service.retrieval import RetrievalService
from tests.demo.browser.conftest import SCREENSHOTS
from tests.demo.browser.page import SIZES, VEIL, opaque, opened, patch_colours, shown, titles, unfold

# Playwright leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


def expect_kept(canvas: Locator, service: RetrievalService, photo: str, caption: str) -> None:
    """At full opacity the veil lies where, and only where, the library's record dropped the patch."""
    indexed = service.find("examples")
    record = service.explain(indexed, indexed.gallery.position(photo), caption)
    dropped = (np.abs(patch_colours(canvas, record.grid) - VEIL) <= 2).all(axis=1)
    np.testing.assert_array_equal(dropped, ~record.sparse.kept)


def expect_score(viewer: Locator, score: float) -> None:
    """The viewer shows a pair of this score, to four decimals but for the last one's rounding."""
    near = "|".join(re.escape(f"{score + step / 10_000:.4f}") for step in (-1, 0, 1))
    expect(viewer.locator(".seps-terms output")).to_have_text(re.compile(near))


@pytest.mark.journey
def test_a_worked_example_is_there_on_load(browser: Browser, address: str, service: RetrievalService) -> None:
    with opened(browser, address, kept=True) as page:
        expect(page.locator("#caption textarea")).to_have_value(FIRST_CAPTION)
        indexed = service.find("examples")
        ranking = service.rank_images(indexed, FIRST_CAPTION)
        assert titles(page) == [indexed.gallery.items[index].title for index in ranking.order]
        assert page.locator("#ranking .score").first.inner_text() == f"{ranking.scores[0]:.3f}"
        expect(page.locator("#ranking .row").first).to_have_attribute("aria-pressed", "true")
        expect(shown(page)).to_have_attribute("aria-label", re.compile(r"^98 of 196 patches kept"))
        opaque(page)
        expect_kept(shown(page), service, indexed.gallery.items[ranking.order[0]].key, FIRST_CAPTION)
        terms = page.locator("#viewer .seps-terms li[data-term]").evaluate_all(
            "all => all.map((li) => +li.dataset.value)"
        )
        assert sum(terms) == pytest.approx(ranking.scores[0], abs=1e-4)


@pytest.mark.journey
def test_typing_reorders_the_gallery_and_a_click_opens_a_photo(
    browser: Browser, address: str, service: RetrievalService
) -> None:
    caption = "a motorcycle parked indoors"
    indexed = service.find("examples")
    ranking = service.rank_images(indexed, caption)
    expected = [indexed.gallery.items[index].title for index in ranking.order]
    with opened(browser, address, kept=True) as page:
        before = titles(page)
        page.locator("#caption textarea").press_sequentially(" and more", delay=20)
        page.locator("#caption textarea").fill(caption)
        expect(page.locator("#ranking .title").first).to_have_text(expected[0])
        expect_score(page.locator("#viewer"), ranking.scores[0])
        assert titles(page) == expected != before
        assert page.locator("#ranking .change.up").count() > 0
        page.locator("#ranking .row", has_text=expected[4]).click()
        expect(page.locator("#viewer .seps-credit")).to_contain_text(expected[4])
        opaque(page)
        expect_kept(shown(page), service, indexed.gallery.items[ranking.order[4]].key, caption)
        page.locator("#examples .chip", has_text="a motorcycle parked indoors").click()
        expect(page.locator("#caption textarea")).to_have_value("a motorcycle parked indoors")
        expect(page.locator("#ranking .title").first).to_have_text("motorcycle")


def test_a_dense_caption_brings_both_rankings(browser: Browser, address: str, service: RetrievalService) -> None:
    dense = service.find("examples").gallery.items[1].dense or ""
    with opened(browser, address) as page:
        unfold(page, "Dense caption")
        expect(page.get_by_text("not the same task")).to_be_visible()
        page.locator("#dense textarea").fill(dense)
        expect(page.locator("#ranking h4")).to_have_text(["Caption only", "With dense caption"])
        expect(page.locator('#viewer [data-branch="dense"]')).to_be_visible()
        page.locator('#viewer [data-branch="both"]').click()
        expect(shown(page)).to_have_attribute("aria-label", re.compile("both"))


def test_a_word_lights_the_patches_that_it_met(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    record = service.explain(indexed, indexed.gallery.position(FIRST_PHOTO), FIRST_CAPTION)
    words = record.sparse_alignment
    with opened(browser, address) as page:
        opaque(page)
        page.locator("#viewer [data-layer=score]").click()
        scores = patch_colours(shown(page), record.grid)
        number = len(words.words) - 2  # the last word
        page.locator(f'#viewer [data-word="{number}"]').hover()
        expect(page.locator(f'#viewer [data-word="{number}"]')).to_have_class(re.compile("seps-lit"))
        lit = patch_colours(shown(page), record.grid)
        assert (lit != scores).any()
        best = int(words.word_maps[number].argmax())
        np.testing.assert_allclose(lit[best], (253, 231, 36), atol=3)  # viridis' upper end
        cosine = words.cosines[:, number].max()
        expect(page.locator("#viewer .seps-reading")).to_contain_text(
            f"similarity {cosine:.3f} with {words.tokens[words.best_token[number]]}"
        )


def test_captions_are_ranked_and_marked(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    index = indexed.gallery.position("coffee")
    with opened(browser, address) as page:
        page.get_by_role("tab", name="Captions", exact=True).click()
        page.locator("#captions-strip").get_by_role("button", name="coffee").click()
        ranking = service.rank_captions(indexed, index, "examples")
        rows = page.locator("#captions-ranking .caption")
        expect(rows.first).to_have_text(ranking.captions[0])
        assert rows.all_inner_texts() == ranking.captions[:30]
        right = sum(correct is True for correct in ranking.correct[:30])
        expect(page.locator("#captions-ranking .row.right")).to_have_count(right)
        hit = {True: "hit", False: "miss"}
        line = ", ".join(f"R@{k} {hit[name]}" for k, name in ranking.hits().items())
        expect(page.locator("#captions-ranking .recall")).to_contain_text(line)
        page.locator("#captions-typed textarea").fill("a zebra on the moon")
        expect(page.locator("#captions-ranking .line").first).to_contain_text(f"{len(ranking.captions) + 1} captions")
        page.locator("#captions-ranking .row").nth(2).click()
        again = service.rank_captions(indexed, index, "examples", "a zebra on the moon")
        expect_score(page.locator("#captions-viewer"), again.scores[2])
        opaque(page, "#captions-viewer")
        expect_kept(shown(page, "#captions-viewer"), service, "coffee", again.captions[2])


@pytest.mark.journey
def test_three_captions_side_by_side(browser: Browser, address: str, service: RetrievalService) -> None:
    captions = ["a cup of espresso", "the wooden table", "a spoon"]
    indexed = service.find("examples")
    records = [service.explain(indexed, indexed.gallery.position("coffee"), caption) for caption in captions]
    with opened(browser, address, kept=True) as page:
        page.get_by_role("tab", name="Compare").click()
        page.locator("#compare-strip").get_by_role("button", name="coffee").click()
        expect(page.locator("#compare .seps-credit")).to_contain_text("coffee")
        page.locator("#compare-captions textarea").fill("\n".join(captions))
        expect(page.locator("#compare figure")).to_have_count(3)
        expect(page.locator("#compare")).to_contain_text("the wooden table")
        cells = page.locator("#compare table.seps-overlap td[data-value]")
        overlaps = [float(str(cell.get_attribute("data-value"))) for cell in cells.all()]
        kept = [record.sparse.kept for record in records]
        for first, mask in enumerate(kept):
            for second, other in enumerate(kept):
                expected = (mask & other).sum() / (mask | other).sum()
                assert overlaps[3 * first + second] == pytest.approx(expected, abs=1e-6)
        page.locator("#compare [data-layer=score]").click()
        low = min(float(record.sparse.score.min()) for record in records)
        expect(page.locator("#compare .seps-legend .low")).to_have_attribute(
            "data-value", re.compile(re.escape(f"{low:.4f}"[:5]))
        )
        page.locator("#compare-captions textarea").fill("alone")
        expect(page.locator("#compare-said .problem")).to_contain_text("1 captions are there, but 2 to 6")
        expect(page.locator("#compare figure")).to_have_count(3)


@pytest.mark.parametrize("caption", ["", "🐶🐱", "a " * 5000])
def test_a_caption_that_cannot_be_read_is_told_and_nothing_is_lost(
    browser: Browser, address: str, caption: str
) -> None:
    with opened(browser, address) as page:
        before = titles(page)
        page.locator("#caption textarea").fill(caption)
        expect(page.locator("#said .problem")).to_contain_text("caption")
        assert titles(page) == before
        page.locator("#caption textarea").fill("<b>a cat</b> & <script>alert(1)</script>")
        expect(page.locator("#said .problem")).to_have_count(0)
        expect(page.locator("#viewer")).to_contain_text("script")


@pytest.mark.journey
def test_the_address_brings_the_view_back(browser: Browser, address: str, service: RetrievalService) -> None:
    with opened(browser, address, kept=True) as page:
        page.locator("#caption textarea").fill("a tall rocket")
        expect(page).to_have_url(re.compile("photo=.*caption=a\\+tall\\+rocket"))  # ranked, not typed alone
        page.locator("#ranking .row", has_text="rocket").click()
        expect(page).to_have_url(re.compile("photo=rocket"))
        page.locator("#viewer [data-layer=s_st]").click()
        expect(page).to_have_url(re.compile("layer=s_st"))
        link = page.url
    with opened(browser, address, link.removeprefix(address + "/"), kept=True) as page:
        expect(page.locator("#caption textarea")).to_have_value("a tall rocket")
        expect(page.locator("#viewer .seps-credit")).to_contain_text("rocket")
        expect(page.locator("#viewer [data-layer=s_st]")).to_have_attribute("aria-pressed", "true")
    with opened(
        browser, address, "?view=compare&gallery=examples&photo=cat&caption=the+eyes%0Athe+ears", kept=True
    ) as page:
        expect(page.locator("#compare figure")).to_have_count(2)


@pytest.mark.journey
def test_a_row_pressed_before_the_new_ranking_is_there_opens_for_what_was_typed(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        held: list[Route] = []

        def late(route: Route) -> None:  # the server is asked late about what is typed
            if not held and "a tall rocket" in (route.request.post_data or ""):
                held.append(route)
            else:
                route.continue_()

        page.route("**/queue/join*", late)
        page.locator("#caption textarea").fill("a tall rocket")
        row = page.locator("#ranking .row:not([aria-pressed=true])").nth(2)
        photo = row.locator(".title").inner_text()
        row.click()
        while not held:
            page.wait_for_timeout(20)
        held[0].continue_()
        expect(page.locator("#viewer .seps-credit")).to_contain_text(photo)
        expect(page).to_have_url(re.compile("caption=a\\+tall\\+rocket"))
        expect(page.locator("#viewer [data-word]", has_text="rocket").first).to_be_visible()
        pressed = page.locator("#ranking .row[aria-pressed=true]")
        expect(pressed).to_have_count(1)
        expect(pressed).to_contain_text(photo)


@pytest.mark.journey
def test_everything_works_by_keyboard(browser: Browser, address: str) -> None:
    def focus(page: Page, selector: str, most: int = 60) -> None:
        for _ in range(most):
            if page.evaluate("selector => document.activeElement.closest(selector) !== null", selector):
                return
            page.keyboard.press("Tab")
        pytest.fail(f"{selector} is not reached within {most} tabs")

    with opened(browser, address, kept=True) as page:
        page.locator("#caption textarea").focus()
        focus(page, "#ranking .row:not([aria-pressed=true])")
        page.keyboard.press("Enter")
        second = page.locator("#ranking .row").nth(1)
        expect(second).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#viewer .seps-credit")).to_contain_text(second.locator(".title").inner_text())
        focus(page, "#viewer [data-word='3']")
        page.keyboard.press("Enter")
        expect(page.locator("#viewer [data-word='3']")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Escape")
        expect(page.locator("#viewer [data-word='3']")).to_have_attribute("aria-pressed", "false")
        focus(page, "#viewer [data-layer=tokens]")
        page.keyboard.press("Space")
        expect(page.locator("#viewer .seps-multiples [data-token]")).to_have_count(39)
        page.locator("#viewer [data-layer=mask]").press("Enter")
        shown(page).focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#viewer .seps-reading")).to_contain_text("Row 2, column 1")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_every_screen_fits(browser: Browser, address: str, scheme: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    with opened(browser, address, "", SIZES["1366x768"], scheme) as page:
        for tab in ("Photos", "Captions", "Compare", "Lesson", "About"):
            page.get_by_role("tab", name=tab, exact=True).click()
            expect(page.locator("canvas:visible, .prose:visible").first).to_be_visible()
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(300)  # what glides has come to rest
                overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert overflow <= 0
                page.screenshot(path=SCREENSHOTS / f"{tab.lower()}-{size}-{scheme}.png", full_page=size == "390x844")
                if size == "1366x768" and tab == "Photos":
                    for part in ("#caption", "#ranking .row >> nth=0", "#viewer .seps-stage", "#viewer .seps-terms"):
                        box = page.locator(part).bounding_box()
                        assert box is not None
                        assert box["y"] >= 0
                        assert box["y"] + box["height"] <= 768
            page.set_viewport_size({"width": 1366, "height": 768})


def test_the_record_in_the_browser_is_the_librarys(browser: Browser, address: str, service: RetrievalService) -> None:
    indexed = service.find("examples")
    record = service.explain(indexed, indexed.gallery.position(FIRST_PHOTO), FIRST_CAPTION)
    with opened(browser, address) as page:
        values = page.locator("#viewer .seps-terms li[data-term]").evaluate_all(
            "all => all.map((li) => [li.dataset.term, +li.dataset.value])"
        )
        terms = {str(name).removeprefix("sparse "): value for name, value in values}
        expected = {name.removeprefix("sparse "): value for name, value in record.terms.items()}
        assert terms == pytest.approx(expected, abs=1e-5), json.dumps(terms)


def test_answers_that_take_long_mark_what_they_will_replace(address: str) -> None:
    with urllib.request.urlopen(f"{address}/config", timeout=60) as answer:
        config = json.load(answer)
    components = config["components"]
    drawn = {each["id"] for each in components if "window.seps" in str(each["props"].get("js_on_load"))}
    checked = 0
    events = {event["id"]: event for event in config["dependencies"]}
    for event in events.values():
        asked = event if event["trigger_after"] is None else events[event["trigger_after"]]
        opens = {name for _, name in asked["targets"]} & {"input", "upload"}  # another gallery, or other pictures
        if not opens or event["show_progress"] != "minimal":
            continue
        answers = drawn.intersection(event["outputs"])
        assert answers <= set(event["show_progress_on"] or event["outputs"]), event
        checked += bool(answers)
    assert checked >= 8


def test_no_two_answers_to_the_same_act_are_written_into_the_same_place(address: str) -> None:
    # They come in any order: the line that something is opened would replace the line that it cannot be.
    with urllib.request.urlopen(f"{address}/config", timeout=60) as answer:
        config = json.load(answer)
    written: dict[tuple[int, str], set[int]] = {}
    for event in config["dependencies"]:
        if event["trigger_after"] is not None:
            continue
        for component, name in event["targets"]:
            if name in ("click", "select"):  # of endpoints, which nobody clicks, and of tabs: one alone has an answer
                continue
            outputs = set(event["outputs"])
            before = written.setdefault((component, name), set())
            assert not before & outputs, (event["api_name"], name)
            before |= outputs
    assert len(written) > 60

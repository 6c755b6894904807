"""The judge in the app, with the judge that ships: scales, shares, spoilt copies, a second prompt, several pictures."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import pytest
from demo.views.examples import FIRST_CAPTION, FIRST_PHOTO
from gradio_client import Client, handle_file  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect

from demo.galleries.packaged import load_examples
from demo.record.packing import pack_array
from seps.judge import Judge, load_judge
from tests.demo.browser.conftest import SCREENSHOTS
from tests.demo.browser.page import SIZES, opened
from tests.demo.browser.standalone import centres, open_page, page_of, photo

# Playwright and gradio_client leave sockets to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PROMPT, OTHER = "a tabby cat with green eyes", "a red car in the snow"
LINK = "?view=judge&model=photos&gallery=examples&photo=cat&caption=" + PROMPT.replace(" ", "+")


@pytest.fixture(scope="module")
def judge() -> Judge:
    return load_judge()


def judgement(attributions: list[float]) -> dict[str, Any]:
    """What the view hands to the script: two rows of three patches, and one scale."""
    score = {"name": "quality", "title": "Quality", "says": "told"}
    numbers = {"base": 0.5, "correction": 0.1, "final": 0.6, "low": 0.3, "high": 0.7}
    drawn = {"grid": [2, 3], "values": pack_array(np.array(attributions)), "most": max(map(abs, attributions))}
    return {
        "key": 1,
        "photo": photo(),
        "scales": [score | numbers],
        "moved": "",
        "shares": drawn | {"says": "", "alternative": ""},
        "link": None,
    }


def test_shares_and_scales_are_drawn_from_their_numbers(browser: Browser) -> None:
    page = open_page(browser, page_of("judge", judgement([0.4, -0.4, 0.0, 0.2, -0.2, 0.0])))
    colours = centres(page.locator("canvas"), (2, 3))
    assert (colours[[2, 5]].max(axis=1) - colours[[2, 5]].min(axis=1) <= 2).all()  # no share, no colour
    assert (colours[[0, 3], 1] - colours[[0, 3], 0] > 20).all()  # for: green over red
    assert (colours[[1, 4], 0] - colours[[1, 4], 2] > 20).all()  # against: red over blue
    assert colours[0, 1] - colours[0, 0] > colours[3, 1] - colours[3, 0]  # the stronger, the fuller
    assert [end.get_attribute("data-value") for end in page.locator(".seps-legend output").all()] == [
        "-0.4",
        "0.4",
    ]
    axis, band, tick, dot = (
        page.locator(f".seps-score-scale {part}").bounding_box()
        for part in (".seps-axis", ".seps-band", ".seps-base-tick", ".seps-score-dot")
    )
    assert axis is not None and band is not None and tick is not None and dot is not None

    def at(place: float) -> float:
        return (place - axis["x"]) / axis["width"]

    assert [at(band["x"]), at(band["x"] + band["width"])] == pytest.approx([0.3, 0.7], abs=0.01)
    assert at(tick["x"] + tick["width"] / 2) == pytest.approx(0.5, abs=0.01)
    assert at(dot["x"] + dot["width"] / 2) == pytest.approx(0.6, abs=0.01)
    page.get_by_label("Shares").uncheck()
    plain = centres(page.locator("canvas"), (2, 3))
    assert (plain.max(axis=1) - plain.min(axis=1) > 20).all()  # the photo in its own colours
    page.context.close()


def final(page: Page, name: str) -> float:
    """A score on its scale."""
    return float(page.locator(f"#judge [data-score={name}]").get_attribute("data-final") or "")


def spoilt(page: Page) -> None:
    """Scroll to the spoilt copies and wait until they are judged."""
    page.locator("#judge-spoil").scroll_into_view_if_needed()
    expect(page.locator("#judge-spoil [data-chart=quality]")).to_be_visible()
    expect(page.locator("#judge-spoil .seps-spoiling")).to_be_hidden()


@pytest.mark.journey
def test_the_view_opens_filled_and_links_lead_back(browser: Browser, address: str, judge: Judge) -> None:
    picture = next(example for example in load_examples() if example.name == "cat").photo()
    expected = judge.score(picture, PROMPT)
    with opened(browser, address, kept=True) as page:
        page.get_by_role("tab", name="Judge", exact=True).click()
        expect(page.locator("#judge canvas")).to_be_visible()
        expect(page.locator("#judge-prompt textarea")).to_have_value(FIRST_CAPTION)
        expect(page).to_have_url(
            re.compile(f"view=judge&model=photos&gallery=examples&photo={quote_plus(FIRST_PHOTO)}")
        )
        expect(page.locator("#judge-words .seps-stage > canvas")).to_be_visible()
    with opened(browser, address, LINK + "&spoil=noise&strength=0.5", canvas="#judge canvas", kept=True) as page:
        assert final(page, "quality") == pytest.approx(expected.quality.final, abs=2e-3)
        assert final(page, "consistency") == pytest.approx(expected.consistency.final, abs=2e-3)
        expect(page.locator("#judge [data-score=quality] p").first).to_contain_text(
            re.compile("To the judge it looks .*on a scale from 0, worst, to 1, best")
        )
        spoilt(page)
        expect(page.locator("#judge-spoil [data-kind=noise]")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#judge-spoil .seps-reading")).to_contain_text("At strength 0.5")
        slider = page.locator("#judge-spoil input[type=range]")
        slider.press("End")
        expect(page.locator("#judge-spoil .seps-reading")).to_contain_text("At strength 1.0")
        expect(page).to_have_url(re.compile(r"spoil=noise&strength=1$"))
        page.locator("#judge-spoil [data-kind=blur]").click()
        expect(page.locator("#judge-spoil .seps-reading")).to_contain_text("At strength 1.0")
        expect(page).to_have_url(re.compile(r"spoil=blur&strength=1$"))


def test_a_patch_tells_its_share_and_a_second_prompt_leaves_quality(browser: Browser, address: str) -> None:
    with opened(browser, address, LINK, canvas="#judge canvas") as page:
        page.locator("#judge canvas").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#judge .seps-reading")).to_have_text(
            re.compile(r"Row 1, column 1 (raises|lowers) quality \([+-]0\.\d{4}\)\.")
        )
        quality, consistency = final(page, "quality"), final(page, "consistency")
        page.locator("#judge-other textarea").fill(OTHER)
        expect(page.locator("#judge [data-score=other]")).to_be_visible()
        assert (final(page, "quality"), final(page, "consistency")) == (quality, consistency)
        assert final(page, "other") < consistency
        expect(page.locator("#judge .seps-moved")).to_contain_text("it never sees the prompt")
        expect(page).to_have_url(re.compile(r"&other=a\+red\+car\+in\+the\+snow$"))
        spoilt(page)
        expect(page.locator("#judge-spoil [data-curve=other-final]")).to_have_count(1)


def test_several_pictures_are_sorted_opened_and_saved(browser: Browser, address: str, tmp_path: Path) -> None:
    with opened(browser, address, LINK, canvas="#judge canvas") as page:
        page.get_by_role("button", name="Judge all 14 photographs").click()
        cards = page.locator("#judge-several li button")
        expect(cards).to_have_count(14)
        page.locator("#judge-several [data-sort=consistency]").click()
        finals = page.locator("#judge-several .seps-sorted").evaluate_all("all => all.map((one) => +one.dataset.score)")
        assert finals == sorted(finals, reverse=True)
        with page.expect_download() as saving:
            page.get_by_label("Download the scores as CSV").click()
        saving.value.save_as(tmp_path / "scores.csv")
        with (tmp_path / "scores.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [float(row["consistency_final"]) for row in rows] == pytest.approx(finals, abs=1e-5)
        cards.nth(13).click()
        expect(page.locator("#judge-prompt textarea")).to_have_value(PROMPT)
        expect(page.locator("#judge .seps-credit")).to_contain_text(rows[13]["title"])


def test_pictures_of_ones_own_are_judged_together(browser: Browser, address: str, tmp_path: Path) -> None:
    files = []
    for example in load_examples()[:3]:
        files.append(tmp_path / f"{example.name}.png")
        example.photo().resize((160, 120)).save(files[-1])
    with opened(browser, address, LINK, canvas="#judge canvas") as page:
        page.get_by_role("button", name="Several pictures of one prompt").click()
        page.locator("#judge-uploads input[type=file]").set_input_files(files)
        expect(page.locator("#judge-several li")).to_have_count(3)
        expect(page.locator("#judge-prompt textarea")).to_have_value(PROMPT)
        expect(page).not_to_have_url(re.compile("view="))  # what is a person's own has no link


def test_a_program_judges(address: str, judge: Judge, tmp_path: Path) -> None:
    client = Client(address, verbose=False)
    try:
        picture = next(example for example in load_examples() if example.name == "cat").photo()
        answer: Any = client.predict(None, "examples/cat", PROMPT, api_name="/judge")
        expected = judge.score(picture, PROMPT)
        assert answer["quality"]["final"] == pytest.approx(expected.quality.final, abs=1e-3)
        assert sum(answer["shares"]) == pytest.approx(answer["logit"], abs=1e-4)
        picture.save(tmp_path / "cat.png")
        again: Any = client.predict(handle_file(tmp_path / "cat.png"), "", PROMPT, api_name="/judge")
        assert again["consistency"]["final"] == pytest.approx(expected.consistency.final, abs=0.03)
    finally:
        client.close()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_every_size_fits(browser: Browser, address: str, scheme: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    with opened(
        browser, address, LINK + "&other=a+red+car&spoil=noise&strength=0.3", SIZES["1366x768"], scheme
    ) as page:
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            spoilt(page)
            page.wait_for_timeout(400)
            assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
            page.evaluate("window.scrollTo(0, 0)")
            page.screenshot(path=SCREENSHOTS / f"judge-{size}-{scheme}.png")
            page.screenshot(path=SCREENSHOTS / f"judge-whole-{size}-{scheme}.png", full_page=True)
            tab = page.get_by_role("tab", name="Judge", exact=True).bounding_box()
            assert tab is not None and tab["x"] >= 0 and tab["x"] + tab["width"] <= width
            about = page.get_by_role("tab", name="About", exact=True)
            about.scroll_into_view_if_needed()
            expect(about).to_be_in_viewport()
            if size == "1366x768":
                for part in ("#judge [data-score=quality]", "#judge [data-score=consistency]"):
                    box = page.locator(part).bounding_box()
                    assert box is not None and box["y"] + box["height"] <= height

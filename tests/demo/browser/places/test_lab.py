"""Lab and Learn on the new page: series of drawings, captions of photos, pictures judged together, a talk."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.demo.browser.places.conftest import Opener

PHOTOS = Path(__file__).parents[4] / "assets" / "galleries" / "photos"


def test_drawings_are_stopped_and_refused_and_each_of_a_series_is_explained(visit: Opener) -> None:
    page = visit("?view=lab&part=generate")
    expect(page.locator(".seps-looks canvas")).to_have_count(2)
    page.locator("details", has=page.locator("#draw-steps")).locator("summary").click()
    page.fill("#draw-steps", "100")
    page.locator("[data-do=draw]").click()
    expect(page.locator(".seps-generate progress")).to_be_visible()
    page.locator("[data-do=stop]").click()
    expect(page.get_by_role("alert")).to_contain_text("Cancelled")
    expect(page.locator("[data-do=draw]")).to_be_enabled()
    page.fill("#generate-caption", "x" * 3000)
    page.locator("[data-do=draw]").click()
    expect(page.get_by_role("alert")).to_contain_text("3,000")
    page.fill("#draw-steps", "10")
    page.fill("#draw-seed", "3")
    page.fill("#generate-caption", "a white sheep and a green tree in the park")
    page.locator("[data-do=series]").click()
    expect(page.locator(".seps-seeds button")).to_have_count(4)
    expect(page.locator(".seps-seeds .seps-quiet")).to_have_count(4)  # the scores come with the finished pictures
    expect(page.locator(".seps-generate .seps-reading")).to_contain_text("seed 3")
    page.locator(".seps-looks [data-token='2']").click()
    page.locator("[data-seed='5']").click()
    expect(page.locator(".seps-generate .seps-reading")).to_contain_text("seed 5")
    expect(page.locator(".seps-told .seps-statements li")).not_to_have_count(0)
    expect(page.locator(".seps-looks [data-token='2']")).to_have_attribute("aria-pressed", "true")
    for part in ("draw=a+white+sheep", "draw_seed=3", "steps=10", "count=4"):
        assert part in page.url


def test_an_old_link_draws_its_caption_and_a_word_of_it_opens_in_explore(visit: Opener) -> None:
    page = visit("?view=generate&caption=a+red+car&steps=10&seed=7&guidance=5")
    expect(page.locator(".seps-generate .seps-reading")).to_have_text(re.compile("seed 7 in 10 steps"))
    expect(page.locator("#generate-caption")).to_have_value("a red car")
    page.locator(".seps-looks [data-token='2']").click()
    page.locator("[data-do=explore]").click()
    expect(page.locator(".photo-title")).to_contain_text("seed")
    expect(page.locator(".big[data-similarity]")).to_be_visible()
    expect(page.locator(".words [aria-pressed=true]")).to_have_count(1)
    assert "gallery" not in page.url  # it is nobody else's


def test_captions_of_a_photo_and_of_a_scene(visit: Opener) -> None:
    page = visit("?view=lab&part=generate&gallery=examples&photo=coffee")
    page.locator(".lab-captions").scroll_into_view_if_needed()
    beams = page.locator(".seps-captioned .seps-beams button")
    expect(beams).to_have_count(4)
    expect(beams.first).to_contain_text("S(I, T)")
    page.locator(".seps-captioned [data-token]").nth(1).click()
    expect(page.locator(".seps-captioned canvas")).to_have_count(2)
    page.locator(".lab-captions .sources select").select_option("scenes")
    expect(page.locator(".seps-truth .seps-statements li")).not_to_have_count(0)


def together(page: Page, name: str) -> list[float]:
    """The scores of the pictures that were judged together, in the order that is shown."""
    cards = page.locator(".seps-together li")
    expect(cards).not_to_have_count(0)
    return [float(score) for score in cards.locator(f"[data-score]:has-text('{name}') output").all_inner_texts()]


def test_own_pictures_are_judged_together_and_sorted(visit: Opener) -> None:
    page = visit("?view=lab&part=judge&caption=a+pagoda+by+the+water")
    expect(page.locator(".seps-judge canvas")).to_be_visible()
    page.set_input_files(".sources input[type=file]", [PHOTOS / "china.jpg", PHOTOS / "flower.jpg"])
    scores = together(page, "Quality")
    assert len(scores) == 2 and scores == sorted(scores, reverse=True)
    page.locator("[data-sort=consistency]").click()
    scores = together(page, "Consistency")
    assert scores == sorted(scores, reverse=True)
    page.locator(".seps-together button").nth(1).click()
    expect(page.locator(".seps-together [aria-pressed=true] b")).to_have_text("2")
    assert "gallery" not in page.url


def test_degraded_copies_are_judged(visit: Opener) -> None:
    page = visit("?view=lab&part=judge&gallery=examples&photo=coffee&caption=a+cup")
    page.locator(".seps-spoil").scroll_into_view_if_needed()
    expect(page.locator(".seps-spoil [data-chart]")).to_have_count(2)
    page.locator(".seps-spoil input[type=range]").fill("10")
    expect(page.locator(".seps-spoil .seps-reading")).to_contain_text("strength 1.0")


def test_a_talk_goes_to_the_losses_and_comes_back(visit: Opener) -> None:
    page = visit("?view=learn&gallery=examples&photo=coffee&caption=a+cup&step=4")
    expect(page.locator(".seps-lesson h2")).to_contain_text("The decision")
    page.keyboard.press("t")
    expect(page.locator(".seps-lesson.seps-talk")).to_be_visible()
    page.keyboard.press("l")
    expect(page.locator(".seps-hall .seps-playground .seps-chart").first).to_be_visible()
    expect(page.locator(".head")).to_be_hidden()
    page.keyboard.press("l")
    expect(page.locator(".seps-lesson.seps-talk")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".head")).to_be_visible()


def test_a_claim_is_measured_and_the_guide_is_there(visit: Opener) -> None:
    page = visit("?view=learn&part=losses&share=0.8")
    expect(page.locator(".seps-ratio output, .seps-part output").filter(has_text="0.80")).to_have_count(1)
    claim = page.locator(".seps-claim").first
    claim.locator("[data-run]").click()
    expect(claim.locator("[data-run]")).to_have_text("Measure again")
    page.get_by_text("Advice for training").click()
    expect(page.locator("details[open] table").first).to_be_visible()
    page.get_by_text("Which loss for which task").click()
    expect(page.locator("pre.guide")).to_contain_text("image-text retrieval (SEPS)")


def test_the_paper_is_short_and_content_starts_at_the_top(visit: Opener) -> None:
    page = visit("?view=learn&part=paper")
    expect(page.locator(".differences section")).to_have_count(7)
    assert page.evaluate("() => document.documentElement.scrollHeight") < 1400
    parts = {"lesson": ".seps-rail", "losses": ".seps-matrix, .seps-playground h3", "paper": ".paper h3"}
    for part, content in parts.items():
        page.locator(f"[data-part={part}]").click()
        expect(page.locator(content).first).to_be_visible()
        assert page.locator(content).first.evaluate("(place) => place.getBoundingClientRect().top") < 200

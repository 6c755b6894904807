"""The viewer in a real browser: its pixels, its words and its numbers are the record's."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from demo.record.layers.layers import Layer, describe
from seps import Explanation
from tests.demo.browser.standalone import (
    GRID,
    RECORDS,
    SMALL,
    VEIL,
    WORDS,
    centres,
    check_laid,
    open_page,
    page_of,
    random_record,
    viewer_value,
)
from tests.helpers.models.record_words import apart_line, layers_of
from tests.helpers.web.numbers import number, on_page, short

pytestmark = pytest.mark.journey


def viewer(browser: Browser, record: Explanation, **changes: Any) -> Page:
    return open_page(browser, page_of("viewer", viewer_value(record, **changes), width=620))


def mark_on(page: Page, patch: int, grid: tuple[int, int] = GRID) -> None:
    box = page.locator(".seps-stage > canvas").bounding_box()
    assert box is not None
    row, column = divmod(patch, grid[1])
    page.mouse.move(
        box["x"] + (column + 0.5) * box["width"] / grid[1], box["y"] + (row + 0.5) * box["height"] / grid[0]
    )


def test_masks_veil_the_dropped_patches_and_both_tell_four_fates_apart(browser: Browser) -> None:
    record = random_record(dense=True)
    assert record.dense is not None
    sparse, dense = record.sparse.kept, record.dense.kept
    page = viewer(browser, record, opacity=1, layer=str(Layer("mask", None, "dense")))
    canvas = page.locator(".seps-stage > canvas")
    np.testing.assert_array_equal((centres(canvas, GRID) == VEIL).all(axis=1), ~dense)
    page.locator("[data-layer=photo]").click()
    photo = centres(canvas, GRID)
    page.locator("[data-layer=mask]").click()
    seen = centres(canvas, GRID)
    np.testing.assert_array_equal((seen == VEIL).all(axis=1), ~sparse)
    np.testing.assert_array_equal(seen[sparse], photo[sparse])
    page.locator("[data-branch=both]").click()
    seen = centres(canvas, GRID)
    np.testing.assert_array_equal((seen == VEIL).all(axis=1), ~sparse & ~dense)
    np.testing.assert_array_equal((seen == photo).all(axis=1), sparse & dense)
    assert (seen[sparse & ~dense].sum(axis=1) > seen[dense & ~sparse].sum(axis=1).max()).all()  # yellow, purple
    expect(page.locator(".seps-legend")).to_have_text("bothsparse onlydense onlynone")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper, dense", "released, [CLS]"])
def test_every_layer_is_described_and_is_viridis_of_the_record(browser: Browser, name: str) -> None:
    record = random_record(**RECORDS[name])
    page = viewer(browser, record, opacity=1)
    for layer in layers_of(record):
        if layer.number not in (None, 1, 5):  # of the maps of words and tokens
            continue
        page.evaluate("(value) => window.send(value)", viewer_value(record, opacity=1, layer=str(layer)))
        says = on_page(describe(record, layer))
        if layer.name == "tokens":
            expect(page.locator(".seps-multiples")).to_have_attribute("aria-label", says)
            continue
        label = f"{says}. Arrow keys move over the patches."
        expect(page.locator(".seps-stage > canvas")).to_have_attribute("aria-label", label)
        if layer.name in ("mask", "photo"):
            continue
        page.wait_for_function("document.querySelector('.seps-stage > canvas').style.width")
        expected = layer.values(record)
        seen = centres(page.locator(".seps-stage > canvas"), GRID)
        check_laid(seen, expected.values, expected.low, expected.high)
        ends = [
            float(page.locator(f".seps-legend .{end}").get_attribute("data-value") or "") for end in ("low", "high")
        ]
        np.testing.assert_allclose(ends, [expected.low, expected.high], rtol=1e-6)


def test_word_lights_its_map_and_pins(browser: Browser) -> None:
    record = random_record()
    page = viewer(browser, record, opacity=1)
    canvas, reading = page.locator(".seps-stage > canvas"), page.locator(".seps-reading")
    alignment = record.sparse_alignment
    assert page.locator("[data-word]").all_inner_texts() == list(WORDS)
    mask = centres(canvas, GRID)
    for index in (2, 5):
        maps = alignment.word_maps[index]
        page.locator(f"[data-word='{index}']").hover()
        check_laid(centres(canvas, GRID), maps, 0, maps.max())
        token = int(alignment.best_token[index])
        similarity = f"similarity {alignment.cosines[token, index]:.3f} with {alignment.tokens[token]}"
        expect(reading).to_have_text(on_page(f"{WORDS[index]}: {similarity}"))
        page.mouse.move(0, 0)
        np.testing.assert_array_equal(centres(canvas, GRID), mask)
    word = page.locator("[data-word='5']")
    word.click()
    page.mouse.move(0, 0)
    expect(word).to_have_attribute("aria-pressed", "true")
    check_laid(centres(canvas, GRID), maps, 0, maps.max())
    page.keyboard.press("Escape")
    expect(word).to_have_attribute("aria-pressed", "false")
    np.testing.assert_array_equal(centres(canvas, GRID), mask)


def test_where_a_word_fits_best_stands_beside_its_word_map(browser: Browser) -> None:
    record = random_record()
    alignment = record.sparse_alignment
    apart = [apart_line(record, number) for number in range(len(WORDS))]
    word = next(number for number, line in enumerate(apart) if line)
    page = viewer(browser, record, opacity=1, layer=f"word:{word}")
    canvas, beside = page.locator(".seps-stage > canvas"), page.locator(".seps-fits")
    expect(beside).to_be_hidden()
    before = canvas.bounding_box()
    page.get_by_role("button", name="Next to it: where the word fits best").click()
    cosines, used = alignment.patch_cosines[word], alignment.word_maps[word]
    expect(beside).to_contain_text(on_page(f"cosine {cosines.min():.2f} to {cosines.max():.2f}"))
    expect(page.locator(".seps-reading")).to_contain_text(on_page(str(apart[word])))
    check_laid(centres(beside.locator("canvas"), GRID), cosines, cosines.min(), cosines.max())
    check_laid(centres(canvas, GRID), used, 0, used.max())
    boxes = [element.bounding_box() for element in (canvas, beside.locator("canvas"))]
    assert before is not None and boxes[0] is not None and boxes[1] is not None
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    caption = beside.locator("figcaption").bounding_box()
    assert caption is not None
    assert [box["width"] for box in (*boxes, caption) if box] == [pytest.approx(boxes[0]["width"])] * 3
    page.get_by_role("button", name="Next to it: where the word fits best").click()
    expect(beside).to_be_hidden()
    assert canvas.bounding_box() == before
    page.keyboard.press("Escape")
    expect(page.locator(".seps-beside")).to_be_hidden()  # no word is pinned


def test_the_layer_of_classes_names_the_class_and_the_words_that_matched_through_it(browser: Browser) -> None:
    record = random_record(classes=True)
    assert record.classes is not None
    page = viewer(browser, record, opacity=1, layer="class")
    canvas, probability = page.locator(".seps-stage > canvas"), record.classes.probability
    expect(page.locator("[data-layer=class]")).to_have_attribute("aria-pressed", "true")
    check_laid(centres(canvas, GRID), probability, 0, probability.max())
    label = f"{on_page(describe(record, Layer('class')))}. Arrow keys move over the patches."
    expect(canvas).to_have_attribute("aria-label", label)
    shares, cosines = record.classes.word_shares, record.sparse_alignment.patch_cosines
    through = (shares > cosines / 2) & (cosines > 0)  # (L, N)
    through[[0, -1]] = False  # [CLS] and [SEP]
    counts = through.sum(axis=0)
    assert {0, 3} <= {*counts.clip(max=3).tolist()}
    for patch in (int(counts.argmin()), int(counts.argmax())):
        mark_on(page, patch)
        words = sorted(np.flatnonzero(through[:, patch]), key=lambda word: -shares[word, patch])[:3]
        told = [f"{WORDS[i]} ({shares[i, patch]:.2f} of its cosine of {cosines[i, patch]:.2f})" for i in words]
        place = f"Row {patch // 8 + 1}, column {patch % 8 + 1}"
        line = f"{place}: {record.classes.names[patch]} {probability[patch]:.2f}"
        line += f"; matched through it: {', '.join(told)}" if told else ""
        expect(page.locator(".seps-reading p").first).to_have_text(on_page(line))
    expect(viewer(browser, random_record()).locator("[data-layer=class]")).to_have_count(0)


@pytest.mark.parametrize("name", RECORDS)
def test_the_line_of_a_patch_is_the_records_and_terms_add_up_to_the_score(browser: Browser, name: str) -> None:
    record = random_record(**RECORDS[name])
    page = viewer(browser, record)
    alignment = record.sparse_alignment
    branches = [record.sparse] + ([] if record.dense is None else [record.dense])
    for patch in (0, 13, 47):
        mark_on(page, patch)
        lines = page.locator(".seps-reading p").all_text_contents()
        token = int(alignment.token_weights[:, patch].argmax())
        word = int(alignment.best_word[token])
        met = f"{WORDS[word]} ({alignment.cosines[token, word]:.2f})"
        place = f"Row {patch // 8 + 1}, column {patch % 8 + 1}"
        assert lines[0] == on_page(f"{place}: most weight in {alignment.tokens[token]}, with the best word {met}")
        assert len(lines) == 1 + len(branches)
        for line, branch in zip(lines[1:], branches, strict=True):
            fate = "kept" if branch.kept[patch] else "dropped"
            parts = ", ".join(f"{part.replace('_', '')} {values[patch]:.3f}" for part, values in branch.parts.items())
            expected = f"{fate}, score {branch.score[patch]:.3f} (rank {branch.rank[patch] + 1} of 48), {parts}"
            assert line.lower().removeprefix(f"{branch.name}: ") == on_page(expected)
    terms = page.locator(".seps-terms li")
    assert [term.get_attribute("data-term") for term in terms.all()] == list(record.terms)
    total = page.locator(".seps-terms output[data-similarity]")
    values = [*record.terms.values(), record.similarity]
    for shown, value in zip([*terms.locator("output").all(), total], values, strict=True):
        assert number(shown.get_attribute("title")) == pytest.approx(value, abs=5.1e-7)
        assert number(shown.inner_text()) == pytest.approx(value, abs=5.1e-3)
    boxes = [piece.bounding_box() for piece in page.locator(".seps-bar i").all()]
    lengths = np.array([0.0 if box is None else box["width"] for box in boxes])
    sizes = np.array(sorted(np.abs(list(record.terms.values()))))
    np.testing.assert_allclose(np.sort(lengths) / lengths.sum(), sizes / sizes.sum(), atol=0.02)
    assert page.locator(".seps-bar .seps-less").count() == sum(value < 0 for value in record.terms.values())


def test_tokens_as_small_multiples_open_large(browser: Browser) -> None:
    record = random_record()
    weights = record.sparse.aggregation_weights
    assert weights is not None
    page = viewer(browser, record, opacity=1)
    page.locator("[data-layer=tokens]").click()
    thumbs = page.locator("[data-token]")
    expect(thumbs).to_have_count(len(weights))
    for index, row in enumerate(weights):
        seen = centres(thumbs.nth(index).locator("canvas"), GRID)
        check_laid(seen, row, 0.0, float(weights.max()))
    thumbs.nth(2).click()
    canvas = page.locator(".seps-stage > canvas")
    expect(page.locator(".seps-pager")).to_contain_text(f"3 of {len(weights)}")
    page.get_by_role("button", name="Next token").click()
    check_laid(centres(canvas, GRID), weights[3], 0, weights[3].max())
    page.get_by_role("button", name="Previous token").click()
    page.get_by_role("button", name="Previous token").click()
    check_laid(centres(canvas, GRID), weights[1], 0, weights[1].max())


def test_everything_by_keyboard(browser: Browser) -> None:
    page = viewer(browser, random_record(dense=True))
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        focus = page.evaluate(
            """() => { const one = document.activeElement, style = getComputedStyle(one);
            return [one.tagName, { ...one.dataset }, style.outlineStyle]; }"""
        )
        if focus[0] == "BODY":
            break
        assert focus[2] != "none", focus
        reached.append(focus[:2])
    marks = [next(iter(data.items()), (tag, "")) for tag, data in reached]
    for hook in [("word", "0"), ("branch", "both"), ("layer", "s_dt"), ("layer", "photo"), ("format", "png")]:
        assert hook in marks
    assert {tag for tag, _ in reached} >= {"CANVAS", "INPUT", "A", "SUMMARY"}

    reading = page.locator(".seps-reading p").first
    page.locator(".seps-stage > canvas").focus()
    for keys, place in (("ArrowRight", "Row 1, column 1:"), ("ArrowDown", "Row 2, column 1:")):
        page.keyboard.press(keys)
        expect(reading).to_contain_text(place)
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text("Row 2, column 8:")
    page.keyboard.press("Escape")
    expect(reading).to_contain_text("24 of 48 patches kept")
    page.locator("[data-word='1']").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-word='1']")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.locator("[data-word='1']")).to_have_attribute("aria-pressed", "false")


def test_the_file_is_asked_for_as_the_picture_is_drawn(browser: Browser) -> None:
    page = viewer(browser, random_record())
    before = centres(page.locator(".seps-stage > canvas"), GRID)
    page.get_by_label("Grid").uncheck()
    page.get_by_label("Opacity").fill("40")
    page.locator("[data-layer=s_im]").click()
    assert (centres(page.locator(".seps-stage > canvas"), GRID) != before).any()
    settings = {"layer": "s_im", "opacity": 0.4, "lines": False, "objects": False}
    page.get_by_role("button", name="Download as PNG").click()
    assert page.evaluate("window.triggered") == [["export", {"format": "png", **settings}]]


def test_layers_that_a_record_lacks(browser: Browser) -> None:
    page = viewer(browser, random_record(paper=False), layer="token:99")
    expect(page.locator("[data-layer=mask]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-layer=s_p]")).to_have_count(0)
    expect(page.locator("[data-branch]")).to_have_count(0)
    page.evaluate("(value) => window.send(value)", viewer_value(random_record(paper=False, dense=True), layer="word:3"))
    expect(page.locator("[data-word='3']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-branch=dense]")).to_be_disabled()
    page.locator("[data-layer=s_dt]").click()  # a part of the dense branch alone
    expect(page.locator("[data-branch=dense]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-branch=sparse]")).to_be_disabled()


def test_a_new_value_takes_the_place_of_the_old_one(browser: Browser) -> None:
    page = open_page(browser, page_of("viewer", None))
    expect(page.locator(".seps-empty:visible")).to_contain_text("No picture yet. Choose a photo and a caption.")
    record = random_record(1)
    page.evaluate("(value) => window.send(value)", viewer_value(record))
    expect(page.locator(".seps-terms output[data-similarity]")).to_have_text(short(record.similarity))
    expect(page.locator(".seps-stage > canvas")).to_have_count(1)
    expect(page.get_by_role("link", name="a test")).to_have_attribute("href", "https://example.org/photo")
    page.evaluate("window.send(null)")
    expect(page.locator("canvas")).to_have_count(0)


def test_phone_by_touch(browser: Browser) -> None:
    html = page_of("viewer", viewer_value(random_record(dense=True)))
    page = open_page(browser, html, (390, 844), touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate(SMALL) == []
    box = page.locator(".seps-stage > canvas").bounding_box()
    assert box is not None
    page.locator(".seps-stage > canvas").tap(position={"x": box["width"] * 2.5 / 8, "y": box["height"] * 3.5 / 6})
    expect(page.locator(".seps-reading p").first).to_contain_text("Row 4, column 3:")
    page.locator("[data-word='4']").tap()
    expect(page.locator("[data-word='4']")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-layer=tokens]").tap()
    page.locator("[data-token='1']").tap()
    expect(page.locator(".seps-pager")).to_contain_text("1 of")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

"""The lesson's pictures in a real browser: their numbers and their pixels are the record's."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect

from seps import Explanation
from tests.demo.browser.lesson.lesson_page import TRAINED, go, lesson, lesson_value, resting
from tests.demo.browser.standalone import GRID, RECORDS, VEIL, WORDS, check_laid, random_record
from tests.helpers.web.numbers import number, short


def on_photo(page: Page) -> NDArray[np.int64]:
    """The colours at the patches' centres where the photo stands in steps 1 to 5: (N, 3)."""
    step = page.locator("[aria-current=step]").get_attribute("data-step")
    go(page, 4)
    place = page.locator("[data-label=outlines]").evaluate(
        "(one) => [one.offsetLeft, one.offsetTop, one.offsetWidth, one.offsetHeight]"
    )
    go(page, int(step or 1))
    script = """(canvas, [[left, top, width, height], [rows, columns]]) => {
        const pixel = canvas.width / canvas.clientWidth;
        return Array.from({ length: rows * columns }, (_, patch) => [...canvas.getContext("2d").getImageData(
            Math.floor((left + ((patch % columns) + 0.5) * width / columns) * pixel),
            Math.floor((top + (Math.floor(patch / columns) + 0.5) * height / rows) * pixel), 1, 1).data.slice(0, 3)]);
    }"""
    return np.array(page.locator(".seps-scene > canvas").evaluate(script, [place, list(GRID)]))


@pytest.mark.parametrize("name", RECORDS)
def test_scores_maxima_and_terms_are_the_records(browser: Browser, name: str) -> None:
    record = random_record(**RECORDS[name])
    page = lesson(browser, lesson_value(record, opacity=1, step=3))
    check_scores(page, record)
    go(page, 7)
    check_maxima(page, record)
    go(page, 8)
    check_terms(page, record)


def check_scores(page: Page, record: Explanation) -> None:
    """Check the scores on the photo and their coefficients."""
    for branch in (record.dense, record.sparse):  # the sparse one stays chosen
        if branch is None:
            continue
        if record.dense is not None:
            page.locator(f"[data-branch={branch.name}]").click()
            resting(page)
        shown = {
            part.get_attribute("data-part"): float(part.get_attribute("data-coefficient") or "nan")
            for part in page.locator("[data-part]").all()
        }
        assert shown == dict(branch.coefficients)
        check_laid(on_photo(page), branch.score, float(branch.score.min()), float(branch.score.max()))


def test_the_decision_marks_kept_gained_and_lost(browser: Browser) -> None:
    record, before = random_record(1), random_record(2)
    page = lesson(browser, lesson_value(record, before, step=4))
    kept, then = record.sparse.kept, before.sparse.kept
    bars = page.locator(".seps-chart [data-patch]").all()
    order = [int(bar.get_attribute("data-patch") or -1) for bar in bars]
    assert [int(record.sparse.rank[patch]) for patch in order] == list(range(48))
    assert [(bar.get_attribute("class") or "").endswith("kept") for bar in bars] == [
        bool(kept[patch]) for patch in order
    ]
    expect(page.locator(".seps-cut")).to_have_attribute("data-kept", str(kept.sum()))
    for mark, expected in ((".seps-gained", kept & ~then), (".seps-lost", then & ~kept)):
        marks = page.locator(f".seps-scene {mark}").all()
        assert sorted(int(shape.get_attribute("data-patch") or -1) for shape in marks) == expected.nonzero()[0].tolist()
    page.evaluate("(value) => window.send(value)", lesson_value(record, step=4))
    expect(page.locator(".seps-scene .seps-gained")).to_have_count(0)
    resting(page)
    brightness = on_photo(page).sum(axis=1)  # the drawn photo is bright everywhere, and the veil nearly opaque
    assert brightness[kept].min() > 2 * brightness[~kept].max()
    assert brightness[~kept].min() >= sum(VEIL)
    drawn = replace(TRAINED, decision="gumbel")
    value = lesson_value(record, before, drawn, step=4)
    value["steps"][3]["decision_gradient"] = [0.5] * 47 + [1.25]
    page.evaluate("(value) => window.send(value)", value)
    expect(page.locator("[data-slope]")).to_have_attribute("data-slope", "1.25")
    expect(page.locator(".seps-cut")).to_have_count(0)
    expect(page.locator(".seps-chance")).to_have_count(1)


def test_weights_of_any_aggregated_token(browser: Browser) -> None:
    record = random_record()
    weights = record.sparse.aggregation_weights
    assert weights is not None
    page = lesson(browser, lesson_value(record, opacity=1, step=5))
    for token in (0, 3, len(weights) - 1):
        page.get_by_role("slider", name="Token").fill(str(token))
        resting(page)
        expect(page.locator("[data-label=home]")).to_have_text(f"Aggregated token {token + 1} of {len(weights)}")
        check_laid(on_photo(page), weights[token], 0, weights[token].max())
    ring = page.locator("[data-label=ring]").bounding_box()
    go(page, 6)
    assert page.locator("[data-tokens]").get_attribute("data-tokens") == str(len(record.sparse_alignment.tokens))
    go(page, 5)
    assert page.locator("[data-label=ring]").bounding_box() == ring
    page.locator(".seps-scene").click(
        position={"x": page.locator("[data-label=side]").evaluate("(one) => one.offsetLeft + 12"), "y": 50}
    )
    expect(page.locator("[data-label=home]")).to_have_text(f"Aggregated token 1 of {len(weights)}")


def check_maxima(page: Page, record: Explanation) -> None:
    """Check the maxima of the matrix of tokens and words."""
    alignment = record.sparse_alignment
    matrix = alignment.matrix

    def places(kind: str, by: str, other: str) -> dict[int, int]:
        drawn = page.locator(f".seps-marks {kind}[data-token]").all()
        return {int(mark.get_attribute(by) or -1): int(mark.get_attribute(other) or -1) for mark in drawn}

    assert places("circle", "data-token", "data-word") == dict(enumerate(matrix.argmax(axis=1).tolist()))
    assert places("rect", "data-word", "data-token") == dict(enumerate(matrix.argmax(axis=0).tolist()))
    for kind, best in (("token", matrix.max(axis=1)), ("word", matrix.max(axis=0))):
        line = page.locator(f"[data-best-of={kind}]")
        mean = float(line.locator("[data-mean]").get_attribute("data-mean") or "nan")
        assert mean == pytest.approx(best.mean(), abs=1e-5)
        if record.variant == "paper":
            top = [float(value) for value in (line.locator("[data-top]").get_attribute("data-top") or "").split()]
            np.testing.assert_allclose(top, np.sort(best)[::-1][: TRAINED.top_k], rtol=1e-6)
            relevance = alignment.patch_relevance if kind == "token" else alignment.word_relevance
            expect(line.locator("[data-relevance]")).to_have_text(short(relevance, "+"))
        else:
            expect(line.locator("[data-relevance]")).to_have_count(0)
    page.get_by_role("slider", name="Word").fill("2")
    expect(page.locator("[data-label=home]")).to_have_text(f"Where “{WORDS[2]}” looks")
    expect(page.locator("[data-best]")).to_have_attribute("data-best", str(alignment.best_token[2]))


def check_terms(page: Page, record: Explanation) -> None:
    """Check the sum of the terms, and the rank."""
    terms = page.locator(".seps-sum [data-term]")
    assert [term.get_attribute("data-term") for term in terms.all()] == list(record.terms)
    assert terms.locator("output:not([data-sum])").all_inner_texts() == [
        short(value, "+") for value in record.terms.values()
    ]
    sums = [number(text) for text in terms.locator("output[data-sum]").all_inner_texts()]
    np.testing.assert_allclose(sums, np.cumsum(list(record.terms.values())), atol=5.1e-3)
    expect(page.locator(".seps-total output")).to_have_text(short(record.similarity))
    expect(page.locator("[data-rank]").first).to_have_text("The photo for this caption: 3rd of 20 photos in examples")
    page.evaluate("(value) => window.send(value)", lesson_value(record, random_record(5), step=8))
    expect(page.locator("[data-rank]").first).to_contain_text("2nd of 20 photos in examples, was 3rd")
    drawn = lesson_value(record, record, replace(TRAINED, decision="gumbel"), step=8)
    page.evaluate("(value) => window.send(value)", drawn)
    expect(page.locator("[data-rank]")).to_have_text(["A drawn decision has no rank."])

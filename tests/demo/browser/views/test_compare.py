"""The comparison in a real browser: one layer, one scale and one marked patch for all captions."""

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from demo.record.packing import describe_overlap, overlap
from tests.demo.browser.standalone import (
    GRID,
    VEIL,
    centres,
    check_laid,
    compare_value,
    open_page,
    page_of,
    random_record,
)
from tests.helpers.web.numbers import short

pytestmark = pytest.mark.journey


def pictures(page: Page) -> list[Locator]:
    return page.locator("figure canvas").all()


def test_masks_scores_counts_and_overlaps_side_by_side(browser: Browser) -> None:
    records = [random_record(seed) for seed in range(6)]
    sentence = describe_overlap([record.sparse.kept for record in records])
    page = open_page(browser, page_of("compare", compare_value(records, opacity=1, shared=sentence)))
    expect(page.locator(".seps-shared")).to_have_text(sentence)
    shown = [float(text[:-1]) / 100 for text in page.locator(".seps-overlap td[data-value]").all_inner_texts()]
    np.testing.assert_allclose(np.array(shown).reshape(6, 6), overlap(records), atol=5.1e-3)
    assert page.locator(".seps-overlap th[scope=row]").all_inner_texts() == list("ABCDEF")
    for index, (canvas, record) in enumerate(zip(pictures(page), records, strict=True)):
        np.testing.assert_array_equal((centres(canvas, GRID) == VEIL).all(axis=1), ~record.sparse.kept)
        figure = page.locator(f"[data-item={'ABCDEF'[index]}]")
        expect(figure).to_contain_text(f"caption {index + 1}")
        expect(figure).to_contain_text("24 of 48 patches kept")
        expect(figure.locator("output")).to_have_text(short(record.similarity))
        label = canvas.get_attribute("aria-label") or ""
        assert label.startswith(f'{"ABCDEF"[index]}, "caption {index + 1}": 24 of 48 patches kept; ')
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_one_range_colours_every_picture(browser: Browser) -> None:
    records = [random_record(seed, paper=False) for seed in range(3)]  # its attentions are not stretched to [0, 1]
    page = open_page(browser, page_of("compare", compare_value(records, opacity=1)))
    for layer in ("score", "s_st"):
        page.locator(f"[data-layer={layer}]").click()
        shown = [{"score": record.sparse.score, **record.sparse.parts}[layer] for record in records]
        low, high = min(values.min() for values in shown), max(values.max() for values in shown)
        assert any(values.min() > low for values in shown) and any(values.max() < high for values in shown)
        for canvas, expected in zip(pictures(page), shown, strict=True):
            check_laid(centres(canvas, GRID), expected, low, high)
        ends = page.locator(".seps-legend :is(.low, .high)").evaluate_all(
            "(all) => all.map((one) => +one.dataset.value)"
        )
        np.testing.assert_allclose(ends, [low, high], rtol=1e-6)
        assert page.evaluate("window.triggered.at(-1)") == ["layer", {"layer": layer, "objects": False}]


def test_a_patch_is_marked_in_every_picture(browser: Browser) -> None:
    records = [random_record(seed) for seed in range(3)]
    page = open_page(browser, page_of("compare", compare_value(records)))
    read_pixels = "canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data"
    for canvas in pictures(page):
        canvas.evaluate(f"(canvas) => {{ canvas.before = {read_pixels}; }}")
    pictures(page)[1].focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    fates = ", ".join(
        f"{'ABC'[i]} {'kept' if record.sparse.kept[9] else 'dropped'}" for i, record in enumerate(records)
    )
    expect(page.locator(".seps-reading")).to_have_text(f"Row 2, column 2: {fates}")
    changed_patches = f"""(canvas) => {{
        const patches = new Set();
        {read_pixels}.forEach((value, index) => {{
            if (value === canvas.before[index]) return;
            const [x, y] = [Math.floor(index / 4) % canvas.width, Math.floor(index / 4 / canvas.width)];
            patches.add(Math.floor((x + 0.5) / canvas.width * 8) + 8 * Math.floor((y + 0.5) / canvas.height * 6));
        }});
        return [...patches];
    }}"""
    assert [canvas.evaluate(changed_patches) for canvas in pictures(page)] == [[9], [9], [9]]
    page.keyboard.press("Escape")
    expect(page.locator(".seps-reading")).to_have_text("Point at a patch to see it in every picture.")


def test_phone_puts_pictures_below_each_other(browser: Browser) -> None:
    records = [random_record(seed) for seed in range(3)]
    page = open_page(browser, page_of("compare", compare_value(records)), (390, 844), touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    boxes = [canvas.bounding_box() for canvas in pictures(page)]
    assert len({box["x"] for box in boxes if box}) == 1
    pictures(page)[0].tap(position={"x": 3, "y": 3})
    expect(page.locator(".seps-reading")).to_contain_text("Row 1, column 1: A ")

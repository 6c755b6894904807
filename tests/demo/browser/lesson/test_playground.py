"""The playground and the claims in a real browser: what they show is what Python computed."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect

from demo.service.retrieval import RetrievalService
from demo.views.losses.claims import CLAIMS, claims_value, run_claim
from demo.views.losses.values import playground_value
from tests.demo.browser.lesson.lesson_page import slide
from tests.demo.browser.standalone import SMALL, open_html, page_of
from tests.helpers.web.numbers import on_page, short

COUNT = 8
CASES: list[dict[str, Any]] = [{}, {"margin": 0.4, "mining": "hardest", "mask_ids": False}]


def playground(browser: Browser, value: dict[str, Any], **how: Any) -> Page:
    page = open_html(browser, page_of("playground", value), calm=True, **how)
    page.locator(".seps-curve-place .seps-chart").wait_for()
    return page


@pytest.mark.parametrize("options", CASES, ids=str)
def test_the_matrix_marks_violations_and_masked_pairs(
    browser: Browser, service: RetrievalService, options: dict[str, Any]
) -> None:
    value = playground_value(service, **options)
    page = playground(browser, value)
    cells = page.locator("td[data-row]")
    expect(cells).to_have_count(COUNT * COUNT)
    read = """(cells) => cells.map((one) => {
        const signs = (which) => [...one.querySelectorAll(which)].map((sign) => sign.textContent).join("");
        const [text] = one.textContent.split(/[→↓]/);
        return { ...one.dataset, text, look: one.className, violates: signs("i"), counted: signs(".seps-counted") };
    })"""
    for cell in cells.evaluate_all(read):
        row, column = int(cell["row"]), int(cell["column"])
        assert float(cell["similarity"]) == pytest.approx(value["similarity"][row][column])
        shown = f"{value['similarity'][row][column]:.2f}".replace("-0.00", "0.00")
        assert cell["text"] == on_page(shown)
        arrows = [("→", "captions"), ("↓", "images")]
        assert cell["violates"] == "".join(sign for sign, way in arrows if value[f"to_{way}"][row][column] > 0)
        assert cell["counted"] == "".join(sign for sign, way in arrows if value[f"counted_{way}"][row][column])
        masked = value["excluded"][row][column] and row != column
        assert cell["look"] == ("seps-true" if row == column else "seps-masked" if masked else "")
    assert page.locator("td.seps-masked").count() == (2 if value["mask_ids"] else 0)
    assert page.locator("td i.seps-counted").count() == value["counted"]
    expect(page.locator("[data-loss]")).to_have_text(short(value["now"]))
    expect(page.locator("[data-with-ids]")).to_have_text(short(value["masked"]["with_ids"]))
    expect(page.locator("[data-without-ids]")).to_have_text(short(value["masked"]["without_ids"]))


def test_a_pair_is_told_in_words(browser: Browser, service: RetrievalService) -> None:
    value = playground_value(service)
    page = playground(browser, value)
    reading = page.locator(".seps-pair")
    row, column = np.argwhere(np.array(value["counted_captions"]))[0]
    page.locator(f"td[data-row='{row}'][data-column='{column}'] button").focus()
    similarity = on_page(f"{value['similarity'][row][column]:.2f}")
    expect(reading).to_contain_text(f"Photo {row + 1}, caption {column + 1}: S = {similarity}.")
    expect(reading).to_contain_text(f"Violates along the row by {value['to_captions'][row][column]:.2f}")
    page.locator("td.seps-masked button").first.hover()
    expect(reading).to_contain_text("Masked: the caption was written for this photo too.")
    expect(page.locator(".seps-batch .seps-named")).to_have_text(value["captions"][7]["text"])


def test_changes_are_told_once_and_answered(browser: Browser, service: RetrievalService) -> None:
    page = playground(browser, playground_value(service))
    slide(page.get_by_role("slider", name="Margin"), 0.3, 0.5)
    page.wait_for_function("window.triggered.length > 0")
    page.get_by_role("button", name="Hardest negatives").click()
    page.wait_for_function("window.triggered.length > 1")
    page.get_by_label("Other captions of the same photo are no negatives (img_ids)").uncheck()
    page.wait_for_function("window.triggered.length > 2")
    assert page.evaluate("window.triggered") == [
        ["turn", {"margin": 0.5, "mining": "all", "mask_ids": True}],
        ["turn", {"margin": 0.5, "mining": "hardest", "mask_ids": True}],
        ["turn", {"margin": 0.5, "mining": "hardest", "mask_ids": False}],
    ]
    value = playground_value(service, 0.5, "hardest", False)
    page.evaluate("(value) => window.send(value)", value)
    expect(page.locator("[data-loss]")).to_have_text(short(value["now"]))
    expect(page.get_by_role("button", name="Hardest negatives")).to_have_attribute("aria-pressed", "true")


def test_the_curves_are_python_s(browser: Browser, service: RetrievalService) -> None:
    value = playground_value(service, 0.4)
    page = playground(browser, value)

    def curve(name: str) -> NDArray[np.float64]:
        points = page.locator(f"[data-curve='{name}']").get_attribute("points") or ""
        return np.array([[float(number) for number in point.split(",")] for point in points.split()])

    for name in ("all", "hardest"):
        drawn, values = curve(name), np.array(value["curve"][name])
        slope = (drawn[-1, 1] - drawn[0, 1]) / (values[-1] - values[0])
        np.testing.assert_allclose(drawn[:, 1], drawn[0, 1] + slope * (values - values[0]), atol=0.05)
        expect(page.locator(f"[data-loss-of={name}]")).to_have_text(short(value["loss"][name]))
    dot = page.locator(".seps-here")  # on the curve of the present mining, at the present margin
    at = curve("all")[value["curve"]["margins"].index(0.4)]
    position = [float(dot.get_attribute("cx") or 0), float(dot.get_attribute("cy") or 0)]
    np.testing.assert_allclose(position, at, atol=0.05)
    expect(page.locator(".seps-curve-place .seps-cut")).to_have_attribute("data-at", "0.4")


def test_ratio_losses_with_their_gradients(browser: Browser, service: RetrievalService) -> None:
    value = playground_value(service)
    page = playground(browser, value)
    ratio = value["ratio"]
    for fraction in (0.0, 0.3, 0.5, 1.0):
        page.get_by_label("Kept share").fill(str(fraction))
        at = round(fraction * (len(ratio["shares"]) - 1))
        for loss, curves in ratio["losses"].items():
            cells = page.locator(f"[data-ratio={loss}] td")
            expected = [short(curves["value"][at]), short(curves["gradient"][at])]
            assert cells.all_inner_texts() == expected
    page.wait_for_timeout(400)
    assert page.evaluate("window.triggered.at(-1)") == ["share", {"share": 1}]  # for the address, where it rests
    for example in value["ranking"]["examples"]:
        card = page.locator(f"[data-subject='{example['subject']}']")
        expect(card).to_contain_text(f"No class says “{example['subject']}”")
        expect(card).to_contain_text(f"Its photo ranks {example['rank']} of {example['total']}")


def test_phone_by_touch(browser: Browser, service: RetrievalService) -> None:
    page = playground(browser, playground_value(service), size=(390, 844), touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("td[data-row='1'][data-column='3'] button").tap()
    expect(page.locator(".seps-pair")).to_contain_text("Photo 2, caption 4:")
    assert page.evaluate(SMALL.replace(", input[type=range]", "")) == []


def test_claims_run_and_show_what_was_measured(browser: Browser, service: RetrievalService) -> None:
    page = open_html(browser, page_of("claims", claims_value()), calm=True)
    expect(page.locator("[data-claim]")).to_have_count(len(CLAIMS))
    expect(page.locator("[data-measured]")).to_have_count(0)
    page.locator("[data-run=top-k]").click()
    assert page.evaluate("window.triggered") == [["run", {"claim": "top-k"}]]
    expect(page.locator("[data-run=top-k]")).to_be_disabled()
    result = run_claim(service, "top-k")
    page.evaluate("(value) => window.send(value)", claims_value({"top-k": result}))
    rows = page.locator("[data-claim=top-k] [data-measured]")
    shown = {row.get_attribute("data-measured"): float(row.get_attribute("data-value") or "nan") for row in rows.all()}
    assert shown == pytest.approx(result["measured"])
    expect(page.locator("[data-claim=top-k] [data-holds]")).to_have_text("✓ It holds.")
    expect(page.locator("[data-run=top-k]")).to_be_enabled()
    failed = {**result, "holds": False}
    page.evaluate("(value) => window.send(value)", claims_value({"top-k": failed}))
    expect(page.locator("[data-claim=top-k] [data-holds]")).to_have_text("✗ It does not hold here.")
    page.evaluate("(value) => window.send(value)", claims_value({"top-k": result}) | {"live": False})
    expect(page.locator("[data-claim=top-k] [data-holds]")).to_have_text("✓ It holds.")
    expect(page.locator(".seps-claim button")).to_have_count(0)  # a page without a server cannot measure

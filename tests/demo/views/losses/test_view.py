"""The page of losses has the training guide's advice, and its claim beside what was measured."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from demo.views.losses.guide import RATIO_FILE, advice_rows, ratio_experiment
from demo.views.losses.page import PANEL, guide_page, panel, task_guide
from seps.runs.recipe import recipe_files
from seps.training.guide import ADVICE, CLAIMED_KEPT

ROOT = Path(__file__).parents[4]


class Words(HTMLParser):
    """The texts of a page, and its elements with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.elements = "", []  # type: tuple[str, list[tuple[str, dict[str, str | None]]]]
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_the_whole_table_of_advice() -> None:
    read = Words(guide_page())
    assert len(advice_rows()) == len(ADVICE)
    for row in ADVICE:
        for cell in (row.usual, row.raise_it, row.lower_it, row.source):
            assert cell in read.text
    assert "align, ratio, hard negatives" in read.text


def test_each_weight_s_curve_stands_beside_its_claim() -> None:
    experiment, measured = ratio_experiment(), json.loads(RATIO_FILE.read_text())
    read = Words(guide_page())
    assert [run["ratio_weight"] for run in experiment["runs"]] == list(CLAIMED_KEPT)
    curves = [attributes["points"] for tag, attributes in read.elements if tag == "polyline"]
    for run, curve in zip(measured["runs"], curves, strict=True):
        assert curve is not None
        points = [point.split(",") for point in curve.split()]
        assert [PANEL[1] * (1 - kept) for kept in run["kept"]] == pytest.approx([float(y) for _, y in points], abs=0.06)
        assert float(points[-1][0]) == PANEL[0]
        late = run["kept"][len(run["kept"]) // 2 :]
        assert (min(late), max(late)) == (run["low"], run["high"])
        assert f"measured {run['low']:.2f} to {run['high']:.2f}, on average {run['mean']:.2f}" in read.text
    for weight in (0, 1, 2, 5):
        assert f"ratio weight {weight}claimed" in read.text
    for claim in ("0.20 to 0.80", "0.45 to 0.55", "0.48 to 0.52", "about 0.50"):
        assert f"claimed {claim}" in read.text
    means = {run["ratio_weight"]: f"{run['mean']:.2f}" for run in measured["runs"]}
    assert f"Without the ratio loss the kept share is {means.pop(0.0)} on average" in read.text
    assert f"with it, {min(means.values())} to {max(means.values())}" in read.text
    assert all(abs(float(mean) - measured["target_ratio"]) < 0.02 for mean in means.values())  # as the page says
    inside = sum(run["holds"] for run in experiment["runs"])
    assert f"{inside} of 4 runs stay inside" in read.text
    assert measured["command"] in read.text
    assert (ROOT / measured["recipe"]).resolve() == recipe_files("configs/recipes")["ratio"].resolve()


def test_a_claim_holds_only_where_all_that_was_measured_lies_in_it() -> None:
    run = {"ratio_weight": 1.0, "kept": [0.4, 0.5], "low": 0.5, "high": 0.5, "mean": 0.5, "claim": (0.45, 0.55)}
    assert "0.50: inside the claim" not in panel(run | {"holds": False}, 0.5)
    assert ": not inside the claim" in panel(run | {"holds": False}, 0.5)
    assert ": inside the claim" in panel(run | {"holds": True}, 0.5)
    for measured in ratio_experiment()["runs"]:
        low, high = CLAIMED_KEPT[measured["ratio_weight"]]
        assert measured["holds"] == (low - 0.005 <= measured["low"] and measured["high"] <= high + 0.005)


def test_which_loss_suits_which_task_is_told_whole_and_without_links() -> None:
    text = task_guide()
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "## A decision",
        "## What a selector gets away with",
        "## Where guides err",
    ]
    assert "](" not in text

from math import inf, nan

import pytest

from seps.common.numbers import amount, rounded, written
from seps.generator.evaluation.evaluate import shown
from seps.judge.ablate import spread
from seps.judge.config import SCORES
from seps.judge.training.report import epoch_report


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (-0.00001, ".4f", "0.0000"),
        (0.00001, "+.4f", "+0.0000"),
        (-0.00005001, ".4f", "-0.0001"),
        (-0.0, "g", "0"),
        (-0.001, "8.2f", "    0.00"),
        (-inf, ".2f", "-inf"),
        (nan, "+.2f", "+nan"),
    ],
)
def test_zero_has_no_minus(value: float, form: str, text: str) -> None:
    assert written(value, form) == text


def test_counts_have_nouns_and_rounding_leaves_no_minus_on_zero() -> None:
    assert [amount(count, "epoch") for count in (0, 1, 2, 1200)] == ["0 epochs", "1 epoch", "2 epochs", "1,200 epochs"]
    assert str(rounded(-1e-9, 6)) == "0.0"
    assert rounded(-1.23456789, 6) == -1.234568


def test_figures_of_commands_that_round_to_zero_have_no_minus() -> None:
    assert spread([-0.0001, -0.0002]) == "0.000 (0.000 to 0.000)"
    assert (spread([0.5, -0.25]), spread([])) == ("0.125 (-0.250 to 0.500)", "")
    assert shown({"mean": -0.0001, "interval": [-0.1, -0.0002]}) == "0.000 [-0.100, 0.000]"
    keys = ("srocc", "plcc", "krcc", "gap", "correction_mean", "correction_max")
    row = {"epoch": 1.0, "loss": 0.5} | {f"{name}_{key}": -0.0001 for name in SCORES for key in keys}
    assert "corrections: mean 0.00, largest 0.00" in epoch_report(row, (0.2, 0.2))
    assert "-0.0" not in epoch_report(row, (0.2, 0.2))

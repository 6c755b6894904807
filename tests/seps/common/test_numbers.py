from math import inf, nan

import pytest

from seps.common.numbers import amount, rounded, written
from seps.judge.ablate import spread


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
    assert spread([-0.0001, -0.0002]) == "0.000 (0.000 to 0.000)"

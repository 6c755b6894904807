from __future__ import annotations

import pytest

from seps.training.lr_schedule import adapt_ratio_weight, rate_factor


def test_multistep_decays_at_the_published_epochs() -> None:
    factors = [rate_factor("multistep", epoch, 0, 1, 0) for epoch in range(30)]
    assert [epoch for epoch in range(1, 30) if factors[epoch] != factors[epoch - 1]] == [9, 15, 20, 25]
    assert factors[-1] == pytest.approx(0.3**4)


def test_linear_rises_then_falls_to_two_per_cent() -> None:
    factors = [rate_factor("linear", 0, step, 100, 10) for step in range(100)]
    assert factors[0] == pytest.approx(0.1)
    assert factors[50] == pytest.approx(0.5)
    assert min(factors[10:]) == factors[-1] == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("kept", "expected"), [(0.75, 4.0), (0.25, 4.0), (0.55, 2.0), (0.515, 1.0), (0.5, 1.0), (0.485, 1.0), (0.45, 2.0)]
)
def test_ratio_weight_doubles_when_far_and_halves_when_near(kept: float, expected: float) -> None:
    assert adapt_ratio_weight(2.0, kept, 0.5) == expected

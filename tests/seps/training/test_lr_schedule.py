from __future__ import annotations

import pytest

from seps.training.lr_schedule import adapt_ratio_weight, align_factor, rate_factor
from seps.training.settings import TrainSettings


def test_multistep_decays_at_the_published_epochs() -> None:
    usual = TrainSettings()
    factors = [rate_factor("multistep", epoch, 0, 1, 0, usual.lr_schedules, usual.decay_rate) for epoch in range(30)]
    assert [epoch for epoch in range(1, 30) if factors[epoch] != factors[epoch - 1]] == [9, 15, 20, 25]
    assert factors[-1] == pytest.approx(0.3**4)


def test_multistep_decays_where_and_by_how_much_the_recipe_says() -> None:
    factors = [rate_factor("multistep", epoch, 0, 1, 0, (2, 4), 0.5) for epoch in range(6)]
    assert factors == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]
    assert rate_factor("multistep", 29, 0, 1, 0, (), 0.5) == 1.0


def test_the_ranking_loss_rises_over_its_epochs() -> None:
    assert [align_factor(2, step, 4) for step in (0, 2, 4, 8, 20)] == [0.0, 0.25, 0.5, 1.0, 1.0]
    assert [align_factor(0, step, 4) for step in (0, 20)] == [1.0, 1.0]


def test_linear_rises_then_falls_to_two_per_cent() -> None:
    factors = [rate_factor("linear", 0, step, 100, 10) for step in range(100)]
    assert factors[0] == pytest.approx(0.1)
    assert factors[50] == pytest.approx(0.5)
    assert min(factors[10:]) == factors[-1] == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("kept", "expected"), [(0.75, 4.0), (0.25, 4.0), (0.55, 2.0), (0.515, 1.0), (0.5, 1.0), (0.485, 1.0), (0.53, 2.0)]
)
def test_ratio_weight_doubles_when_far_and_halves_when_near(kept: float, expected: float) -> None:
    assert adapt_ratio_weight(2.0, kept, 0.5) == expected


def test_ratio_weight_never_compounds() -> None:
    weight = 2.0
    for _ in range(5):  # whatever the last epoch's weight was, the recipe's own is what is doubled
        weight = adapt_ratio_weight(2.0, 0.9, 0.5)
    assert weight == 4.0

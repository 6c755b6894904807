from __future__ import annotations

import pytest

from seps.training.loss_weights import adapt_ratio_weight, align_factor


def test_the_ranking_loss_rises_over_its_epochs() -> None:
    assert [align_factor(2, step, 4) for step in (0, 2, 4, 8, 20)] == [0.0, 0.25, 0.5, 1.0, 1.0]
    assert [align_factor(0, step, 4) for step in (0, 20)] == [1.0, 1.0]


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

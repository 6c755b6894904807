from __future__ import annotations

from seps.training.loss_weights import align_factor


def test_the_ranking_loss_rises_over_its_epochs() -> None:
    assert [align_factor(2, step, 4) for step in (0, 2, 4, 8, 20)] == [0.0, 0.25, 0.5, 1.0, 1.0]
    assert [align_factor(0, step, 4) for step in (0, 20)] == [1.0, 1.0]

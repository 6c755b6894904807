import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from seps import CrossSparseAggrNet, explain
from seps.evaluation.grounding.curves import area, area_estimates, curves, rescorer, step_counts

WORTH = np.array([1.0, 4.0, 2.0, 3.0])


def added_up(present: NDArray[np.bool_]) -> NDArray[np.float64]:
    """A score without a network: the total worth of the present patches."""
    return present @ WORTH


def test_curves_and_areas_by_hand() -> None:
    counts = step_counts(4)
    assert step_counts(196)[[0, 1, 2, 10, 20]].tolist() == [0, 10, 20, 98, 196]
    best = curves(added_up, np.array([1, 3, 2, 0]), counts)
    assert best.tolist() == [[10, 6, 3, 1, 0], [0, 4, 7, 9, 10]]
    assert area(best, counts).tolist() == [3.75, 6.25]
    worst = curves(added_up, np.array([0, 2, 3, 1]), counts)
    assert worst.tolist() == [[10, 9, 7, 4, 0], [0, 1, 3, 6, 10]]
    assert area(worst, counts).tolist() == [6.25, 3.75]
    assert area(np.array([1.0, 0.0, 0.0]), np.array([0, 1, 4])) == 0.125  # steps of unlike width


def test_areas_of_many_captions_are_scaled_together() -> None:
    counts = np.array([0, 1, 2])
    values = np.array([[[12, 2, 2], [2, 12, 12]], [[4, 3, 2], [2, 2, 4]]], dtype=np.float64)
    # Above the score of none, 2, lie areas of 2.5 and 1 (deletion), 7.5 and 0.5 (insertion); of all, 10 and 2.
    deletion, insertion = area_estimates(values, counts, np.array([0, 1]))
    assert deletion is not None and insertion is not None
    assert (deletion.mean, deletion.low, deletion.high) == pytest.approx((3.5 / 12, 0.25, 0.5))
    assert (insertion.mean, insertion.low, insertion.high) == pytest.approx((8 / 12, 0.25, 0.75))
    assert area_estimates(-values, counts, np.array([0, 1])) == (None, None)  # all patches score worse than none


@pytest.mark.parametrize(("paper", "cls"), [(True, True), (False, False)])
def test_the_forward_pass_is_run_on_what_is_left(paper: bool, cls: bool) -> None:
    torch.manual_seed(0)
    net = CrossSparseAggrNet(embed_size=8, num_patches=16, use_paper_version=paper)
    image, words, neutral = torch.randn(16 + cls, 8), torch.randn(3, 8), torch.randn(8)
    present = np.random.default_rng(0).random((70, 16)) < 0.5  # more than one batch
    present[0], present[1] = True, False
    scores = rescorer(net, image, words, neutral)(present)
    assert scores[0] == pytest.approx(explain(net, image, words).similarity, abs=1e-6)
    for row in (1, 2, 69):
        changed = image.clone()
        for patch in np.flatnonzero(~present[row]):
            changed[cls + patch] = neutral  # [CLS] stays
        assert scores[row] == pytest.approx(explain(net, changed, words).similarity, abs=1e-5)
    assert len(set(scores.round(4).tolist())) > 10

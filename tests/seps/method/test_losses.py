import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seps import CrossSparseAggrNet, SEPSLoss, align_loss


def obvious(similarity: torch.Tensor, margin: float, hardest: bool, ids: list[int]) -> float:
    """Equation (6) as one reads it, pair by pair."""
    total, batch = 0.0, len(similarity)
    for i in range(batch):
        positive = float(similarity[i, i])
        others = [j for j in range(batch) if ids[j] != ids[i]]
        for violations in (
            [max(0.0, margin - positive + float(similarity[i, j])) for j in others],
            [max(0.0, margin - positive + float(similarity[j, i])) for j in others],
        ):
            total += max(violations, default=0.0) if hardest else sum(violations)
    return total


@given(st.integers(1, 7), st.integers(1, 4), st.booleans(), st.floats(0.0, 1.0), st.integers(0, 1000))
def test_align_loss_is_the_obvious_one(batch: int, images: int, hardest: bool, margin: float, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    similarity = torch.randn(batch, batch, generator=generator, dtype=torch.float64)
    ids = torch.randint(images, (batch,), generator=generator).tolist()
    loss = align_loss(similarity, margin, hardest, ids)
    assert abs(float(loss) - obvious(similarity, margin, hardest, ids)) < 1e-9


def test_the_migration_table_is_true() -> None:
    """The released code's lines in the table, with the cells next to them."""
    assert "criterion(sims, score_mask, img_ids)" in (SEPSLoss.__doc__ or "")
    torch.manual_seed(0)
    sims, score_mask, img_ids = torch.randn(5, 5), torch.rand(5, 5, 9).round(), torch.tensor([0, 1, 1, 2, 3])
    criterion = SEPSLoss(0.3, max_violation=False, target_ratio=0.4, ratio_weight=3.0)
    criterion.set_max_violation(True)
    total, align, ratio = criterion(sims, score_mask, img_ids)
    released_ratio = (score_mask.mean() - 0.4) ** 2
    assert float(align) == float(align_loss(sims, 0.3, True, img_ids))
    assert float(ratio) == float(released_ratio)
    assert float(total) == float(align + 3.0 * released_ratio)


def test_masks_of_whole_numbers_and_of_bool_count_as_floats_do() -> None:
    torch.manual_seed(0)
    similarity, mask = torch.randn(4, 4), torch.rand(4, 4, 9) > 0.3
    expected = SEPSLoss()(similarity, mask.float())
    for kind in (mask, mask.long(), mask.to(torch.uint8)):
        assert SEPSLoss()(similarity, kind) == expected
        assert SEPSLoss()(similarity, (kind, kind))[2] == pytest.approx(2 * float(expected[2]))


def test_the_network_s_masks_go_into_the_loss_as_they_come() -> None:
    for options in ({}, {"use_paper_version": True}, {"use_paper_version": True, "use_dual_aggr": False}):
        network = CrossSparseAggrNet(8, 9, **options).train()
        words, lengths = torch.randn(3, 5, 8), torch.tensor([5, 3, 2])
        with torch.no_grad():
            similarity, masks = network(torch.randn(3, 9, 8), words, lengths, words, lengths)
        total, align, ratio = SEPSLoss()(similarity, masks)
        assert float(total) == pytest.approx(float(align + 2 * ratio))
        assert len(masks) == {0: 3, 1: 2, 2: 1}[len(options)]  # (B_t, B_v, N), (D_s, D_d), (D_s,)

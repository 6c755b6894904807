import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from seps.method.network import CrossSparseAggrNet
from seps.method.selection import TokenSparse, caption_direction
from seps.training.batches.phrases import PhraseRegions, mark_disjoint_phrases
from seps.training.losses import decision
from seps.training.losses.decision import SOFTNESS
from seps.training.losses.selecting import blind_scores, phrase_scores, score_margins


def regions(rows: list[int], positive: list[list[int]], other: list[list[int]]) -> PhraseRegions:
    """Phrases without words, since the loss reads their directions."""
    count = len(rows)
    masks = (torch.tensor(positive, dtype=torch.bool), torch.tensor(other, dtype=torch.bool))
    return PhraseRegions(torch.tensor(rows), torch.zeros(count, 1, 1), torch.ones(count), *masks)


def decision_loss(
    predictor: TokenSparse, patches: torch.Tensor, directions: torch.Tensor, given: PhraseRegions
) -> torch.Tensor:
    return decision.decision_loss(score_margins(predictor, patches, directions, given.rows), given)


def blind_loss(predictor: TokenSparse, patches: torch.Tensor) -> torch.Tensor:
    return decision.blind_loss(blind_scores(predictor, patches), predictor.coefficients["s_st"])


def test_scores_are_those_of_the_network() -> None:
    torch.manual_seed(0)
    net = CrossSparseAggrNet(16, 9, use_paper_version=True, beta=0.2)
    patches, words = torch.randn(3, 9, 16), torch.randn(2, 4, 16)
    directions = torch.stack([caption_direction(word) for word in words]).float()  # (2, C)
    scores = phrase_scores(net.sparse_net_cap, patches, directions, torch.tensor([2, 0]))
    image = net.encode_images(patches)
    for row, (number, own_words) in enumerate(zip((2, 0), words, strict=True)):
        expected = net.match(image, own_words).sparse.selection.score[number]
        torch.testing.assert_close(scores[row], expected, atol=1e-5, rtol=0)


def test_the_loss_is_that_of_kept_and_dropped_shares() -> None:
    torch.manual_seed(1)
    predictor = TokenSparse(16, 0.5, use_paper_version=True)
    patches, directions = torch.randn(2, 6, 16), F.normalize(torch.randn(2, 16), dim=-1)
    given = regions([0, 1], [[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]], [[0, 0, 0, 1, 0, 0], [0] * 6])
    score = phrase_scores(predictor, patches, directions, given.rows).detach().numpy()  # (2, N)
    third = np.sort(score, axis=1)[:, -3:-2]  # three of six are kept
    kept = 1 / (1 + np.exp(-(score - third) / SOFTNESS))
    positive = -(math.log(kept[0, :2].mean()) + math.log(kept[1, 2])) / 2
    other = -math.log(1 - kept[0, 3])
    assert decision_loss(predictor, patches, directions, given).item() == pytest.approx(positive + other, rel=1e-5)


def test_a_score_that_rises_everywhere_gains_nothing() -> None:
    torch.manual_seed(5)
    predictor = TokenSparse(16, 0.5, use_paper_version=True, beta=0.0)
    patches, directions = torch.randn(2, 6, 16), F.normalize(torch.randn(2, 16), dim=-1)
    given = regions([0, 1], [[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]], [[0, 0, 0, 1, 0, 0], [0] * 6])
    scores = torch.randn(2, 6, requires_grad=True)
    predictor.predict = lambda _: scores  # type: ignore[method-assign, assignment]
    decision_loss(predictor, patches, directions, given).backward()
    assert scores.grad is not None and scores.grad.abs().max() > 0.1
    torch.testing.assert_close(scores.grad.sum(dim=1), torch.zeros(2), atol=1e-5, rtol=0)


def test_no_region_teaches_nothing() -> None:
    predictor = TokenSparse(8, 0.5, use_paper_version=True)
    given = regions([0], [[0] * 4], [[0] * 4])
    assert decision_loss(predictor, torch.randn(1, 4, 8), torch.ones(1, 8), given).item() == 0.0


def test_the_blind_part_s_spread() -> None:
    torch.manual_seed(4)
    predictor = TokenSparse(16, 0.5, use_paper_version=True, beta=0.25)
    patches = torch.randn(3, 6, 16)
    unit = F.normalize(patches, dim=-1)
    s_im = (unit @ F.normalize(patches.mean(dim=1), dim=-1)[..., None]).squeeze(-1).numpy()
    s_im = (s_im - s_im.min(1, keepdims=True)) / (s_im.max(1, keepdims=True) - s_im.min(1, keepdims=True))
    s_p = predictor.predict(patches)
    assert s_p is not None
    expected = (0.5 * s_p.detach().numpy() + 0.5 * s_im).std(axis=1).mean() / 0.25
    assert blind_loss(predictor, patches).item() == pytest.approx(expected, rel=1e-4)


def test_the_released_variant_is_refused() -> None:
    with pytest.raises(ValueError, match=r"The released variant has no s\^p"):
        decision_loss(TokenSparse(8), torch.randn(1, 4, 8), torch.ones(1, 8), regions([0], [[1, 0, 0, 0]], [[0] * 4]))
    with pytest.raises(ValueError, match=r"The released variant has no s\^p"):
        blind_loss(TokenSparse(8), torch.randn(1, 4, 8))


def test_others_are_those_that_share_no_patch() -> None:
    masks = ([1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1])
    phrases = [(i, torch.tensor(mask, dtype=torch.bool)) for i, mask in enumerate(masks)]
    assert mark_disjoint_phrases(phrases, 0).int().tolist() == [0, 0, 0, 1, 1]
    assert mark_disjoint_phrases(phrases, 2).int().tolist() == [1, 1, 1, 0, 1]

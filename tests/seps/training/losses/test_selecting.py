import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from seps.explanation.forward_pass import explain
from seps.method.network import CrossSparseAggrNet
from seps.method.selection import TokenSparse, caption_direction
from seps.training.batches.batch import StepBatch
from seps.training.batches.data_loader import mark_named_patches
from seps.training.batches.phrases import PhraseBox, PhraseRegions, mark_disjoint_phrases
from seps.training.losses import selecting
from seps.training.losses.selecting import (
    KEPT_SOFTNESS,
    MIN_INSIDE,
    blind_loss,
    decision_loss,
    map_loss,
    phrase_scores,
    selection_losses,
    significance_loss,
    token_maps,
)
from seps.training.settings import TrainSettings

ALL = TrainSettings(frozen=True, map_weight=1.0, significance_weight=1.0, decision_weight=1.0, blind_weight=1.0)
INSIDE = np.arange(16) < 5
LENGTHS = [5, 7]
Embedded = tuple[CrossSparseAggrNet, torch.Tensor, torch.Tensor]


def regions(rows: list[int], positive: list[list[int]], other: list[list[int]]) -> PhraseRegions:
    """Phrases without words, since the loss reads their directions."""
    count = len(rows)
    masks = (torch.tensor(positive, dtype=torch.bool), torch.tensor(other, dtype=torch.bool))
    return PhraseRegions(torch.tensor(rows), torch.zeros(count, 1, 1), torch.ones(count), *masks)


def selected(settings: TrainSettings, **changes: Any) -> list[str]:
    """The losses of two pairs with a phrase each."""
    torch.manual_seed(6)
    network = CrossSparseAggrNet(24, 16, use_paper_version=True)
    images, captions = torch.randn(2, network.num_patches, 24), torch.randn(2, 7, 24)
    masks = torch.from_numpy(np.stack([INSIDE, ~INSIDE]))
    parts: dict[str, Any] = {
        "phrases": [(i, i, PhraseBox(1, 3, INSIDE, "thing")) for i in range(2)],
        "named": masks,
        "regions": PhraseRegions(torch.arange(2), torch.randn(2, 3, 24), torch.tensor([3, 3]), masks, masks.flip(0)),
    }
    lengths, directions = torch.tensor(LENGTHS), F.normalize(torch.randn(2, 24), dim=-1)
    batch = StepBatch(images, captions, lengths, None, None, torch.arange(2), True, **parts | changes)
    return list(selection_losses(network, batch, images, images, captions, directions, settings))


def test_each_loss_has_what_it_looks_at_and_no_other_is_computed() -> None:
    assert selected(ALL) == ["maps", "significance", "decision", "blind"]
    assert selected(ALL, named=None, regions=None) == ["maps", "blind"]
    assert selected(TrainSettings(), named=None, regions=None) == selected(ALL, pretraining=True) == []


def test_phrases_are_scored_as_captions_are_by_the_network() -> None:
    torch.manual_seed(0)
    net = CrossSparseAggrNet(16, 9, use_paper_version=True, beta=0.2)
    patches, words = torch.randn(3, 9, 16), torch.randn(2, 4, 16)
    directions = torch.stack([caption_direction(word) for word in words]).float()  # (2, C)
    scores = phrase_scores(net.sparse_net_cap, patches, directions, torch.tensor([2, 0]))
    image = net.encode_images(patches)
    for row, (number, own_words) in enumerate(zip((2, 0), words, strict=True)):
        expected = net.match(image, own_words).sparse.selection.score[number]
        torch.testing.assert_close(scores[row], expected, atol=1e-5, rtol=0)


def test_the_loss_on_the_decision_is_that_of_kept_and_dropped_shares() -> None:
    torch.manual_seed(1)
    predictor = TokenSparse(16, 0.5, use_paper_version=True)
    patches, directions = torch.randn(2, 6, 16), F.normalize(torch.randn(2, 16), dim=-1)
    given = regions([0, 1], [[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]], [[0, 0, 0, 1, 0, 0], [0] * 6])
    score = phrase_scores(predictor, patches, directions, given.rows).detach().numpy()  # (2, N)
    third = np.sort(score, axis=1)[:, -3:-2]  # three of six are kept
    kept = 1 / (1 + np.exp(-(score - third) / KEPT_SOFTNESS))
    positive = -(math.log(kept[0, :2].mean()) + math.log(kept[1, 2])) / 2
    other = -math.log(1 - kept[0, 3])
    assert decision_loss(predictor, patches, directions, given).item() == pytest.approx(positive + other, rel=1e-5)
    nowhere = regions([0], [[0] * 6], [[0] * 6])
    assert decision_loss(predictor, patches, directions[:1], nowhere).item() == 0.0


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
    with pytest.raises(ValueError, match=r"The released variant has no s\^p"):
        blind_loss(TokenSparse(16), patches)


def test_named_patches_are_those_of_any_caption_and_others_share_none() -> None:
    def phrase(*inside: int) -> PhraseBox:
        return PhraseBox(0, 1, np.isin(np.arange(6), inside), "thing")

    named = mark_named_patches([[phrase(0), phrase(1, 2)], [phrase(4)], [], [phrase(5)]], 2, 6)
    assert named.int().tolist() == [[1, 1, 1, 0, 1, 0], [0, 0, 0, 0, 0, 1]]
    masks = ([1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1])
    phrases = [(i, torch.tensor(mask, dtype=torch.bool)) for i, mask in enumerate(masks)]
    assert mark_disjoint_phrases(phrases, 0).int().tolist() == [0, 0, 0, 1, 1]
    assert mark_disjoint_phrases(phrases, 2).int().tolist() == [1, 1, 1, 0, 1]


def test_named_and_other_patches_weigh_the_same_and_embeddings_stay() -> None:
    torch.manual_seed(3)
    predictors = (TokenSparse(16, use_paper_version=True), TokenSparse(16, use_paper_version=True))
    patches = torch.randn(3, 6, 16, requires_grad=True)
    named = torch.tensor([[1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0]], dtype=torch.bool)
    expected = []
    for predictor in predictors:
        s_p = predictor.predict(patches)
        assert s_p is not None
        for scores, inside in zip(s_p.detach()[:2], named, strict=False):  # nothing is named of the third
            expected.append(-(scores[inside].log().mean() + (1 - scores[~inside]).log().mean()) / 2)
    loss = significance_loss(predictors, patches, named)
    assert float(loss.detach()) == pytest.approx(np.mean(expected), abs=1e-6)
    loss.backward()
    assert patches.grad is None
    assert float(significance_loss(predictors, patches[2:], named[2:])) == 0.0  # what is not named teaches nothing


@pytest.fixture(params=[True, False], ids=["cls", "no cls"])
def embedded(request: pytest.FixtureRequest) -> Embedded:
    torch.manual_seed(4)
    net = CrossSparseAggrNet(embed_size=24, num_patches=16, use_paper_version=True).eval()
    return net, torch.randn(2, 16 + request.param, 24), torch.randn(2, 7, 24)


def test_the_tokens_are_those_of_the_explanation(embedded: Embedded) -> None:
    net, images, captions = embedded
    weights, tokens = token_maps(net, images, captions, LENGTHS)
    for i, length in enumerate(LENGTHS):
        record = explain(net, images[i], captions[i, :length]).sparse_alignment
        np.testing.assert_allclose(weights[i].detach(), record.token_weights, atol=1e-6)
        words = torch.nn.functional.normalize(captions[i, :length], dim=-1)
        np.testing.assert_allclose((tokens[i] @ words.T).detach(), record.cosines, atol=1e-5)


def test_map_loss_with_a_sharp_choice_is_the_explanation_s(embedded: Embedded, monkeypatch: pytest.MonkeyPatch) -> None:
    net, images, captions = embedded
    monkeypatch.setattr(selecting, "TOKEN_SCALE", 1e6)
    box = np.arange(16) < 9
    expected, phrases = [], []
    for i, (first, last) in enumerate([(1, 3), (4, 6)]):
        record = explain(net, images[i], captions[i, : LENGTHS[i]]).sparse_alignment
        named = record.word_maps[first:last].copy()
        named[record.best_token[first:last] == len(record.tokens) - 1] = 0.0  # the extra token
        for word in named:  # (N,)
            inside, peaks = word[box].sum(), (word[box] ** 4).sum() / max((word**4).sum(), 1e-12)
            expected.append(-(math.log(inside + MIN_INSIDE) + math.log(peaks + MIN_INSIDE)) / 2)
        phrases.append((i, i, PhraseBox(first, last, box, "thing")))
    everywhere = (1, 1, PhraseBox(1, 2, np.ones(16, dtype=bool), "scene"))  # teaches nothing
    loss = map_loss(net, images, captions, LENGTHS, [*phrases, everywhere]).detach()
    assert float(loss) == pytest.approx(np.mean(expected), abs=1e-5)  # two words a phrase
    assert float(map_loss(net, images, captions, LENGTHS, [everywhere]).detach()) == 0.0


def test_fixed_decisions_give_the_same_loss_and_teach_s_p_nothing(embedded: Embedded) -> None:
    net, images, captions = embedded
    phrases = [(0, 0, PhraseBox(1, 3, np.arange(16) < 4, "thing"))]
    free, fixed = (map_loss(net, images, captions, LENGTHS, phrases, choice) for choice in (False, True))
    assert float(free.detach()) == float(fixed.detach())
    predictor = list(net.sparse_net_cap.parameters())
    learnt = torch.autograd.grad(free, predictor, allow_unused=True)
    kept = torch.autograd.grad(fixed, [*predictor, *net.aggr_net.parameters()], allow_unused=True)
    assert all(gradient is not None and bool(gradient.any()) for gradient in learnt[-2:])
    assert all(gradient is None or not bool(gradient.any()) for gradient in kept[: len(predictor)])
    assert any(gradient is not None and bool(gradient.any()) for gradient in kept[len(predictor) :])

import math

import numpy as np
import pytest
import torch

from seps.explanation.forward_pass import explain
from seps.method.network import CrossSparseAggrNet
from seps.method.selection import caption_directions, text_attention
from seps.training.batches.phrases import PhraseBox
from seps.training.losses import maps
from seps.training.losses.maps import MIN_INSIDE
from seps.training.losses.selecting import token_maps

LENGTHS = [5, 7]
Maps = tuple[torch.Tensor, torch.Tensor]
Embedded = tuple[CrossSparseAggrNet, torch.Tensor, torch.Tensor]


def maps_of(net: CrossSparseAggrNet, images: torch.Tensor, captions: torch.Tensor, fixed: bool = False) -> Maps:
    image = net.encode_images(images)
    s_st = text_attention(image.unit, caption_directions(captions, LENGTHS)[..., None]).squeeze(-1)
    return token_maps(net, image, s_st, fixed)


def map_loss(
    net: CrossSparseAggrNet,
    images: torch.Tensor,
    captions: torch.Tensor,
    phrases: list[tuple[int, int, PhraseBox]],
    fixed: bool = False,
) -> torch.Tensor:
    return maps.map_loss(maps_of(net, images, captions, fixed), captions, phrases)


@pytest.fixture(params=[True, False], ids=["cls", "no cls"])
def embedded(request: pytest.FixtureRequest) -> Embedded:
    torch.manual_seed(4)
    net = CrossSparseAggrNet(embed_size=24, num_patches=16, use_paper_version=True).eval()
    return net, torch.randn(2, 16 + request.param, 24), torch.randn(2, 7, 24)


def test_the_tokens_are_those_of_the_explanation(embedded: Embedded) -> None:
    net, images, captions = embedded
    weights, tokens = maps_of(net, images, captions)
    for i, length in enumerate(LENGTHS):
        record = explain(net, images[i], captions[i, :length]).sparse_alignment
        np.testing.assert_allclose(weights[i].detach(), record.token_weights, atol=1e-6)
        words = torch.nn.functional.normalize(captions[i, :length], dim=-1)
        np.testing.assert_allclose((tokens[i] @ words.T).detach(), record.cosines, atol=1e-5)


def test_with_a_sharp_choice_of_tokens_the_loss_is_the_explanations(
    embedded: Embedded, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, images, captions = embedded
    monkeypatch.setattr(maps, "TOKEN_SCALE", 1e6)
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
    loss = map_loss(net, images, captions, [*phrases, everywhere]).detach()
    assert float(loss) == pytest.approx(np.mean(expected), abs=1e-5)  # two words a phrase
    assert float(map_loss(net, images, captions, [everywhere]).detach()) == 0.0


def test_training_by_it_moves_the_maps_into_the_boxes(embedded: Embedded) -> None:
    net, images, captions = embedded
    patches = torch.nn.Parameter(images)
    box = np.arange(16) < 4
    phrases = [(0, 0, PhraseBox(1, 3, box, "thing")), (1, 1, PhraseBox(2, 4, ~box, "rest"))]

    def inside() -> list[float]:
        fractions = []
        for i, _, phrase in phrases:
            record = explain(net, patches[i].detach(), captions[i, : LENGTHS[i]]).sparse_alignment
            fractions.append(float(record.word_maps[phrase.first : phrase.last].mean(axis=0)[phrase.inside].sum()))
        return fractions

    before = inside()
    optimizer = torch.optim.Adam([patches, *net.aggr_net.parameters()], lr=0.02)
    for _ in range(150):
        optimizer.zero_grad()
        map_loss(net, patches, captions, phrases).backward()
        optimizer.step()
    after = inside()
    assert after[0] > max(0.8, before[0]) and after[1] > 0.9


def test_fixed_decisions_give_the_same_loss_and_teach_s_p_nothing(embedded: Embedded) -> None:
    net, images, captions = embedded
    phrases = [(0, 0, PhraseBox(1, 3, np.arange(16) < 4, "thing"))]
    free, fixed = (map_loss(net, images, captions, phrases, choice) for choice in (False, True))
    assert float(free.detach()) == float(fixed.detach())
    predictor = list(net.sparse_net_cap.parameters())
    learnt = torch.autograd.grad(free, predictor, allow_unused=True)
    kept = torch.autograd.grad(fixed, [*predictor, *net.aggr_net.parameters()], allow_unused=True)
    assert all(gradient is not None and bool(gradient.any()) for gradient in learnt[-2:])
    assert all(gradient is None or not bool(gradient.any()) for gradient in kept[: len(predictor)])
    assert any(gradient is not None and bool(gradient.any()) for gradient in kept[len(predictor) :])

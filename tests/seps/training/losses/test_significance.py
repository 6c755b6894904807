import math

import numpy as np
import pytest
import torch

from seps.method.selection import TokenSparse
from seps.training.batches.data_loader import mark_named_patches
from seps.training.batches.phrases import PhraseBox
from seps.training.losses import significance
from seps.training.losses.selecting import named_s_p

Pair = tuple[TokenSparse, TokenSparse]


def significance_loss(predictors: tuple[TokenSparse, ...], patches: torch.Tensor, named: torch.Tensor) -> torch.Tensor:
    return significance.significance_loss(*named_s_p(predictors, patches, named))


@pytest.fixture
def predictors() -> Pair:
    torch.manual_seed(3)
    return TokenSparse(16, use_paper_version=True), TokenSparse(16, use_paper_version=True)


def test_both_classes_weigh_the_same(predictors: Pair) -> None:
    patches = torch.randn(3, 6, 16)
    named = torch.tensor([[1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0]], dtype=torch.bool)
    expected = []
    for predictor in predictors:
        s_p = predictor.predict(patches)
        assert s_p is not None
        for scores, inside in zip(s_p.detach()[:2], named, strict=False):  # nothing is named of the third
            expected.append(-(scores[inside].log().mean() + (1 - scores[~inside]).log().mean()) / 2)
    assert float(significance_loss(predictors, patches, named).detach()) == pytest.approx(np.mean(expected), abs=1e-6)


def test_what_is_wholly_or_not_at_all_named_teaches_nothing(predictors: Pair) -> None:
    named = torch.stack([torch.ones(6), torch.zeros(6)]).bool()
    assert float(significance_loss(predictors, torch.randn(2, 6, 16), named)) == 0.0


def test_s_p_learns_what_is_named_and_embeddings_stay(predictors: Pair) -> None:
    patches = torch.randn(4, 6, 16, requires_grad=True)
    named = torch.rand(4, 6, generator=torch.Generator().manual_seed(1)) < 0.4
    named[:, 0], named[:, 1] = True, False
    optimizer = torch.optim.Adam([p for predictor in predictors for p in predictor.parameters()], lr=0.02)
    with torch.no_grad():
        for predictor in predictors:
            for parameter in predictor.score_predictor.parameters():
                parameter[:] = parameter * (parameter.shape[0] > 1)  # the last layer's are 0
    assert float(significance_loss(predictors, patches, named).detach()) == pytest.approx(math.log(2), abs=1e-6)
    for _ in range(150):
        optimizer.zero_grad()
        significance_loss(predictors, patches, named).backward()
        optimizer.step()
    assert patches.grad is None
    for predictor in predictors:
        s_p = predictor.predict(patches.detach())
        assert s_p is not None
        assert bool(s_p[named].min() > s_p[~named].max())


def test_named_patches_are_those_of_all_of_an_image_s_captions() -> None:
    def phrase(*inside: int) -> PhraseBox:
        return PhraseBox(0, 1, np.isin(np.arange(6), inside), "thing")

    named = mark_named_patches([[phrase(0), phrase(1, 2)], [phrase(4)], [], [phrase(5)]], 2, 6)
    assert named.int().tolist() == [[1, 1, 1, 0, 1, 0], [0, 0, 0, 0, 0, 1]]

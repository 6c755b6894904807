from typing import Any

import pytest
import torch
from hypothesis import example, given, settings

from seps import CrossSparseAggrNet
from seps.training.losses.pairwise import pairwise_similarity
from tests.helpers.examples import number_of_examples
from tests.helpers.models.cases import Case, cases


def with_gradients(model: CrossSparseAggrNet, inputs: dict[str, Any], pairwise: bool) -> tuple[Any, Any, list[Any]]:
    """Similarity, masks, and the gradients of a fixed mixture of similarities for inputs and parameters."""
    leaves = {name: inputs[name].clone().requires_grad_() for name in ("img_embs", "cap_embs")}
    model.zero_grad()
    called = {**inputs, **leaves}
    similarity, masks = pairwise_similarity(model, **called) if pairwise else model(**called)
    mixture = torch.linspace(-1, 1, similarity.numel()).view_as(similarity)
    (similarity * mixture).sum().backward()
    parameters = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return similarity.detach(), masks, [leaves["img_embs"].grad, leaves["cap_embs"].grad, parameters]


@pytest.mark.parametrize(
    ("paper", "has_cls", "dense_words", "dual"),
    [(True, True, 7, True), (True, False, 0, False), (False, True, 0, True), (False, False, 7, True)],
)
def test_equals_forward_with_gradients(paper: bool, has_cls: bool, dense_words: int, dual: bool) -> None:
    case = Case(images=3, captions=4, paper=paper, has_cls=has_cls, dense_words=dense_words, dual=dual, logit_scale=5.0)
    model, inputs = case.build()
    model.train()
    expected, expected_masks, expected_gradients = with_gradients(model, inputs, pairwise=False)
    similarity, masks, gradients = with_gradients(model, inputs, pairwise=True)
    torch.testing.assert_close(similarity, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(masks, expected_masks, atol=0, rtol=0)
    torch.testing.assert_close(gradients, expected_gradients, atol=2e-5, rtol=1e-4)


@settings(max_examples=number_of_examples(30))
@given(case=cases)
@example(
    case=Case(images=3, captions=1, side=5, aggr_ratio=0.6875, paper=True, dual=False, top_k=1, seed=32, logit_scale=20)
)  # a token whose kept patches are all far below its highest
def test_equals_forward_for_any_shape(case: Case) -> None:
    model, inputs = case.build()
    model.train()
    similarity, masks = pairwise_similarity(model, **inputs)
    expected, expected_masks = model(**inputs)
    torch.testing.assert_close(similarity, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(masks, expected_masks, atol=0, rtol=0)


def test_drawn_decisions_reach_the_score_predictor() -> None:
    model, inputs = Case(images=2, captions=3, side=6).build(use_gumbel_softmax=True)
    model.train()
    similarity, masks = pairwise_similarity(model, **inputs, generator=torch.Generator().manual_seed(1))
    again, _ = pairwise_similarity(model, **inputs, generator=torch.Generator().manual_seed(1))
    other, _ = pairwise_similarity(model, **inputs, generator=torch.Generator().manual_seed(2))
    assert torch.equal(similarity, again)
    assert not torch.equal(similarity, other)
    assert set(masks[0].unique().tolist()) == {0.0, 1.0}
    masks[0].mean().backward()
    gradient = dict(model.named_parameters())["sparse_net_cap.score_predictor.0.weight"].grad
    assert gradient is not None
    assert float(gradient.abs().max()) > 0


def test_mixed_precision_stays_near_and_finite() -> None:
    model, inputs = Case(images=3, captions=4, side=6, dense_words=7).build()
    model.train()
    expected, _ = pairwise_similarity(model, **inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        similarity, _ = pairwise_similarity(model, **inputs)
    torch.testing.assert_close(similarity.float(), expected, atol=0.1, rtol=0)


def test_refuses_what_forward_refuses() -> None:
    model, inputs = Case(images=2, captions=3).build()
    with pytest.raises(ValueError, match="cap_lens has 2 entries"):
        pairwise_similarity(model, inputs["img_embs"], inputs["cap_embs"], [1, 1])

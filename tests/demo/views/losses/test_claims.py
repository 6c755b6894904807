"""What the lesson claims of gradients holds, on the library and on the model."""

from __future__ import annotations

import json

import pytest
import torch
from torch import Tensor

from demo.record.settings import network_with, trained_knobs
from demo.record.table import LESSON
from demo.service.retrieval import RetrievalService
from demo.views.losses.claims import CLAIMS, claims_value, run_claim
from demo.views.losses.values import read_batch
from seps import CrossSparseAggrNet, align_loss, ratio_loss

SAME = "the same patches for every caption"
WORDS, LENGTHS = torch.randn(3, 7, 32, generator=torch.Generator().manual_seed(1)), [7, 4, 5]


def network(**options: bool) -> CrossSparseAggrNet:
    torch.manual_seed(0)
    return CrossSparseAggrNet(embed_size=32, num_patches=36, **options).train()


def photographs(tokens: int) -> Tensor:
    return torch.randn(2, tokens, 32, generator=torch.Generator().manual_seed(2)).requires_grad_()


def passed(net: CrossSparseAggrNet, images: Tensor, seed: int = 0) -> tuple[Tensor, Tensor | tuple[Tensor, ...]]:
    result = net(images, WORDS, LENGTHS, WORDS, LENGTHS, generator=torch.Generator().manual_seed(seed))
    assert isinstance(result, tuple)
    return result


def test_under_top_k_the_ratio_loss_is_a_constant() -> None:
    _, masks = passed(network(use_paper_version=True), photographs(36))
    assert {float(fraction) for mask in masks for fraction in mask.mean(dim=-1).flatten()} == {0.5}
    for target in (0.5, 0.3):
        loss = ratio_loss(masks, target)
        assert not loss.requires_grad
        assert float(loss) == pytest.approx(2 * (0.5 - target) ** 2, abs=1e-7)


def test_under_gumbel_softmax_it_is_not() -> None:
    net = network(use_paper_version=True, use_gumbel_softmax=True)
    losses = [ratio_loss(passed(net, photographs(36), seed)[1], 0.5) for seed in (0, 1)]
    assert not torch.equal(losses[0], losses[1])
    losses[0].backward()
    for part in (net.sparse_net_cap, net.sparse_net_long):
        for values in part.score_predictor.parameters():
            assert values.grad is not None and float(values.grad.abs().sum()) > 0


@pytest.mark.parametrize("has_cls", [False, True])
def test_in_the_released_code_the_image_is_reached_through_cls_alone(has_cls: bool) -> None:
    images = photographs(36 + has_cls)
    similarity, _ = passed(network(use_paper_version=False), images)
    (gradient,) = torch.autograd.grad(similarity.sum(), [images], allow_unused=True)
    if not has_cls:
        assert gradient is None
        return
    assert float(gradient[:, 0].abs().sum()) > 0
    assert float(gradient[:, 1:].abs().sum()) == 0


def test_with_selection_let_through_and_in_the_paper_the_patches_are_reached() -> None:
    for net in (network(use_paper_version=False, detach_selection=False), network(use_paper_version=True)):
        images = photographs(36)
        (gradient,) = torch.autograd.grad(passed(net, images)[0].sum(), [images])
        assert float(gradient.abs().sum()) > 0


@pytest.mark.parametrize("name", list(CLAIMS))
def test_a_claim_holds_on_the_model_and_leaves_it_as_it_is(service: RetrievalService, name: str) -> None:
    before = {key: value.clone() for key, value in service.model.cross_net.state_dict().items()}
    result = json.loads(json.dumps(run_claim(service, name)))
    assert set(result) == {"name", "claim", "how", "measured", "holds"}
    assert result["holds"] is True
    assert result["measured"] == run_claim(service, name)["measured"]
    assert all(torch.equal(value, before[key]) for key, value in service.model.cross_net.state_dict().items())
    assert all(values.grad is None for values in service.model.parameters())
    assert not service.model.cross_net.training and not service.model.cross_net.use_gumbel_softmax


def test_the_numbers_say_what_the_claims_say(service: RetrievalService) -> None:
    fixed, drawn, cut = (run_claim(service, name)["measured"] for name in ("top-k", "gumbel", "cut-gradient"))
    assert fixed["smallest kept share"] == fixed["largest kept share"] == 0.5
    assert fixed["L_ratio for a target of 0.3"] == pytest.approx(0.08, abs=1e-6)
    assert fixed["its gradient, target 0.3"] == fixed["its gradient, target 0.5"] == 0
    assert drawn["smallest kept share"] < 0.5 < drawn["largest kept share"]
    assert drawn["L_ratio, seed 0"] > 0 and drawn["gradient of L_ratio at the score networks"] > 0
    assert cut["released, without [CLS]: at the patches"] == 0
    assert cut["released, without [CLS]: at the image encoder's head"] == 0
    assert cut["released, with [CLS]: at [CLS]"] > 0 == cut["released, with [CLS]: at the patches"]
    assert cut["paper, without [CLS]: at the image encoder's head"] > 0


def test_a_selector_that_cheats_is_seen_by_the_ratio_loss_alone(service: RetrievalService) -> None:
    measured = run_claim(service, "cheats")["measured"]
    align, ratio = (
        {name: measured[f"{kind}, {name}"] for name in ("its own decision", "all patches", "one patch", SAME)}
        for kind in ("L_align", "L_ratio")
    )
    assert ratio["all patches"] == pytest.approx(0.5) and ratio["one patch"] == pytest.approx(2 * (0.5 - 1 / 196) ** 2)
    assert ratio["its own decision"] == ratio[SAME] == 0
    batch = read_batch(service)
    knobs = trained_knobs(service.model)
    net = network_with(service.model, knobs)
    with torch.no_grad():
        dense = batch.dense_words, batch.dense_lengths
        similarity = net(batch.images, batch.words, batch.lengths, *dense)
    assert align["its own decision"] == pytest.approx(float(align_loss(similarity, img_ids=batch.img_ids)), abs=1e-4)
    assert min(align["one patch"], align[SAME]) < align["its own decision"]


def test_the_page_gets_every_claim_with_what_was_measured(service: RetrievalService) -> None:
    result = run_claim(service, "top-k")
    claims = claims_value({"top-k": result})["claims"]
    assert list(LESSON["claim"]) == list(LESSON["how"]) == list(CLAIMS)
    assert [(claim["claim"], claim["how"]) for claim in claims] == [
        (LESSON["claim"][name], LESSON["how"][name]) for name in CLAIMS
    ]
    assert [claim["name"] for claim in claims] == list(CLAIMS)
    assert [claim["result"] for claim in claims] == [result, None, None, None]
    with pytest.raises(ValueError, match="There is no claim 'moon'"):
        run_claim(service, "moon")

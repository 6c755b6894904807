from collections.abc import Iterator
from math import exp, tanh
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from seps.judge.config import EncoderConfig, JudgeConfig
from seps.judge.network import ConsistencyHead, JudgeNetwork, QualityHead, corrected

HALF = torch.tensor([0.5])  # the predicted quality of one picture


@pytest.fixture(autouse=True)
def without_gradient() -> Iterator[None]:
    with torch.no_grad():
        yield


def config(**options: Any) -> JudgeConfig:
    return JudgeConfig(EncoderConfig("clip", "any"), **options)


def set_to(module: nn.Linear, weight: list[list[float]], bias: list[float]) -> None:
    module.weight.copy_(torch.tensor(weight))
    module.bias.copy_(torch.tensor(bias))


def sigmoid(value: float) -> float:
    return 1 / (1 + exp(-value))


def gelu(value: float) -> float:
    return float(nn.functional.gelu(torch.tensor(value)))


def test_quality_is_the_base_and_a_bounded_correction() -> None:
    head = QualityHead(2, config(hidden=1, dropout=0.0)).eval()
    set_to(head.base, [[1.0, -2.0]], [0.5])
    assert head.mlp is not None
    set_to(head.mlp[0], [[2.0, 1.0]], [-0.5])  # type: ignore[arg-type]
    set_to(head.mlp[3], [[0.7]], [0.1])  # type: ignore[arg-type]
    score = head(torch.tensor([[3.0, 4.0]]))  # of unit length: 0.6, 0.8
    base = sigmoid(0.6 - 2 * 0.8 + 0.5)
    correction = 0.2 * tanh(0.7 * gelu(2 * 0.6 + 0.8 - 0.5) + 0.1)
    assert float(score.base) == pytest.approx(base)
    assert float(score.correction) == pytest.approx(correction, rel=1e-5)
    assert float(score.final) == pytest.approx(base + correction, rel=1e-5)


def test_consistency_starts_from_the_cosine() -> None:
    head = ConsistencyHead(2, 2, config()).eval()
    image, text = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.6, 0.8]])
    score = head(image, text, image, HALF)
    assert float(score.base) == pytest.approx((0.6 + 1) / 2)  # a 1 and b 0 at the start
    assert head.a is not None and head.b is not None
    head.a.fill_(0.5)
    head.b.fill_(0.1)
    assert float(head(image, text, image, HALF).base) == pytest.approx(0.5 * 0.8 + 0.1)
    fused = head.fusion(torch.tensor([[1.0, 0.0, 0.6, 0.8, 0.6]]))
    assert float(score.correction) == pytest.approx(0.2 * tanh(float(fused)), rel=1e-5)


def test_the_correction_of_consistency_may_begin_with_the_predicted_quality() -> None:
    head = ConsistencyHead(2, 2, config(fusion_score=True)).eval()
    assert head.gain is not None
    head.gain.fill_(3.0)
    image, text = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.6, 0.8]])
    fused = float(head.fusion(torch.tensor([[1.0, 0.0, 0.6, 0.8, 0.6]])))
    for quality in (0.1, 0.9):
        correction = head(image, text, image, torch.tensor([quality])).correction
        assert float(correction) == pytest.approx(0.2 * tanh(fused + 3 * (quality - 0.5)), rel=1e-5)


def test_consistency_does_not_teach_quality() -> None:
    network = JudgeNetwork(6, 4, config(fusion_score=True))
    with torch.enable_grad():
        _, consistency = network(torch.randn(3, 6), unit(torch.randn(3, 4)), unit(torch.randn(3, 4)))
        consistency.final.sum().backward()
    assert all(parameter.grad is None for parameter in network.quality.parameters())
    assert network.consistency.gain is not None and network.consistency.gain.grad is not None


def test_direct_scores_have_no_parts() -> None:
    image, text = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.6, 0.8]])
    quality = QualityHead(2, config(residual=False)).eval()
    set_to(quality.base, [[1.0, 1.0]], [0.0])
    score = quality(torch.tensor([[0.6, 0.8]]))
    assert float(score.final) == float(score.base) == pytest.approx(sigmoid(1.4))
    assert float(score.correction) == 0 and quality.mlp is None
    head = ConsistencyHead(2, 2, config(residual=False)).eval()
    fused = float(head.fusion(torch.tensor([[1.0, 0.0, 0.6, 0.8, 0.6]])))
    assert float(head(image, text, image, HALF).final) == pytest.approx(sigmoid(fused), rel=1e-5)
    two = ConsistencyHead(2, 2, config(residual=False, branches="two")).eval()
    two.load_state_dict(head.state_dict())
    expected = (sigmoid(fused) + sigmoid(5 * 0.6)) / 2
    assert float(two(image, text, image, HALF).final) == pytest.approx(expected, rel=1e-5)


@given(st.floats(0, 1), st.floats(-1e3, 1e3), st.floats(0.01, 1))
def test_no_correction_leaves_its_bounds(base: float, raw: float, scale: float) -> None:
    score = corrected(torch.tensor([base]), torch.tanh(torch.tensor([raw])), scale)
    assert 0 <= float(score.final) <= 1
    assert abs(float(score.correction)) <= scale * (1 + 1e-6)
    assert abs(float(score.final) - base) <= scale + 1e-6


def test_shares_of_patches_add_up_to_the_logit() -> None:
    head = QualityHead(5, config()).eval()
    head.standardize.fit(torch.randn(40, 5) * 3 + 1)
    patches = torch.randn(7, 5)
    attributions = head.attributions(patches)
    logit = head.logit(head.embed(patches.mean(dim=0, keepdim=True)))
    assert attributions.shape == (7,)
    assert float(attributions.sum()) == pytest.approx(float(logit), abs=1e-5)
    assert float(torch.sigmoid(attributions.sum())) == pytest.approx(
        float(head(patches.mean(dim=0, keepdim=True)).base), abs=1e-6
    )


def unit(values: Tensor) -> Tensor:
    return nn.functional.normalize(values, dim=-1)

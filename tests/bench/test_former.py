"""The engine's former self, as the benchmark has it, decides in float64 and scores alike."""

from __future__ import annotations

import pytest
import torch

from seps.search.decisions import Decisions
from seps.search.engine import ScoringEngine
from tests.bench.former import decided_in_float64, former_side_by_side
from tests.helpers.cases import Case


def test_the_former_engine_decides_in_float64() -> None:
    case = Case(images=3, captions=2, side=4, channels=16, paper=True, dense_words=0, has_cls=False)
    model, inputs = case.build()
    images = ScoringEngine(model).encode_images(inputs["img_embs"])
    assert Decisions(model, images).in_float32
    with decided_in_float64():
        assert not Decisions(model, images).in_float32
    assert Decisions(model, images).in_float32


def test_it_prints_a_ratio_of_each_size(capsys: pytest.CaptureFixture[str]) -> None:
    (ratio,) = former_side_by_side(torch.device("cpu"), rounds=1, sizes=((3, 2),))
    assert f"ratio {ratio:5.2f}" in capsys.readouterr().out
    assert ratio > 0

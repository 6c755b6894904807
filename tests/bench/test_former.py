"""The engine's former self, as the benchmark has it, decides in float64 on one thread and scores alike."""

from __future__ import annotations

import pytest
import torch

import seps.search.engine
from seps.search.decisions import Decisions
from seps.search.engine import ScoringEngine
from tests.bench.former import former_self, former_side_by_side
from tests.helpers.cases import Case


def test_the_former_engine_decides_in_float64_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(images=3, captions=2, side=4, channels=16, paper=True, dense_words=0, has_cls=False)
    model, inputs = case.build()
    engine = ScoringEngine(model)
    images, captions = engine.encode_images(inputs.pop("img_embs")), engine.encode_captions(**inputs)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    monkeypatch.setattr(seps.search.engine, "ALIGNED", 2)

    def how() -> tuple[bool, int]:
        return Decisions(model, images).in_float32, engine.plan(images, captions)[2]

    assert how() == (True, 2)
    with former_self():
        assert how() == (False, 1)
    assert how() == (True, 2)


def test_it_prints_a_ratio_of_each_size(capsys: pytest.CaptureFixture[str]) -> None:
    (ratio,) = former_side_by_side(torch.device("cpu"), rounds=1, sizes=((3, 2),))
    assert f"ratio {ratio:5.2f}" in capsys.readouterr().out
    assert ratio > 0

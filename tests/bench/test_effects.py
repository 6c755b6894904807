"""What the benchmark of effects sets side by side is the same thing."""

from __future__ import annotations

import pytest
import torch

from seps import CrossSparseAggrNet
from tests.bench.effects import effects_side_by_side


@pytest.mark.parametrize("paper", [False, True])
def test_batches_and_loops_find_the_same_effects(paper: bool, capsys: pytest.CaptureFixture[str]) -> None:
    model = CrossSparseAggrNet(32, 25, use_paper_version=paper).eval()
    result = effects_side_by_side(model, "small", torch.device("cpu"), 1)
    assert result["effects"]["difference"] < 1e-5 and result["blanked"]["difference"] < 1e-5
    measures = {"effects", "blanked", "smallest_set", "smallest_change", "shares", "forced_explain"}
    assert set(result) == measures | {"ranking_of_200", "decision_with_rank"}
    assert all(seconds["seconds"] > 0 for seconds in result.values())
    printed = capsys.readouterr().out
    assert "effects of 25 patches" in printed and "smallest change" in printed

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from seps.models.config import ModelConfig
from seps.runs.run_log import write_epoch
from seps.training import ratio_weights
from seps.training.guide import CLAIMED_KEPT
from seps.training.loop import CURVES
from seps.training.ratio_weights import main
from seps.training.settings import TrainSettings, read_recipe


def test_only_the_weight_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[TrainSettings] = []

    def train(config: ModelConfig, settings: TrainSettings, data: Path, out: Path, **_: Any) -> float:
        assert (data / "train_caps.txt").is_file()
        trained.append(settings)
        out.mkdir()
        steps = [{"epoch": 1.0, "step": i + 1.0, "kept": kept} for i, kept in enumerate((0.9, 0.7, 0.52, 0.48))]
        write_epoch(out, CURVES, {"epoch": 1.0, "align": 5.0}, steps, redraw=False)
        return 100.0

    monkeypatch.setattr(ratio_weights, "train", train)
    threads = torch.get_num_threads()
    assert main(["--out", str(tmp_path / "result.json"), "--train", "2", "--dev", "1"]) == 0
    torch.set_num_threads(threads)
    result = json.loads((tmp_path / "result.json").read_text())
    assert [settings.ratio_weight for settings in trained] == list(CLAIMED_KEPT)
    assert len({str(settings.as_dict() | {"ratio_weight": 0}) for settings in trained}) == 1
    assert [run["ratio_weight"] for run in result["runs"]] == list(CLAIMED_KEPT)
    run = result["runs"][0]
    assert run["kept"] == [0.9, 0.7, 0.52, 0.48]
    assert (run["low"], run["high"], run["mean"], run["align"]) == (0.48, 0.52, 0.5, [5.0])  # of the last half
    assert (result["scenes"], result["steps"], result["target_ratio"]) == (2, 4, 0.5)
    config, settings = read_recipe("ratio")
    assert config.network["use_gumbel_softmax"]
    assert settings.dense_share == 1.0


def test_a_recipe_that_takes_the_top_k_is_refused(tmp_path: Path, refusal: Callable[..., str]) -> None:
    error = refusal(main, ["--out", str(tmp_path / "result.json"), "--recipe", "tiny"])
    assert error == "error: tiny takes the top k, which fixes the kept ratio: set use_gumbel_softmax.\n"

"""`make gpu` refuses in a sentence where there is no GPU, and its checks run on a CPU as far as they go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tests.bench.gpu import NAMES, Checks, main, run_checks

ROOT = Path(__file__).parents[2]


def test_it_refuses_without_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main(["--out", str(tmp_path / "gpu.json")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: There is no CUDA GPU here")
    assert error.count("\n") == 1
    assert not (tmp_path / "gpu.json").exists()
    assert main(["--out", str(tmp_path / "nowhere" / "gpu.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_make_gpu_is_one_command() -> None:
    assert "gpu: $(READY)\n\t$(RUN) -m tests.bench.gpu --out gpu.json\n" in (ROOT / "Makefile").read_text()


def test_what_breaks_is_written_down_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Checks) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(Checks, "engine", broken)
    checks = Checks(torch.device("cpu"), True, tmp_path)
    assert run_checks(checks, tmp_path / "gpu.json", ("engine", "machine")) == ["engine"]
    results = json.loads((tmp_path / "gpu.json").read_text())
    assert results["engine"]["error"] == "RuntimeError: out of memory"
    assert "in broken" in results["engine"]["where"]
    assert results["machine"]["device"] == "cpu"


def test_a_training_step_in_mixed_precision_is_near_one_in_float32(tmp_path: Path) -> None:
    losses = Checks(torch.device("cpu"), True, tmp_path).mixed_precision()
    for variant in ("released", "paper"):
        whole, half = losses[variant]["float32"], losses[variant]["bfloat16"]
        assert whole["gradients_finite"]
        assert half["gradients_finite"]
        assert half["loss"] == pytest.approx(whole["loss"], rel=0.1)
        assert half["loss"] != whole["loss"]


@pytest.mark.slow
def test_every_check_runs_on_a_cpu(tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path / "gpu.json"), "--device", "cpu", "--small"]) == 0
    results = json.loads((tmp_path / "gpu.json").read_text())
    assert list(results) == list(NAMES)
    for variant in ("released", "paper"):
        assert set(results["engine"][variant]) == {"4 x 6, dense", "8 x 40"}
        assert results["engine"][variant]["8 x 40"]["pairs_per_second"] > 0
        assert results["float32"][variant]["similarity"] < 1e-6  # of the CPU from itself
        assert len(results["training"][variant]["epochs"]) == 2
    assert results["app"]["rank"] > 0
    assert results["app"]["explain"] > 0

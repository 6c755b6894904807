"""`make gpu` refuses in a sentence without a GPU, and its checks run on a CPU as far as they go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from seps import load_model
from tests.bench import devices
from tests.bench.gpu import NAMES, Checks, main, run_checks

ROOT = Path(__file__).parents[2]


def test_it_refuses_without_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main(["--out", str(tmp_path / "gpu.json")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: No CUDA GPU was found")
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
        assert list(results["engine"][variant]) == ["4 x 6, N 196, dense", "4 x 6, N 576, dense", "8 x 40"]
        for sizes in results["engine"][variant].values():
            assert sizes["peak_bytes"] > 0
        assert results["engine"][variant]["4 x 6, N 576, dense"]["ratio"] > 0
        assert results["engine"][variant]["8 x 40"]["pairs_per_second"] > 0
        assert results["float32"][variant]["similarity"] < 1e-6  # of the CPU from itself
        assert len(results["training"][variant]["epochs"]) == 2
    assert results["app"]["rank"] > 0
    assert results["app"]["explain"] > 0
    assert all(results[name]["check_seconds"] > 0 for name in NAMES if name != "machine")


def test_photographs_and_captions_are_timed(tmp_path: Path) -> None:
    timed = Checks(torch.device("cpu"), True, tmp_path).encoders()
    photos, captions = timed["photos"], timed["captions"]
    assert photos["photos_per_second"] == pytest.approx(2 / photos["seconds"])
    assert captions["captions_per_second"] == pytest.approx(4 / captions["seconds"])
    assert 0 < photos["one_preprocessing_milliseconds"] < photos["one_milliseconds"]


def test_a_cpu_decides_as_itself_and_otherwise_with_other_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    galleries = devices.read_galleries("scenes", 2)
    device = torch.device("cpu")
    assert devices.compare_encoders("scenes", galleries, device) == {"image_embeddings": 0, "caption_embeddings": 0}
    same = devices.compare_decisions("scenes", galleries, device)
    expected = {"pairs": 4, "decisions": 4 * 196, "differing": 0, "pairs_differing": 0}
    assert same == dict.fromkeys(galleries, expected | {"differing_given_embeddings": 0})
    here, there = load_model("scenes"), load_model("scenes")
    with torch.no_grad():
        there.img_enc.vision_proj.weight[0] *= 2
    monkeypatch.setattr(devices, "on_both", lambda name, device: (here, there))
    other = devices.compare_decisions("scenes", galleries, device)["scenes"]
    assert other["differing"] >= other["pairs_differing"] > 0
    assert other["differing_given_embeddings"] == 0  # its network is the same
    assert devices.compare_encoders("scenes", galleries, device)["image_embeddings"] > 0.01

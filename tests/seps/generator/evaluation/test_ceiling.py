import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from seps.generator.evaluation import evaluate
from seps.generator.generator import load_generator
from seps.generator.program import main


def brightest_first(_: object, pictures: Sequence[Image.Image], texts: Sequence[str]) -> Tensor:
    """Scores (V, T) by which every caption finds the brightest picture."""
    light = torch.tensor([np.asarray(picture).mean() for picture in pictures])
    return light[:, None].expand(-1, len(texts))


@pytest.fixture(autouse=True)
def scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "READINGS", 1)
    monkeypatch.setattr(evaluate, "load_model", lambda name: name)
    monkeypatch.setattr(evaluate, "score", brightest_first)


def test_a_perfect_autoencoder_is_no_limit(checkpoint: Path, drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = load_generator(checkpoint)
    monkeypatch.setattr(generator.network.autoencoder, "forward", lambda pictures: pictures)
    result = evaluate.measure_ceiling(generator, drawn, count=2)
    assert (result["count"], result["error"]) == (2, 0.0)
    assert result["autoencoded"] == result["small"]
    assert result["true_scenes"]["r1"]["mean"] == 50.0


def test_the_command_tells(checkpoint: Path, drawn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ceiling.json"
    given = ["evaluate", "--model", str(checkpoint), "--data", str(drawn), "--ceiling", "--pictures", "1"]
    assert main([*given, "--json", str(file)]) == 0
    result = json.loads(file.read_text())
    assert result["error"] > 10  # random weights give nothing back
    assert f"{result['error']:.2f} of 255" in capsys.readouterr().out

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from seps.evaluation.ensemble import measure_ensemble, read_similarity, save_similarity
from seps.evaluation.harness import main

# Two images, two captions each. One is sure about image 0 and slightly wrong about image 1, the other the reverse.
FIRST = torch.tensor([[0.9, 0.8, 0.5, 0.5], [0.1, 0.1, 0.4, 0.4]])
SECOND = torch.tensor([[0.4, 0.4, 0.1, 0.1], [0.5, 0.5, 0.9, 0.8]])


def write(folder: Path, name: str, values: torch.Tensor) -> Path:
    save_similarity(folder / name, values)
    return folder / name


def test_two_models_are_measured_each_and_averaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = write(tmp_path, "a.npy", FIRST), write(tmp_path, "b.npy", SECOND)
    results = tmp_path / "results.json"
    main(["--measure", "ensemble", "--files", str(first), str(second), "--json", str(results)])
    result = json.loads(results.read_text())["ensemble"]
    assert result["files"] == [str(first), str(second)]
    assert (result["images"], result["captions"]) == (2, 4)
    assert [recalls["text_to_image"]["r1"] for recalls in result["each"]] == [50, 50]
    assert result["both"]["text_to_image"]["r1"] == result["both"]["image_to_text"]["r1"] == 100
    assert capsys.readouterr().out.count("text to image") == 3
    assert measure_ensemble(first, second).values == result
    assert torch.equal(read_similarity(first), FIRST)  # averaging leaves the files as they are


def test_files_that_are_no_similarities(tmp_path: Path, refusal: Callable[..., str]) -> None:
    good = write(tmp_path, "good.npy", FIRST)
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save(tmp_path / "whole.npy", np.ones((2, 4), dtype=np.int64))
    for name, message in (
        ("objects.npy", "objects.npy cannot be read as a NumPy file of numbers ("),
        ("whole.npy", "whole.npy holds no matrix of real numbers: give a file that --save-similarity wrote."),
        ("nowhere.npy", "nowhere.npy does not exist: give a file that --save-similarity wrote."),
        (write(tmp_path, "odd.npy", torch.ones(2, 3)).name, "has shape (2, 3), but images by captions is needed"),
        (write(tmp_path, "more.npy", torch.ones(3, 6)).name, "more.npy has (3, 6): both must be of one split."),
        (write(tmp_path, "nan.npy", FIRST * float("nan")).name, "holds 8 NaN or infinite values among 8"),
    ):
        err = refusal(main, ["--measure", "ensemble", "--files", str(good), str(tmp_path / name)])
        assert err.count("\n") == 1 and message in err

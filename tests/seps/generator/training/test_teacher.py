from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from seps.common.precision import bfloat16_is_fast
from seps.data import open_image
from seps.generator.config import GeneratorConfig
from seps.generator.model.network import GeneratorNetwork
from seps.generator.training import loop
from seps.generator.training.data import read_captioned
from seps.generator.training.losses import Batch, Objective
from seps.generator.training.settings import GeneratorSettings, Stage
from seps.generator.training.teacher import TeacherHead, TeacherPatches
from seps.models.hub import load_model
from seps.runs.run_log import read_epochs

STAGE = Stage(("contrastive", "captions", "teacher"), 2)


def test_patches_are_the_models_and_are_encoded_once(drawn: Path, network: GeneratorNetwork, tmp_path: Path) -> None:
    captioned = read_captioned(drawn, "dev", 32, network.tokenizer, 24, tmp_path)
    patches = TeacherPatches("scenes", captioned, tmp_path, torch.device("cpu"))
    model = load_model("scenes")
    encoded = model.encode_photos([open_image(file) for file in captioned.split.image_files])[:, 1:]  # without [CLS]
    near = 0.02 if bfloat16_is_fast() else 0.001  # of the largest value
    np.testing.assert_allclose(patches.values, encoded.numpy(), atol=near * float(encoded.abs().max()))
    chosen = patches.of(torch.tensor([2, 0]))
    assert chosen.shape == (2, 196, 128)
    torch.testing.assert_close(chosen[1], (torch.tensor(patches.values[0]).float() - patches.mean) / patches.deviation)
    everything = patches.of(torch.arange(5)).flatten(0, 1)
    torch.testing.assert_close(everything.mean(dim=0), torch.zeros(128), atol=1e-4, rtol=0)
    torch.testing.assert_close(everything.std(dim=0), torch.ones(128), atol=1e-4, rtol=0)
    file = tmp_path / "dev-scenes.npy"
    time = file.stat().st_mtime_ns
    TeacherPatches("scenes", captioned, tmp_path, torch.device("cpu"))
    assert file.stat().st_mtime_ns == time


def test_each_cell_predicts_the_patches_that_it_covers() -> None:
    head = TeacherHead(3, 2, 4, 5)
    grid = torch.zeros(1, 4, 3)
    grid[0, 1] = 1.0  # the cell on the right above
    with torch.no_grad():
        reached = (head(grid) - head(torch.zeros_like(grid))).view(4, 4, 5).abs().sum(dim=-1) > 0
    assert reached.tolist() == [[False, False, True, True]] * 2 + [[False] * 4] * 2
    with pytest.raises(ValueError, match="The teacher's grid is 4 patches wide"):
        TeacherHead(3, 3, 4, 5)


def test_a_run_learns_from_its_teacher(drawn: Path, config: GeneratorConfig, tmp_path: Path) -> None:
    settings = GeneratorSettings(
        stages=(STAGE,), batch_size=4, learning_rate=3e-3, lr_warmup_epochs=0.5, teacher="scenes"
    )
    config = replace(config, image_size=112, draws=False)  # a grid of 14 x 14, as the teacher's
    loop.train(config, settings, drawn, tmp_path / "run", cache=tmp_path / "cache")
    first, last = read_epochs(tmp_path / "run")
    assert last["dev_teacher"] < first["dev_teacher"]
    kept = GeneratorNetwork(config)
    kept.load(tmp_path / "run" / "model")  # the teacher's head is not kept


def test_a_teacher_that_lacks_is_told(network: GeneratorNetwork) -> None:
    objective = Objective(network, GeneratorSettings())
    batch = Batch(torch.zeros(2, 3, 32, 32), None, *network.read(["a dog", "a cat"]))
    with pytest.raises(ValueError, match="The loss teacher needs a teacher and its features"):
        objective(STAGE, batch)

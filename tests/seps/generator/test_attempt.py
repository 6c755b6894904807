"""`try RUN`: the newest weights of a run, on one page."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from seps.generator import loop
from seps.generator.attempt import data_of, find_newest_model, open_model, shipped_pictures
from seps.generator.config import GeneratorConfig
from seps.generator.generator import load_generator
from seps.generator.program import main
from seps.generator.settings import GeneratorSettings, Stage
from seps.models.storage import read_tensors

STAGES = (Stage(losses=("pixels", "captions"), epochs=1), Stage(losses=("diffusion",), epochs=2))
SETTINGS = GeneratorSettings(stages=STAGES, batch_size=8, seed=1)


class StopError(Exception):
    """Stands for a run that is killed."""


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory, drawn: Path, config: GeneratorConfig) -> Path:
    """A run that was killed after its second epoch, in the stage of diffusion: its model is the first epoch's."""
    out, real = tmp_path_factory.mktemp("runs") / "run", loop.save_checkpoint

    def save(folder: Path, state: Any, optimizer: Any, done: loop.RunState) -> None:
        real(folder, state, optimizer, done)
        if done == loop.RunState(1, 1):
            raise StopError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "save_checkpoint", save)
        with pytest.raises(StopError):
            loop.train(config, SETTINGS, drawn, out)
    return out


def test_the_newest_weights_are_those_of_the_checkpoint_while_a_stage_runs(cut: Path) -> None:
    assert find_newest_model(cut.parent) == find_newest_model(cut) == cut / "checkpoint"
    network = open_model(cut / "checkpoint").network
    tensors = read_tensors(cut / "checkpoint" / "checkpoint.safetensors")
    average = tensors["modules.average.module.conv_in.weight"]
    torch.testing.assert_close(network.unet.conv_in.weight.detach(), average, atol=1e-3, rtol=1e-2)  # in float16
    image = tensors["modules.objective.network.images.pool.weight"]
    torch.testing.assert_close(network.images.pool.weight.detach(), image, atol=1e-3, rtol=1e-2)


def test_of_a_run_that_ended_it_is_the_model(cut: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(cut, run)
    os.utime(run / "model" / "generator.json")
    assert find_newest_model(tmp_path) == run / "model"


def test_five_captions_are_drawn_and_five_pictures_written_about(
    cut: Path, drawn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of dev, of the data that the run was trained on."""
    assert main(["try", str(cut), "--steps", "2"]) == 0
    assert capsys.readouterr().out.endswith(f"look at {cut / 'try.html'}.\n")
    page = (cut / "try.html").read_text()
    assert page.count('src="data:image/png;base64,') == 10
    captions = (drawn / "dev_caps.txt").read_text().splitlines()[:25:5]
    assert re.findall(r"<br>(.*)</li>", page)[:5] == captions


def test_other_data_and_another_split_are_taken_where_they_are_named(cut: Path, drawn: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["try", str(cut), "--data", str(drawn), "--split", "test", "--html", str(page), "--steps", "2"]) == 0
    captions = (drawn / "test_caps.txt").read_text().splitlines()[:20:5]
    assert re.findall(r"<br>(.*)</li>", page.read_text())[:4] == captions


@pytest.mark.parametrize(
    "content", [None, "{}", "[1]", '{"data": 3, "images": null}', '{"data": "/gone", "images": null}']
)
def test_without_the_run_s_data_the_scenes_that_ship_serve(cut: Path, tmp_path: Path, content: str | None) -> None:
    run = tmp_path / "run"
    shutil.copytree(cut, run)
    (run / "data.json").unlink()
    if content is not None:
        (run / "data.json").write_text(content)
    assert data_of(run / "checkpoint") == (None, None)
    assert [file.name for file in shipped_pictures(open_model(run / "checkpoint"))] == [
        f"{i:03d}.png" for i in range(5)
    ]


def test_a_captioner_of_photographs_is_tried_on_photographs() -> None:
    assert {file.suffix for file in shipped_pictures(load_generator("photos", "cpu"))} == {".jpg"}


def test_folders_without_weights_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, message in (
        (tmp_path / "nowhere", "nowhere is not a folder: give a run's folder"),
        (tmp_path, "holds neither a generator nor a checkpoint of one"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            find_newest_model(folder)
    with pytest.raises(SystemExit) as ended:
        main(["try", str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("error: ")

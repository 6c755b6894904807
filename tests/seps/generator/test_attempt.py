import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from seps.generator.attempt import data_of, find_newest_model, open_model, shipped_pictures
from seps.generator.config import GeneratorConfig
from seps.generator.program import main
from seps.generator.training import loop
from seps.generator.training.settings import GeneratorSettings, Stage
from seps.models.storage import read_tensors
from tests.seps.runs.stopped import stop_after

STAGES = (Stage(losses=("pixels", "captions"), epochs=1), Stage(losses=("diffusion",), epochs=2))
SETTINGS = GeneratorSettings(stages=STAGES, batch_size=4, seed=1)


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory, drawn: Path, config: GeneratorConfig) -> Path:
    """A run that was killed after its second epoch, in the stage of diffusion: its model is the first epoch's."""
    out = tmp_path_factory.mktemp("runs") / "run"
    with stop_after(1, stage=1):
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


def test_five_captions_and_five_pictures_are_tried(cut: Path, drawn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try", str(cut), "--steps", "2"]) == 0
    assert capsys.readouterr().out.endswith(f"look at {cut / 'try.html'}.\n")
    page = (cut / "try.html").read_text()
    assert page.count('src="data:image/jpeg;base64,') == 10
    captions = (drawn / "dev_caps.txt").read_text().splitlines()[:25:5]
    assert re.findall(r"<br>(.*)</li>", page)[:5] == captions


def test_without_the_run_s_data_the_scenes_that_ship_serve(checkpoint: Path, tmp_path: Path) -> None:
    for content in ("[1]", '{"data": "/gone", "images": null}'):
        (tmp_path / "data.json").write_text(content)
        assert data_of(tmp_path / "checkpoint") == (None, None)
    files = shipped_pictures(open_model(checkpoint))
    assert [file.name for file in files] == [f"{i:03d}.png" for i in range(5)]


def test_folders_without_weights_are_told(tmp_path: Path, refusal: Callable[..., str]) -> None:
    with pytest.raises(ValueError, match="nowhere is not a folder: give a run's folder"):
        find_newest_model(tmp_path / "nowhere")
    assert "holds neither a generator nor a checkpoint of one" in refusal(main, ["try", str(tmp_path)])

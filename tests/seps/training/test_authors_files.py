"""Training starts on the authors' files as they are, with captions and stand-in images made for their training ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seps.runs.run_log import read_epochs
from seps.training.command import main
from tests.helpers.authors import flickr30k_names, needs_authors_files, stand_ins, with_train_captions
from tests.helpers.tiny import tiny_settings

TRAINING = {"epochs": 1, "batch_size": 4, "captions_an_epoch": 1, "images_an_epoch": 8, "dev_images": 4}


@pytest.mark.slow
@needs_authors_files
def test_a_recipe_trains_on_the_29000_images_of_flickr30k(
    bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = with_train_captions("f30k", tmp_path / "f30k")
    names = [*flickr30k_names("train"), *flickr30k_names("dev")]
    stand_ins(tmp_path / "images" / "flickr30k-images", names)
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps(tiny_settings(bert) | {"training": TRAINING | {"join_captions": True}}))
    places = ["--data", str(data), "--images", str(tmp_path / "images"), "--out", str(tmp_path / "run")]
    assert main([str(recipe), *places, "--workers", "0"]) == 0
    output = capsys.readouterr().out
    assert f"Split train of {data} has no dense captions" in output
    assert (tmp_path / "run" / "best" / "model.safetensors").is_file()
    (row,) = read_epochs(tmp_path / "run")
    assert row["align"] > 0

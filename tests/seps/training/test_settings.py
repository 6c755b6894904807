from __future__ import annotations

import json
from pathlib import Path

import pytest

from seps.training.settings import TrainSettings, read_recipe

ROOT = Path(__file__).resolve().parents[3]


def test_defaults_are_the_published_recipe() -> None:
    config, settings = read_recipe("vit_base_patch16_224")
    assert config.vision.encoder == "vit_base_patch16_224"
    assert (settings.loss, settings.margin, settings.clip, settings.hard_after) == ("triplet", 0.2, 2.0, 1)
    assert settings.schedule == "multistep"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("loss", "hinge", "training.loss is 'hinge', but it must be one of triplet, infonce"),
        ("epochs", 0, "training.epochs is 0"),
        ("clip", 0.0, "training.clip is 0"),
        ("warm_steps", -1, "training.warm_steps is -1, but it must not be negative"),
        ("dense_share", 0.0, "training.dense_share is 0"),
        ("warmup_epochs", 2, "nothing would train the heads"),
        ("similar_batches", 0.5, "set frozen to true"),
        ("neighbours", 7, "training.neighbours is 7, but batch_size, 64, must be a multiple of it"),
    ],
)
def test_refuses(key: str, value: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        TrainSettings(**{key: value})  # type: ignore[arg-type]


def test_refuses_to_train_nothing_or_maps_without_the_network() -> None:
    with pytest.raises(ValueError, match="nothing would be ranked"):
        TrainSettings(align_weight=0.0)
    with pytest.raises(ValueError, match=r"map_weight is 0.5: word maps need the network"):
        TrainSettings(align_weight=0.0, pooled_weight=1.0, map_weight=0.5)


def test_recipe_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "recipe.json"
    values = json.loads((ROOT / "assets" / "models" / "photos" / "recipe.json").read_text())
    values["training"]["epochz"] = 1
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=r"recipe.json: training has the unknown key 'epochz'"):
        read_recipe(path)
    path.write_text("[]")
    with pytest.raises(ValueError, match="holds a list, but keys and values are needed"):
        read_recipe(path)
    with pytest.raises(ValueError, match="neither a JSON file nor one of the configs"):
        read_recipe("no_such_recipe")

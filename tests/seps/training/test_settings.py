from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from seps.training.settings import TrainSettings, read_recipe

ROOT = Path(__file__).resolve().parents[3]


def test_defaults_are_the_published_recipe() -> None:
    config, settings = read_recipe("vit_base_patch16_224")
    assert config.vision.encoder == "vit_base_patch16_224"
    assert (settings.loss, settings.margin, settings.clip, settings.hard_after) == ("triplet", 0.2, 2.0, 1)
    assert (settings.schedule, settings.lr_schedules, settings.decay_rate) == ("multistep", (9, 15, 20, 25), 0.3)
    assert (settings.ratio_weight, settings.lambda_sparse, settings.lambda_dense) == (2.0, 1.0, 1.0)
    assert settings.align_ramp_epochs == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"loss": "hinge"}, "training.loss is 'hinge'"),
        ({"epochs": 0}, "training.epochs is 0"),
        ({"epochs": 10**9}, "training.epochs is 1000000000"),
        ({"batch_size": 10**9}, "training.batch_size is 1000000000"),
        ({"seed": -1}, "training.seed is -1"),
        ({"seed": 10**30}, "training.seed is 1000000000000000000000000000000"),
        ({"weight_decay": float("nan")}, "training.weight_decay is nan"),
        ({"learning_rate": float("inf")}, "training.learning_rate is inf"),
        ({"captions_an_epoch": -1}, "training.captions_an_epoch is -1"),
        ({"dev_images": -3}, "training.dev_images is -3"),
        ({"clip": 0.0}, "training.clip is 0.0"),
        ({"lr_warmup_steps": -1}, "training.lr_warmup_steps is -1"),
        ({"dense_share": 0.0}, "training.dense_share is 0.0"),
        ({"pretrain_epochs": 2}, "training.pretrain_epochs is 2"),
        ({"similar_batches": 0.5}, "training.similar_batches is for frozen backbones"),
        ({"lambda_sparse": -1.0}, "training.lambda_sparse is -1.0"),
        ({"lambda_dense": float("nan")}, "training.lambda_dense is nan"),
        ({"lr_schedules": (9, 9)}, "training.lr_schedules is [9, 9]"),
        ({"lr_schedules": (0,)}, "training.lr_schedules is 0"),
        ({"lr_schedules": ("9",)}, "training.lr_schedules is '9'"),
        ({"decay_rate": 0.0}, "training.decay_rate is 0.0"),
        ({"align_ramp_epochs": 0.5}, "training.align_ramp_epochs is 0.5"),
        ({"neighbours": 7}, "training.neighbours is 7"),
        ({"align_weight": 0.0}, "training.align_weight and training.pooled_weight are 0"),
        ({"align_weight": 0.0, "pooled_weight": 1.0, "map_weight": 0.5}, "training.align_weight is 0"),
        ({"significance_weight": 0.5}, "training.significance_weight is for frozen backbones"),
    ],
    ids=str,
)
def test_refuses(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        TrainSettings(**values)


def test_a_recipe_has_the_ratio_loss_s_lambdas_and_the_milestones(tmp_path: Path) -> None:
    path = tmp_path / "recipe.json"
    values = json.loads((ROOT / "seps" / "configs" / "recipes" / "tiny.json").read_text())
    expected = {"lambda_sparse": 0.5, "lambda_dense": 0.25, "decay_rate": 0.1}
    values["training"] |= expected | {"lr_schedules": [2, 3], "align_ramp_epochs": 1}
    path.write_text(json.dumps(values))
    settings = read_recipe(path)[1]
    assert expected.items() <= settings.as_dict().items()
    assert (settings.lr_schedules, settings.align_ramp_epochs) == ((2, 3), 1)
    path.write_text(json.dumps(values | {"training": settings.as_dict()}))  # as a run keeps it
    assert read_recipe(path)[1] == settings
    values["training"]["lr_schedules"] = 9
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=r"recipe\.json: training\.lr_schedules is 9, a int"):
        read_recipe(path)


def test_recipe_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "recipe.json"
    values = json.loads((ROOT / "assets" / "models" / "photos" / "recipe.json").read_text())
    values["training"]["epochz"] = 1
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=r"recipe\.json: training has the unknown key 'epochz'"):
        read_recipe(path)
    for content, message in (
        (b"[]", "recipe.json holds a list"),
        (b"null", "recipe.json holds a NoneType"),
        (b"3", "recipe.json holds a int"),
        (b"", "it is empty"),
        (b'{"vision": "\xe9"}', "byte 12 is not UTF-8"),
        (b'{"training":' + b"[" * 100_000, "it is nested more than 100 levels deep"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(message)):
            read_recipe(path)
    with pytest.raises(ValueError, match="'no_such_recipe' is neither a JSON file nor"):
        read_recipe("no_such_recipe")

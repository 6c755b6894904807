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
        ({"seed": -1}, "training.seed is -1"),
        ({"weight_decay": float("nan")}, "training.weight_decay is nan"),
        ({"clip": 0.0}, "training.clip is 0.0"),
        ({"dense_share": 0.0}, "training.dense_share is 0.0"),
        ({"pretrain_epochs": 2}, "training.pretrain_epochs is 2"),
        ({"similar_batches": 0.5}, "training.similar_batches is for frozen backbones"),
        ({"lambda_sparse": -1.0}, "training.lambda_sparse is -1.0"),
        ({"lr_schedules": (9, 9)}, "training.lr_schedules is [9, 9]"),
        ({"lr_schedules": (0,)}, "training.lr_schedules is 0"),
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

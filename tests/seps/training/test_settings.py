from __future__ import annotations

import json
from pathlib import Path

import pytest

from seps.training.settings import TrainSettings, read_recipe
from tests.helpers.sentences import refused

ROOT = Path(__file__).resolve().parents[3]


def test_defaults_are_the_published_recipe() -> None:
    config, settings = read_recipe("vit_base_patch16_224")
    assert config.vision.encoder == "vit_base_patch16_224"
    assert (settings.loss, settings.margin, settings.clip, settings.hard_after) == ("triplet", 0.2, 2.0, 1)
    assert (settings.schedule, settings.lr_schedules, settings.decay_rate) == ("multistep", (9, 15, 20, 25), 0.3)
    assert (settings.ratio_weight, settings.lambda_sparse, settings.lambda_dense) == (2.0, 1.0, 1.0)
    assert (settings.target_ratio, settings.align_ramp_epochs) == (0.0, 0)  # the network's sparse_ratio; no ramp


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("loss", "hinge"),
        ("epochs", 0),
        ("epochs", 10**9),
        ("batch_size", 10**9),
        ("seed", -1),
        ("seed", 10**30),
        ("weight_decay", float("nan")),
        ("learning_rate", float("inf")),
        ("captions_an_epoch", -1),
        ("dev_images", -3),
        ("clip", 0.0),
        ("lr_warmup_steps", -1),
        ("dense_share", 0.0),
        ("pretrain_epochs", 2),
        ("similar_batches", 0.5),
        ("target_ratio", 1.5),
        ("target_ratio", -0.1),
        ("lambda_sparse", -1.0),
        ("lambda_dense", float("nan")),
        ("lr_schedules", (9, 9)),
        ("lr_schedules", (0,)),
        ("lr_schedules", ("9",)),
        ("decay_rate", 0.0),
        ("align_ramp_epochs", 0.5),
        ("neighbours", 7),
    ],
    ids=str,
)
def test_refuses(key: str, value: object) -> None:
    with refused(ValueError):
        TrainSettings(**{key: value})  # type: ignore[arg-type]


def test_a_recipe_has_the_ratio_s_target_and_lambdas_and_the_milestones(tmp_path: Path) -> None:
    path = tmp_path / "recipe.json"
    values = json.loads((ROOT / "seps" / "configs" / "recipes" / "tiny.json").read_text())
    expected = {"target_ratio": 0.3, "lambda_sparse": 0.5, "lambda_dense": 0.25, "decay_rate": 0.1}
    values["training"] |= expected | {"lr_schedules": [2, 3], "align_ramp_epochs": 1}
    path.write_text(json.dumps(values))
    settings = read_recipe(path)[1]
    assert expected.items() <= settings.as_dict().items()
    assert (settings.lr_schedules, settings.align_ramp_epochs) == ((2, 3), 1)
    path.write_text(json.dumps(values | {"training": settings.as_dict()}))  # as a run keeps it
    assert read_recipe(path)[1] == settings
    values["training"]["lr_schedules"] = 9
    path.write_text(json.dumps(values))
    with refused(ValueError):
        read_recipe(path)


def test_refuses_to_train_nothing_or_maps_without_the_network() -> None:
    with refused(ValueError):
        TrainSettings(align_weight=0.0)
    with refused(ValueError):
        TrainSettings(align_weight=0.0, pooled_weight=1.0, map_weight=0.5)
    with refused(ValueError):
        TrainSettings(significance_weight=0.5)


def test_recipe_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "recipe.json"
    values = json.loads((ROOT / "assets" / "models" / "photos" / "recipe.json").read_text())
    values["training"]["epochz"] = 1
    path.write_text(json.dumps(values))
    with refused(ValueError):
        read_recipe(path)
    for content in (b"[]", b"null", b"3", b"", b'{"vision": "\xe9"}', b'{"training":' + b"[" * 100_000):
        path.write_bytes(content)
        with refused(ValueError):
            read_recipe(path)
    with refused(ValueError):
        read_recipe("no_such_recipe")

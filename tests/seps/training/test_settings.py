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
    assert (settings.schedule, settings.lr_schedules, settings.decay_rate) == ("multistep", (9, 15, 20, 25), 0.3)
    assert (settings.ratio_weight, settings.lambda_sparse, settings.lambda_dense) == (2.0, 1.0, 1.0)
    assert (settings.target_ratio, settings.align_ramp_epochs) == (0.0, 0)  # the network's sparse_ratio; no ramp


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("loss", "hinge", "training.loss is 'hinge', but it must be one of triplet, infonce"),
        ("epochs", 0, "training.epochs is 0"),
        ("epochs", 10**9, "training.epochs is 1000000000, but it must be at most 100000"),
        ("batch_size", 10**9, "training.batch_size is 1000000000, but it must be at most 1000000"),
        ("seed", -1, "training.seed is -1, but a whole number of at least 0 is needed"),
        ("seed", 10**30, "training.seed is 10+, but it must be at most 4294967295"),
        ("weight_decay", float("nan"), "training.weight_decay is nan, but it must be at least 0 and finite"),
        ("learning_rate", float("inf"), "training.learning_rate is inf, but it must be greater than 0 and finite"),
        ("captions_an_epoch", -1, "training.captions_an_epoch is -1, but it must be at least 0 and finite"),
        ("dev_images", -3, "training.dev_images is -3, but it must be at least 0 and finite"),
        ("clip", 0.0, "training.clip is 0"),
        ("lr_warmup_steps", -1, "training.lr_warmup_steps is -1, but it must be at least 0 and finite"),
        ("dense_share", 0.0, "training.dense_share is 0"),
        ("pretrain_epochs", 2, "nothing would train the heads"),
        ("similar_batches", 0.5, "set frozen to true"),
        ("target_ratio", 1.5, r"training.target_ratio is 1.5, but it must lie in \(0, 1\]"),
        ("target_ratio", -0.1, r"training.target_ratio is -0.1, but it must lie in \(0, 1\]"),
        ("lambda_sparse", -1.0, "training.lambda_sparse is -1.0, but it must be at least 0 and finite"),
        ("lambda_dense", float("nan"), "training.lambda_dense is nan, but it must be at least 0 and finite"),
        ("lr_schedules", (9, 9), r"training.lr_schedules is \[9, 9\], but each epoch must be greater"),
        ("lr_schedules", (0,), "training.lr_schedules is 0, but a whole number of at least 1 is needed"),
        ("lr_schedules", ("9",), "training.lr_schedules is '9', but a whole number of at least 1 is needed"),
        ("decay_rate", 0.0, r"training.decay_rate is 0.0, but it must lie in \(0, 1\]"),
        ("align_ramp_epochs", 0.5, "training.align_ramp_epochs is 0.5, but a whole number of at least 0 is needed"),
        ("neighbours", 7, "training.neighbours is 7, but batch_size, 64, must be a multiple of it"),
    ],
)
def test_refuses(key: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
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
    with pytest.raises(ValueError, match=r"training.lr_schedules is .*9.*, but a list is needed"):
        read_recipe(path)


def test_refuses_to_train_nothing_or_maps_without_the_network() -> None:
    with pytest.raises(ValueError, match="nothing would be ranked"):
        TrainSettings(align_weight=0.0)
    with pytest.raises(ValueError, match=r"map_weight is 0.5: word maps need the network"):
        TrainSettings(align_weight=0.0, pooled_weight=1.0, map_weight=0.5)
    with pytest.raises(ValueError, match=r"significance_weight is for frozen backbones"):
        TrainSettings(significance_weight=0.5)


def test_recipe_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "recipe.json"
    values = json.loads((ROOT / "assets" / "models" / "photos" / "recipe.json").read_text())
    values["training"]["epochz"] = 1
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=r"recipe.json: training has the unknown key 'epochz'"):
        read_recipe(path)
    for content, message in (
        (b"[]", "holds a list, but keys and values are needed"),
        (b"null", "holds a NoneType, but keys and values are needed"),
        (b"3", "holds a int, but keys and values are needed"),
        (b"", r"cannot be read as JSON \(it is empty\)"),
        (b'{"vision": "\xe9"}', r"cannot be read as JSON \(byte 12 is not UTF-8\)"),
        (b'{"training":' + b"[" * 100_000, r"cannot be read as JSON \(it is nested more than 100 levels deep\)"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"recipe\.json {message}"):
            read_recipe(path)
    with pytest.raises(ValueError, match="neither a JSON file nor one of the configs"):
        read_recipe("no_such_recipe")

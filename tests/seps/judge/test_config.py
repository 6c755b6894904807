"""Configs and recipes: what they hold, and one sentence about what they refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from seps.judge.config import EncoderConfig, JudgeConfig
from seps.judge.settings import JudgeSettings, read_recipe
from seps.runs.recipe import recipe_files

CLIP = {"kind": "clip", "name": "any"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"encoder": CLIP, "scale_q": 1.5}, "scale_q is 1.5, but it must be at most 1.0"),
        ({"encoder": CLIP, "scale_c": 0.0}, "scale_c is 0.0, but it must be greater than 0 and finite"),
        ({"encoder": CLIP, "scale": 0.2}, "the config has the unknown key 'scale'"),
        ({}, "the config lacks the key 'encoder'"),
        ({"encoder": CLIP, "branches": "two"}, "branches is 'two'"),
        ({"encoder": CLIP | {"freeze": "some"}}, "encoder.freeze is 'some'"),
        ({"encoder": CLIP | {"freeze": "layers", "freeze_layers": 18}}, "encoder.freeze_layers is 18, a int"),
        (
            {"encoder": CLIP | {"freeze": "layers", "freeze_layers": {"vision": 18}}},
            "encoder.freeze_layers lacks the key 'text'",
        ),
        ({"encoder": CLIP | {"freeze_layers": {"vision": 1, "text": 1}}}, "encoder.freeze_layers is set"),
        ({"encoder": {"kind": "seps", "name": "photos", "stages": [1], "freeze": "none"}}, "encoder.freeze is 'none'"),
        ({"encoder": {"kind": "seps", "name": "photos"}}, "encoder.stages is [] with kind 'seps'"),
        ({"encoder": CLIP, "data": {"mos_top": 0.0}}, "data.mos_top is 0.0"),
        ({"encoder": CLIP, "data": 5}, "data is 5, a int, but a dict is needed"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_told_in_one_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        JudgeConfig.from_dict(values)


def test_a_config_survives_its_file(tmp_path: Path) -> None:
    config = JudgeConfig.from_dict(
        {"encoder": CLIP | {"freeze": "layers", "freeze_layers": {"vision": 2, "text": 1}}, "scale_q": 0.3}
    )
    (tmp_path / "judge.json").write_text(config.to_json())
    assert JudgeConfig.from_json(tmp_path / "judge.json") == config


@pytest.mark.parametrize(
    ("name", "freeze", "layers", "scale", "epochs", "batch", "rate"),
    [
        ("over-3000-ratings", "layers", {"vision": 18, "text": 9}, 0.2, 20, 32, 3e-5),
        ("under-1000-ratings", "layers", {"vision": 20, "text": 10}, 0.1, 30, 16, 1e-5),
        ("quick", "all", {}, 0.2, 10, 64, 1e-3),
    ],
)
def test_recipes_of_the_package(
    name: str, freeze: str, layers: dict[str, int], scale: float, epochs: int, batch: int, rate: float
) -> None:
    config, settings = read_recipe(name)
    assert (config.encoder.kind, config.encoder.freeze, config.encoder.freeze_layers) == ("clip", freeze, layers)
    assert config.scale_q == config.scale_c == scale
    assert (settings.epochs, settings.batch_size, settings.learning_rate) == (epochs, batch, rate)
    assert (settings.quality_weight, settings.consistency_weight, settings.weight_decay) == (0.5, 0.5, 1e-4)
    assert (settings.warmup, settings.clip) == (0.05, 1.0)


def test_our_recipe_takes_the_encoders_beside_the_judge() -> None:
    config, _ = read_recipe("ours")
    assert (config.encoder.kind, config.encoder.name, config.data.mos_top) == ("seps", "judge/encoders", 4.5)
    assert "ours" in recipe_files("judge/recipes")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"encoder": {"kind": "clip", "name": "any"}, "training": {"epochs": 0}}',
            "recipe.json: training.epochs is 0",
        ),
        (
            '{"encoder": {"kind": "clip", "name": "any"}, "training": {"rate": 1}}',
            "recipe.json: training has the unknown key 'rate'",
        ),
        (
            '{"encoder": {"kind": "clip", "name": "any"}, "training": {"warmup": 1.0}}',
            "recipe.json: training.warmup is 1.0",
        ),
        ("[]", "recipe.json holds a list"),
        ("{", "recipe.json cannot be read as JSON"),
    ],
)
def test_a_recipe_that_does_not_fit_names_its_file(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "recipe.json").write_text(content)
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        read_recipe(tmp_path / "recipe.json")
    assert str(tmp_path / "recipe.json") in str(raised.value)


def test_an_unknown_recipe_lists_those_that_are_there() -> None:
    with pytest.raises(ValueError, match="'slow' is neither a JSON file nor one of ours"):
        read_recipe("slow")


def test_nothing_to_learn_is_refused() -> None:
    with pytest.raises(ValueError, match=r"training\.quality_weight and training\.consistency_weight are"):
        JudgeSettings(quality_weight=0.0, consistency_weight=0.0)


def test_settings_are_plain_values() -> None:
    assert JudgeSettings(**json.loads(json.dumps(JudgeSettings(seed=3).as_dict()))) == JudgeSettings(seed=3)
    assert EncoderConfig("clip", "any").freeze == "all"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"use_refinement": True}, "recipe.json: the config has the key use_refinement"),
        ({"residual_scale_q": 0.2}, "recipe.json: the config has the key residual_scale_q"),
        ({"partial_freeze": True}, "recipe.json: the config has the key partial_freeze"),
        ({"training": {"w_q": 0.5}}, "recipe.json: training has the key w_q"),
        ({"training": {"lr": 1e-3}}, "recipe.json: training has the key lr"),
    ],
)
def test_keys_of_the_published_scorer_are_refused_with_what_is_meant(
    values: dict[str, Any], tmp_path: Path, message: str
) -> None:
    (tmp_path / "recipe.json").write_text(json.dumps({"encoder": {"kind": "clip", "name": "any"}} | values))
    with pytest.raises(ValueError, match=re.escape(message)):
        read_recipe(tmp_path / "recipe.json")

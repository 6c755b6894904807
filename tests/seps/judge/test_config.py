"""Configs and recipes: what they hold, and one sentence about what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from seps.judge.config import EncoderConfig, JudgeConfig
from seps.judge.settings import JudgeSettings, read_recipe
from seps.runs.recipe import recipe_files
from tests.helpers.sentences import refused

CLIP = {"kind": "clip", "name": "any"}


@pytest.mark.parametrize(
    "values",
    [
        {"encoder": CLIP, "scale_q": 1.5},
        {"encoder": CLIP, "scale_c": 0.0},
        {"encoder": CLIP, "scale": 0.2},
        {},
        {"encoder": CLIP, "branches": "two"},
        {"encoder": CLIP | {"freeze": "some"}},
        {"encoder": CLIP | {"freeze": "layers", "freeze_layers": 18}},
        {"encoder": CLIP | {"freeze": "layers", "freeze_layers": {"vision": 18}}},
        {"encoder": CLIP | {"freeze_layers": {"vision": 1, "text": 1}}},
        {"encoder": {"kind": "seps", "name": "photos", "stages": [1], "freeze": "none"}},
        {"encoder": {"kind": "seps", "name": "photos"}},
        {"encoder": CLIP, "data": {"mos_top": 0.0}},
        {"encoder": CLIP, "data": 5},
    ],
    ids=str,
)
def test_what_does_not_fit_is_told_in_one_sentence(values: dict[str, Any]) -> None:
    with refused(ValueError):
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
    "content",
    [
        '{"encoder": {"kind": "clip", "name": "any"}, "training": {"epochs": 0}}',
        '{"encoder": {"kind": "clip", "name": "any"}, "training": {"rate": 1}}',
        '{"encoder": {"kind": "clip", "name": "any"}, "training": {"warmup": 1.0}}',
        "[]",
        "{",
    ],
)
def test_a_recipe_that_does_not_fit_names_its_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "recipe.json").write_text(content)
    with refused(ValueError) as raised:
        read_recipe(tmp_path / "recipe.json")
    assert str(tmp_path / "recipe.json") in str(raised.value)


def test_an_unknown_recipe_lists_those_that_are_there() -> None:
    with refused(ValueError):
        read_recipe("slow")


def test_nothing_to_learn_is_refused() -> None:
    with refused(ValueError):
        JudgeSettings(quality_weight=0.0, consistency_weight=0.0)


def test_settings_are_plain_values() -> None:
    assert JudgeSettings(**json.loads(json.dumps(JudgeSettings(seed=3).as_dict()))) == JudgeSettings(seed=3)
    assert EncoderConfig("clip", "any").freeze == "all"


@pytest.mark.parametrize(
    "values",
    [
        {"use_refinement": True},
        {"residual_scale_q": 0.2},
        {"partial_freeze": True},
        {"training": {"w_q": 0.5}},
        {"training": {"lr": 1e-3}},
    ],
)
def test_keys_of_the_published_scorer_are_refused_with_what_is_meant(values: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text(json.dumps({"encoder": {"kind": "clip", "name": "any"}} | values))
    with refused(ValueError):
        read_recipe(tmp_path / "recipe.json")

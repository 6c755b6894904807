"""Configs and recipes: what they take and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from seps.generator.config import GeneratorConfig
from seps.generator.settings import GeneratorSettings, Stage, read_recipe
from seps.runs.recipe import recipe_files
from tests.helpers.sentences import refused


def test_a_config_comes_back_from_its_file(tmp_path: Path, config: GeneratorConfig) -> None:
    (tmp_path / "generator.json").write_text(config.to_json())
    assert GeneratorConfig.from_json(tmp_path / "generator.json") == config


@pytest.mark.parametrize("name", recipe_files("generator/recipes"))
def test_recipes_of_the_package_can_be_read(name: str) -> None:
    config, settings = read_recipe(name)
    assert config.latent_size * 8 == config.image_size
    assert settings.stages


def test_defaults_are_the_published_ones() -> None:
    settings = GeneratorSettings()
    assert (settings.learning_rate, settings.lr_warmup_epochs, settings.batch_size) == (2e-4, 2.0, 64)
    assert settings.stages == (Stage(("contrastive", "captions", "pixels", "diffusion"), 15),)
    weights = [settings.weight(name) for name in ("contrastive", "captions", "pixels", "diffusion")]
    assert weights == [1.0, 0.5, 0.5, 0.1]
    assert GeneratorConfig().diffusion.train_steps == 1000
    assert GeneratorConfig().encoders.embed_size == 512


@pytest.mark.parametrize(
    "values",
    [
        {"image_size": 100},
        {"encoders": {"embed_size": 100}},
        {"diffusion": {"channels": [33, 64]}},
        {"diffusion": {"schedule": "steep"}},
        {"captioner": {"width": 30, "heads": 4}},
        {"autoencoder": {"decoder_channels": [8, 16]}},
        {"colour": 1},
        {"training": {"stages": [{"losses": ["beauty"]}]}},
        {"training": {"stages": []}},
        {"training": {"stages": "all"}},
        {"training": {"batch_size": 1}},
        {"training": {"learning_rate": 0}},
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(tmp_path: Path, values: dict[str, Any]) -> None:
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(values))
    with refused(ValueError):
        read_recipe(path)


def test_a_recipe_that_is_not_there_is_told() -> None:
    with refused(ValueError):
        read_recipe("photographs")


@pytest.mark.parametrize(
    "values",
    [
        {"embed_dim": 512},
        {"encoders": {"use_simple_cnn": True}},
        {"encoders": {"vision_weights": "hub"}},
        {"encoders": {"vision": "resnet50", "vision_weights": "imagenet"}},
        {"training": {"recon_weight": 0.5}},
        {"training": {"stages": [{"freeze_bert": True}]}},
        {"training": {"recons_weight": 0.5}},
    ],
)
def test_keys_of_other_programs_are_refused_with_what_is_meant(values: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(values))
    with refused(ValueError):
        read_recipe(file)

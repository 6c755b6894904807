"""Configs and recipes: valid and invalid values."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from seps.generator.config import GeneratorConfig
from seps.generator.settings import GeneratorSettings, Stage, read_recipe
from seps.runs.recipe import recipe_files


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
    ("values", "message"),
    [
        ({"image_size": 100}, "recipe.json: image_size is 100"),
        ({"encoders": {"embed_size": 100}}, "recipe.json: encoders.embed_size is 100"),
        ({"diffusion": {"channels": [33, 64]}}, "recipe.json: diffusion.channels has 33"),
        ({"diffusion": {"schedule": "steep"}}, "recipe.json: diffusion.schedule is 'steep'"),
        ({"captioner": {"width": 30, "heads": 4}}, "recipe.json: captioner.width is 30"),
        ({"autoencoder": {"decoder_channels": [8, 16]}}, "recipe.json: autoencoder.decoder_channels has 2 numbers"),
        ({"colour": 1}, "recipe.json: the config has the unknown key 'colour'"),
        ({"training": {"stages": [{"losses": ["beauty"]}]}}, "recipe.json: training.stages.losses is 'beauty'"),
        ({"training": {"stages": []}}, "recipe.json: training.stages is empty"),
        ({"training": {"stages": "all"}}, "recipe.json: training.stages is 'all', a str"),
        ({"training": {"batch_size": 1}}, "recipe.json: training.batch_size is 1"),
        ({"training": {"learning_rate": 0}}, "recipe.json: training.learning_rate is 0"),
        # keys of other programs
        ({"embed_dim": 512}, "recipe.json: the config has the key embed_dim"),
        ({"encoders": {"use_simple_cnn": True}}, "recipe.json: encoders has the key use_simple_cnn"),
        ({"encoders": {"vision_weights": "hub"}}, "recipe.json: encoders.vision_weights is 'hub'"),
        (
            {"encoders": {"vision": "resnet50", "vision_weights": "imagenet"}},
            "recipe.json: encoders.vision_weights is 'imagenet'",
        ),
        ({"training": {"recon_weight": 0.5}}, "recipe.json: training has the key recon_weight"),
        ({"training": {"stages": [{"freeze_bert": True}]}}, "recipe.json: training.stages has the key freeze_bert"),
        ({"training": {"recons_weight": 0.5}}, "recipe.json: training has the unknown key 'recons_weight'"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(tmp_path: Path, values: dict[str, Any], message: str) -> None:
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=re.escape(message)):
        read_recipe(path)


def test_a_recipe_that_is_not_there_is_told() -> None:
    with pytest.raises(ValueError, match="'photographs' is neither a JSON file nor one of coco, photos"):
        read_recipe("photographs")

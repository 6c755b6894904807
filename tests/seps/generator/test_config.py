import json
import re
from pathlib import Path
from typing import Any

import pytest

from seps.generator.config import GeneratorConfig
from seps.generator.training.settings import GeneratorSettings, Stage, read_recipe


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
        ({"diffusion": {"channels": [33, 64]}}, "recipe.json: diffusion.channels has 33"),
        ({"captioner": {"width": 30, "heads": 4}}, "recipe.json: captioner.width is 30"),
        ({"autoencoder": {"decoder_channels": [8, 16]}}, "recipe.json: autoencoder.decoder_channels has 2 numbers"),
        ({"training": {"stages": [{"losses": ["beauty"]}]}}, "recipe.json: training.stages.losses is 'beauty'"),
        # keys of other programs
        ({"embed_dim": 512}, "recipe.json: the config has the key embed_dim"),
        ({"encoders": {"use_simple_cnn": True}}, "recipe.json: encoders has the key use_simple_cnn"),
        ({"encoders": {"vision_weights": "hub"}}, "recipe.json: encoders.vision_weights is 'hub'"),
        (
            {"encoders": {"vision": "resnet50", "vision_weights": "imagenet"}},
            "recipe.json: encoders.vision_weights is 'imagenet'",
        ),
        ({"training": {"recon_weight": 0.5}}, "recipe.json: training has the key recon_weight"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(tmp_path: Path, values: dict[str, Any], message: str) -> None:
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=re.escape(message)):
        read_recipe(path)

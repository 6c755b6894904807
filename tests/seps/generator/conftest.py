"""A tiny generator, and a few scenes to train it on. Its weights are random: nothing here tells what it can draw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from seps.generator.config import GeneratorConfig
from seps.generator.network import GeneratorNetwork
from seps.scenes import write_split

TINY: dict[str, Any] = {
    "image_size": 32,
    "encoders": {"channels": [16, 32]},
    "captioner": {"width": 32, "layers": 2, "heads": 2, "max_words": 24, "dropout": 0.0},
    "autoencoder": {"channels": [8, 16, 16], "latent_channels": 4, "noise": 0.0},
    "diffusion": {"channels": [32, 32], "head_channels": 16, "train_steps": 100},
}


@pytest.fixture(scope="session")
def config() -> GeneratorConfig:
    return GeneratorConfig.from_dict(TINY)


@pytest.fixture
def network(config: GeneratorConfig) -> GeneratorNetwork:
    torch.manual_seed(0)
    return GeneratorNetwork(config).eval()


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 16 training and 6 dev scenes, and 4 to test."""
    folder = tmp_path_factory.mktemp("scenes")
    for split, count in (("train", 16), ("dev", 6), ("test", 4)):
        write_split(folder, split, count, seed=3)
    return folder


@pytest.fixture(scope="session")
def checkpoint(config: GeneratorConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved generator."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("generator")
    GeneratorNetwork(config).save(folder)
    return folder

"""A tiny generator. Its weights are random: nothing here shows how well one can draw."""

from pathlib import Path
from typing import Any

import torch

from seps.generator.config import GeneratorConfig
from seps.generator.model.network import GeneratorNetwork

TINY: dict[str, Any] = {
    "image_size": 32,
    "encoders": {"channels": [16, 32]},
    "captioner": {"width": 32, "layers": 2, "heads": 2, "max_words": 24, "dropout": 0.0},
    "autoencoder": {"channels": [8, 16, 16], "latent_channels": 4, "noise": 0.0},
    "diffusion": {"channels": [32, 32], "head_channels": 16, "train_steps": 100},
}


def write_tiny_generator(folder: Path, draws: bool = True) -> Path:
    """Save one to a folder, with or without a UNet; returns the folder."""
    torch.manual_seed(0)
    GeneratorNetwork(GeneratorConfig.from_dict(TINY | {"draws": draws})).save(folder)
    return folder

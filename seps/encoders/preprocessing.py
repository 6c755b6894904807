"""Preprocessing: a photograph of any size and mode to the pixels that an image encoder wants."""

from __future__ import annotations

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from seps.encoders.config import VisionConfig
from seps.photos import rgb_of


def preprocess(photo: Image.Image, config: VisionConfig) -> Tensor:
    """Return a photograph, upright, in RGB, squashed to a square (antialiased bicubic) and normalised.

    Args:
        photo: any mode; transparent parts become white, 16 bits a channel become 8.
        config: image_size S, mean and std.

    Returns:
        (3, S, S) float32: (value - mean) / std, with values in [0, 1].

    Raises:
        ValueError: no PIL image, one without pixels, one that is closed or cannot be read, or one of floating-point
            pixels, whose range nothing tells.
    """
    squashed = np.array(squash(photo, config))  # (S, S, 3) uint8
    values = torch.from_numpy(squashed).permute(2, 0, 1).float() / 255  # (3, S, S)
    mean, std = (torch.tensor(numbers, dtype=torch.float32).view(3, 1, 1) for numbers in (config.mean, config.std))
    return ((values - mean) / std).contiguous()


def squash(photo: Image.Image, config: VisionConfig) -> Image.Image:
    """Squash a photograph as `preprocess` does, to a square of `image_size` pixels a side in RGB; errors as there."""
    size = config.image_size
    return rgb_of(photo).resize((size, size), Image.Resampling.BICUBIC)

"""Preprocessing: a photograph of any size and mode to the pixels that an image encoder wants."""

from __future__ import annotations

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor

from seps.encoders.config import VisionConfig


def preprocess(photo: Image.Image, config: VisionConfig) -> Tensor:
    """A photograph, upright, in RGB, squashed to a square (antialiased bicubic) and normalised.

    Args:
        photo: any mode; transparent parts become white, 16 bits a channel become 8.
        config: image_size S, mean and std.

    Returns:
        (3, S, S) float32: (value - mean) / std, with values in [0, 1].

    Raises:
        ValueError: no PIL image, one without pixels, one that cannot be read, or one of floating-point pixels,
            whose range nothing tells.
    """
    squashed = np.array(squash(photo, config))  # (S, S, 3) uint8
    values = torch.from_numpy(squashed).permute(2, 0, 1).float() / 255  # (3, S, S)
    mean, std = (torch.tensor(numbers).view(3, 1, 1) for numbers in (config.mean, config.std))
    return ((values - mean) / std).contiguous()


def squash(photo: Image.Image, config: VisionConfig) -> Image.Image:
    """Squash a photograph as `preprocess` does, to a square of `image_size` pixels a side in RGB; errors as there."""
    if not isinstance(photo, Image.Image):
        raise ValueError(f"The photo is a {type(photo).__name__}, but a PIL image is needed.")
    if photo.width == 0 or photo.height == 0:
        raise ValueError(f"The photo has {photo.width} x {photo.height} pixels, but at least 1 x 1 is needed.")
    try:
        photo = to_rgb(ImageOps.exif_transpose(photo))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"The photo cannot be read: {error}.") from error
    size = config.image_size
    return photo.resize((size, size), Image.Resampling.BICUBIC)


def to_rgb(photo: Image.Image) -> Image.Image:
    """The photograph in RGB, 8 bits a channel, over white where it is transparent."""
    if photo.mode == "F":
        raise ValueError(
            "The photo has floating-point pixels (mode F), whose range is not known: convert it to L or RGB."
        )
    if photo.mode == "I" or photo.mode.startswith("I;16"):
        wide = np.asarray(photo).astype(np.float64) / 257  # 0 to 65535 becomes 0 to 255
        photo = Image.fromarray(wide.round().clip(0, 255).astype(np.uint8))
    if photo.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in photo.info:
        rgba = photo.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba).convert("RGB")
    return photo.convert("RGB")

from io import BytesIO
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from seps.encoders import preprocess
from seps.encoders.config import VisionConfig

CONFIG = VisionConfig("test_vit", "none", 32, (0.5, 0.25, 0.0), (0.5, 0.25, 1.0), "none")


def values(photo: Image.Image) -> torch.Tensor:
    """The preprocessed pixels, back in [0, 1]: (3, 32, 32)."""
    pixels = preprocess(photo, CONFIG)
    assert (pixels.shape, pixels.dtype) == ((3, 32, 32), torch.float32)
    return pixels * torch.tensor(CONFIG.std).view(3, 1, 1) + torch.tensor(CONFIG.mean).view(3, 1, 1)


def corner(size: tuple[int, int]) -> Image.Image:
    """Black, with white in the upper left quarter."""
    photo = Image.new("RGB", size)
    photo.paste("white", (0, 0, size[0] // 2, size[1] // 2))
    return photo


def test_looked_up_values_are_the_computed_ones_to_the_last_digit() -> None:
    squashed = torch.randint(0, 256, (32, 32, 3), dtype=torch.uint8)
    values = squashed.permute(2, 0, 1).float() / 255
    mean, std = (torch.tensor(numbers).view(3, 1, 1) for numbers in (CONFIG.mean, CONFIG.std))
    assert torch.equal(preprocess(Image.fromarray(squashed.numpy()), CONFIG), (values - mean) / std)


@pytest.mark.parametrize("size", [(200, 80), (64, 300)])
def test_the_whole_photo_is_squashed_not_cropped(size: tuple[int, int]) -> None:
    shown = values(corner(size))[0]
    assert shown[:14, :14].min() > 0.97
    assert shown[:, 18:].max() < 0.03
    assert shown[18:].max() < 0.03


def test_shrinking_is_antialiased() -> None:
    stripes = np.zeros((320, 320), dtype=np.uint8)
    stripes[:, ::2] = 255
    shown = values(Image.fromarray(stripes))
    assert (shown - 0.5).abs().max() < 0.02


def test_what_is_no_photo() -> None:
    buffer = BytesIO()
    corner((200, 200)).save(buffer, "JPEG")
    photo: Any
    for photo, message in (
        ("photo.jpg", "The photo is a str, but a PIL image is needed"),
        (Image.new("RGB", (0, 5)), "The photo has 0 x 5 pixels"),
        (Image.open(BytesIO(buffer.getvalue()[:800])), "The photo cannot be read: "),
    ):
        with pytest.raises(ValueError, match=message):
            preprocess(photo, CONFIG)

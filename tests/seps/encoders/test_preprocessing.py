from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from seps.encoders import preprocess
from seps.encoders.config import VisionConfig
from seps.photos import PhotoWarning

CONFIG = VisionConfig("test_vit", "none", 32, (0.5, 0.25, 0.0), (0.5, 0.25, 1.0), "none")


def values(photo: Image.Image) -> torch.Tensor:
    """The preprocessed pixels, back in [0, 1]: (3, 32, 32)."""
    pixels = preprocess(photo, CONFIG)
    assert pixels.shape == (3, 32, 32)
    assert pixels.dtype == torch.float32
    return pixels * torch.tensor(CONFIG.std).view(3, 1, 1) + torch.tensor(CONFIG.mean).view(3, 1, 1)


def colour(photo: Image.Image) -> list[int]:
    """The one colour of a photo, 0 to 255."""
    flat = (values(photo) * 255).round().flatten(1)
    assert (flat == flat[:, :1]).all()
    return [int(value) for value in flat[:, 0]]


def corner(size: tuple[int, int]) -> Image.Image:
    """Black, with white in the upper left quarter."""
    photo = Image.new("RGB", size)
    photo.paste("white", (0, 0, size[0] // 2, size[1] // 2))
    return photo


def test_normalisation_by_channel() -> None:
    pixels = preprocess(Image.new("RGB", (32, 32), (255, 255, 51)), CONFIG)
    assert pixels[0].unique().tolist() == [1.0]
    assert pixels[1].unique().tolist() == [3.0]
    torch.testing.assert_close(pixels[2], torch.full((32, 32), 0.2))


def test_looked_up_values_are_the_computed_ones_to_the_last_digit() -> None:
    squashed = torch.randint(0, 256, (32, 32, 3), dtype=torch.uint8)
    values = squashed.permute(2, 0, 1).float() / 255
    mean, std = (torch.tensor(numbers).view(3, 1, 1) for numbers in (CONFIG.mean, CONFIG.std))
    assert torch.equal(preprocess(Image.fromarray(squashed.numpy()), CONFIG), (values - mean) / std)


def test_pixels_stay_where_they_are_without_resizing() -> None:
    picture = torch.randint(0, 256, (32, 32, 3), dtype=torch.uint8)
    shown = values(Image.fromarray(picture.numpy()))
    torch.testing.assert_close(shown, picture.permute(2, 0, 1) / 255)


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


def test_a_turned_photo_is_put_upright() -> None:
    turned = corner((64, 64)).transpose(Image.Transpose.ROTATE_90)  # the white quarter is lower left
    exif = Image.Exif()
    exif[0x0112] = 6  # turn clockwise to see it upright
    buffer = BytesIO()
    turned.save(buffer, "PNG", exif=exif)
    shown = values(Image.open(buffer))[0]
    assert shown[:14, :14].min() > 0.97
    assert shown[18:].max() < 0.03
    assert shown[:, 18:].max() < 0.03


def palette_with_transparency() -> Image.Image:
    photo = Image.new("P", (5, 5), 0)
    photo.putpalette([9, 9, 9, 0, 0, 255])
    photo.info["transparency"] = 0
    return photo


@pytest.mark.parametrize(
    ("photo", "expected"),
    [
        (Image.new("L", (9, 5), 51), [51, 51, 51]),
        (Image.new("1", (9, 5), 1), [255, 255, 255]),
        (Image.new("RGBA", (9, 5), (255, 0, 0, 255)), [255, 0, 0]),
        (Image.new("RGBA", (9, 5), (255, 0, 0, 51)), [255, 204, 204]),
        (Image.new("RGB", (9, 5), "lime").quantize(), [0, 255, 0]),
        (Image.new("CMYK", (9, 5), (0, 255, 255, 0)), [255, 0, 0]),
        (Image.fromarray(np.full((5, 9), 51 * 257, dtype=np.uint16)), [51, 51, 51]),
        (Image.fromarray(np.full((5, 9), 65535, dtype=np.int32)), [255, 255, 255]),
        (Image.new("RGB", (1, 1), "red"), [255, 0, 0]),
    ],
    ids=lambda value: value.mode if isinstance(value, Image.Image) else "",
)
def test_every_mode_becomes_rgb(photo: Image.Image, expected: list[int]) -> None:
    assert colour(photo) == expected


@pytest.mark.parametrize(
    "photo", [Image.new("RGBA", (9, 5), (255, 0, 0, 0)), Image.new("LA", (9, 5), (0, 0)), palette_with_transparency()]
)
def test_a_photo_without_a_visible_pixel_is_white_with_a_note(photo: Image.Image) -> None:
    with pytest.warns(PhotoWarning, match="transparent everywhere"):
        assert colour(photo) == [255, 255, 255]


def test_the_callers_photo_is_left_alone() -> None:
    photo = corner((64, 64))
    before = photo.tobytes()
    preprocess(photo, CONFIG)
    assert photo.tobytes() == before


def test_what_is_no_photo() -> None:
    with pytest.raises(ValueError, match="The photo is a str, but a PIL image is needed"):
        preprocess("photo.jpg", CONFIG)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="The photo has 0 x 5 pixels"):
        preprocess(Image.new("RGB", (0, 5)), CONFIG)
    with pytest.raises(ValueError, match="The photo has floating-point pixels"):
        preprocess(Image.new("F", (5, 5)), CONFIG)


def test_a_file_that_breaks_off() -> None:
    buffer = BytesIO()
    corner((200, 200)).save(buffer, "JPEG")
    with pytest.raises(ValueError, match="The photo cannot be read: "):
        preprocess(Image.open(BytesIO(buffer.getvalue()[:800])), CONFIG)

import warnings
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from demo.galleries.reading.photos import data_url, read_photo, read_upload
from seps.media.photos import PhotoWarning, open_image, rgb_of
from tests.helpers.pictures.odd_photos import saved
from tests.helpers.pictures.profiles import display_p3, grey, printer

PIXEL, AS_SRGB = (200, 60, 40), (217, 42, 23)  # in Display P3, and as every browser shows it


def check_everywhere(content: bytes, expected: tuple[int, int, int], file: Path, near: int = 2) -> None:
    """Every reader gives this colour, and its result has no profile."""
    file.write_bytes(content)
    with Image.open(BytesIO(content)) as opened:
        images = [open_image(file), rgb_of(opened), read_photo(file).image, read_upload(content, "a").image]
    for image in images:
        assert (image.mode, "icc_profile" in image.info) == ("RGB", False)
        assert np.abs(np.asarray(image).astype(int)[4, 4] - expected).max() <= near
    assert data_url(images[-1], 8).count("SUNDX1BST0ZJTE") == 0  # ICC_PROFILE


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "turned"])
def test_display_p3_is_read_as_browsers_show_it(mode: str, tmp_path: Path) -> None:
    picture = Image.new("RGB", (8, 8), PIXEL)
    options = {"exif": b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"}
    content = saved(
        picture if mode == "turned" else picture.quantize(4) if mode == "P" else picture.convert(mode),
        "PNG",
        icc_profile=display_p3(),
        **(options if mode == "turned" else {}),
    )
    check_everywhere(content, AS_SRGB, tmp_path / "a.png", 3 if mode == "P" else 2)


def test_other_modes_are_converted_by_their_profiles(tmp_path: Path) -> None:
    grey_picture, wide = Image.new("L", (8, 8), 64), Image.fromarray(np.full((8, 8), 64 * 257, np.uint16))
    for picture in (grey_picture.convert("LA"), wide):  # through their gamma
        check_everywhere(saved(picture, "PNG", icc_profile=grey(1.0)), (137,) * 3, tmp_path / "a.png")
    inks = Image.new("CMYK", (8, 8), (255, 255, 255, 255))
    for kind, options in (("JPEG", {"quality": 100, "subsampling": 0}), ("TIFF", {})):  # through a table
        check_everywhere(saved(inks, kind, icc_profile=printer(), **options), (119,) * 3, tmp_path / "a", 3)
    profiles = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    lab = ImageCms.profileToProfile(Image.new("RGB", (8, 8), (220, 30, 40)), *profiles, outputMode="LAB")
    assert lab is not None
    check_everywhere(saved(lab, "TIFF"), (220, 30, 40), tmp_path / "a.tif", 6)


@pytest.mark.parametrize(
    ("mode", "profile", "reason"),
    [
        ("RGB", b"no profile", "it is damaged"),
        ("RGB", display_p3()[:200], "it is damaged"),
        ("RGB", bytes(9 * 2**20), "it has more than 8 MB"),
        ("RGB", printer(), "it is made for CMYK, and the pixels are RGB"),
    ],
)
def test_a_profile_that_cannot_be_used_is_noted(mode: str, profile: bytes, reason: str, tmp_path: Path) -> None:
    content = saved(Image.new("RGB", (8, 8), PIXEL).convert(mode), "TIFF", icc_profile=profile)
    (tmp_path / "a.tif").write_bytes(content)
    with pytest.warns(PhotoWarning, match=f"without its colour profile, which cannot be used .{reason}"):
        assert open_image(tmp_path / "a.tif").getpixel((4, 4)) == PIXEL
    for photo in (read_photo(content, "a.tif"), read_upload(content, "a.tif")):
        assert photo.image.getpixel((4, 4)) == PIXEL
        assert photo.note.startswith('The photo "a.tif" is read without') and reason in photo.note


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_a_white_drawing_without_a_background_can_be_seen(mode: str, tmp_path: Path) -> None:
    drawing = Image.new("RGBA", (40, 40), (255, 255, 255, 0))
    drawing.paste((255, 255, 255, 255), (10, 10, 20, 20))
    content = saved(drawing.convert(mode), "PNG")
    (tmp_path / "a.png").write_bytes(content)
    for image in (open_image(tmp_path / "a.png"), read_upload(content, "a").image):
        assert (image.getpixel((15, 15)), image.getpixel((2, 2))) == ((255,) * 3, (138,) * 3)


@pytest.mark.parametrize("colour", ["black", "#c0e0ff"])
def test_other_drawings_lie_over_white(colour: str) -> None:
    drawing = Image.new("RGBA", (40, 40), (255, 255, 255, 0))
    drawing.paste(colour, (10, 10, 20, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rgb_of(drawing).getpixel((2, 2)) == (255, 255, 255)

import base64
import hashlib
import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.galleries.reading import photos
from demo.galleries.reading.decoding import LONGEST, MAX_BYTES, PhotoError
from demo.galleries.reading.photos import (
    check_photo,
    data_url,
    file_digest,
    printable,
    read_photo,
    read_upload,
    thumbnail,
)
from tests.demo.galleries.photo_kinds import READABLE, RED, REFUSED, two_halves
from tests.helpers.pictures.odd_photos import saved


def pixel(image: Image.Image, across: float, down: float) -> tuple[int, ...]:
    colour = image.getpixel((int(across * image.width), int(down * image.height)))
    assert isinstance(colour, tuple)
    return colour


def close(colour: tuple[int, ...], expected: tuple[int, ...], most: int = 12) -> bool:
    return len(colour) == len(expected) and max(abs(a - b) for a, b in zip(colour, expected, strict=True)) <= most


@pytest.mark.parametrize("kind", READABLE)
def test_reads_upright_in_rgb(tmp_path: Path, kind: str) -> None:
    make, size, first, second = READABLE[kind]
    file = tmp_path / "photo"
    file.write_bytes(make())
    photo = read_photo(file)
    assert photo.image.mode == "RGB"
    assert photo.image.size == size
    left, right = ((0.5, 0.2), (0.5, 0.8)) if kind == "large rotated JPEG" else ((0.2, 0.5), (0.8, 0.5))
    assert close(pixel(photo.image, *left), first)
    assert close(pixel(photo.image, *right), second)
    assert photo.name == "photo"
    assert photo.digest == file_digest(file) == hashlib.sha256(file.read_bytes()).hexdigest()
    check_photo(file)


@pytest.mark.parametrize("kind", REFUSED)
def test_refuses_in_one_sentence(tmp_path: Path, kind: str) -> None:
    make, sentence = REFUSED[kind]
    file = tmp_path / "bad.jpg"
    file.write_bytes(make())
    for read in (read_photo, check_photo):
        with pytest.raises(PhotoError, match=sentence):
            read(file)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_damage_is_read_or_refused_never_a_crash(kind: str) -> None:
    whole = saved(two_halves(), kind)
    rng = np.random.default_rng(0)
    for _ in range(60):
        damaged = np.frombuffer(whole, np.uint8).copy()
        places = rng.integers(0, min(len(damaged), 400), 4)
        damaged[places] = rng.integers(0, 256, 4)
        try:
            photo = read_photo(damaged.tobytes(), "damaged")
        except PhotoError as error:
            assert str(error).startswith('The photo "damaged" ')
        else:
            assert photo.image.mode == "RGB" and max(photo.image.size) <= LONGEST


def test_refuses_a_large_file_without_reading_it(tmp_path: Path) -> None:
    file = tmp_path / "large.png"
    with file.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    for read in (read_photo, check_photo, file_digest):
        with pytest.raises(PhotoError, match=r'The photo "large\.png" is larger than 25 MB'):
            read(file)
    with pytest.raises(PhotoError, match="The photo is larger than 25 MB"):
        read_photo(bytes(MAX_BYTES + 1))


def test_refuses_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "absent.jpg", tmp_path, tmp_path / "pipe", tmp_path / ("x" * 300)):
        for read in (read_photo, check_photo):
            with pytest.raises(PhotoError, match=r"is not there, or is no file: check the path\.$|cannot be read"):
                read(path)


def test_metadata_go_no_further() -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    content = saved(two_halves(), "JPEG", exif=exif, comment=b"taken at home")
    photo = read_photo(content)
    assert photo.image.info == {}
    assert b"taken at home" in content
    assert b"taken at home" not in base64.b64decode(data_url(photo.image, 100).partition(",")[2])


def test_an_upload_may_have_any_name_but_not_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    content = saved(two_halves(), "PNG")
    assert read_upload(content, "\ud800.png").name == printable("\ud800.png") == "\\ud800.png"
    with pytest.raises(PhotoError, match=r'The photo "\\ud800\.png" is no photo that can be read'):
        read_upload(b"words", "\ud800.png")
    monkeypatch.setattr(photos, "decoders", None)  # no process gets it
    with pytest.raises(PhotoError, match="The photo is larger than 25 MB"):
        read_upload(bytes(MAX_BYTES + 1))


def decoded(url: str) -> Image.Image:
    head, _, content = url.partition(",")
    assert head == "data:image/jpeg;base64"
    return Image.open(BytesIO(base64.b64decode(content)), formats=["JPEG"])


def test_data_url_is_a_jpeg_no_longer_than_asked() -> None:
    photo = two_halves((900, 600))
    small = decoded(data_url(photo, 300))
    assert small.size == (300, 200) and close(pixel(small, 0.2, 0.5), RED)
    assert decoded(data_url(photo, 2000)).size == photo.size == (900, 600)
    assert decoded(thumbnail(photo)).size == (192, 128)
    with pytest.raises(ValueError, match="longest is 0, but a whole number of at least 1 is needed"):
        data_url(photo, 0)

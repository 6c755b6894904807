import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demo.galleries.reading.decoding import PhotoError
from demo.galleries.reading.photos import check_photo, read_photo, read_upload
from demo.galleries.sources.folder import folder_gallery
from seps.indexing.files import folder_files
from seps.media import heic, photos
from seps.media.photos import HeicError, open_image, rgb_of
from tests.helpers.pictures.odd_photos import BLUE, RED, SIZE, saved, upright


def heic_photo(image: Image.Image, **options: object) -> bytes:
    assert heic.heic_formats()
    return saved(image, "HEIF", quality=95, **options)


def check(image: Image.Image, above: tuple[int, ...] = RED, below: tuple[int, ...] = BLUE) -> None:
    assert (image.mode, image.size) == ("RGB", SIZE)
    pixels = np.asarray(image).astype(int)
    assert np.abs(pixels[10, 20] - above).max() <= 12 and np.abs(pixels[50, 20] - below).max() <= 12


def test_heic_is_read_upright_once(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    content = heic_photo(upright().transpose(Image.Transpose.ROTATE_90), exif=exif.tobytes())
    file = tmp_path / "IMG_0001.HEIC"
    file.write_bytes(content)
    with Image.open(file) as image:
        check(rgb_of(image))
    for photo in (open_image(file), read_photo(file).image, read_upload(content, "a").image):
        check(photo)
    check_photo(file)
    assert [each.path for each in folder_files(tmp_path)] == ["IMG_0001.HEIC"]
    assert len(folder_gallery(tmp_path)) == 1


def test_heic_that_is_cut_short_or_of_too_many_pixels_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = heic_photo(upright())
    with pytest.raises(PhotoError, match="is damaged or cut short"):
        read_upload(content[: len(content) // 2], "a.heic")
    monkeypatch.setattr("demo.galleries.reading.decoding.MAX_PIXELS_WHOLE", 2_000)
    with pytest.raises(PhotoError, match="million pixels"):
        read_photo(content, "a.heic")


def test_without_its_package_heic_is_refused_with_the_extra_s_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = heic_photo(upright())
    heic.heic_formats.cache_clear()
    photos.readable_formats.cache_clear()
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    monkeypatch.delitem(Image.OPEN, "HEIF")
    for name in ("a.heic", "b.HEIC"):
        (tmp_path / name).write_bytes(content)
    try:
        for read in (open_image, read_photo, check_photo):
            with pytest.raises(HeicError, match=r"pip install 'seps-explorer\[heic\]', or save it as JPEG"):
                read(tmp_path / "a.heic")
        with pytest.raises(ValueError, match=r"2 HEIC photos need the package pillow-heif: pip install"):
            folder_gallery(tmp_path)
    finally:
        heic.heic_formats.cache_clear()
        photos.readable_formats.cache_clear()

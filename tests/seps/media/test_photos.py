import os
import re
import warnings
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from seps.media import photos
from seps.media.photos import PhotoError, PhotoWarning, open_image, rgb_of
from tests.helpers.pictures.odd_photos import BLUE, RED, SIZE, corpus, saved, upright

CORPUS = corpus()


def check_upright(picture: Image.Image) -> None:
    assert (picture.mode, picture.size) == ("RGB", SIZE)
    pixels = np.asarray(picture).astype(int)
    for rows, colour in ((pixels[5:25, 5:35], RED), (pixels[35:55, 5:35], BLUE)):
        assert np.abs(rows - colour).max() <= 16


@pytest.mark.parametrize("name", CORPUS)
def test_every_file_becomes_an_upright_rgb_picture(tmp_path: Path, name: str) -> None:
    file = tmp_path / "photo.jpg"
    file.write_bytes(CORPUS[name]())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_upright(open_image(file))
        check_upright(rgb_of(open_image(file)))  # what was turned once stays so
    if name.startswith(("JPEG", "PNG", "TIFF")) and "empty text" not in name:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Pillow, while the caller opens it
            with Image.open(file) as image:
                check_upright(rgb_of(image))


GREY = np.repeat([[20 * 257], [200 * 257]], 30, axis=0).repeat(40, axis=1)  # (60, 40)
L = Image.fromarray((GREY // 257).astype(np.uint8))
MODES: dict[str, tuple[Image.Image, int, int]] = {  # an image and its grey above and below
    "1": (Image.fromarray(GREY > 20_000), 0, 255),
    **{mode: (L.convert(mode), 20, 200) for mode in ("LA", "P", "RGBX")},
    "RGBa": (L.convert("RGBA").convert("RGBa"), 20, 200),
    "I": (Image.fromarray(GREY.astype(np.int32)), 20, 200),
    "I below and above": (Image.fromarray(np.where(GREY > 20_000, 2**31 - 1, -(2**31)).astype(np.int32)), 0, 255),
    "I;16": (Image.fromarray(GREY.astype(np.uint16)), 20, 200),
    "I;16B": (Image.fromarray(GREY.astype(np.int32)).convert("I;16B"), 20, 200),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_becomes_rgb(mode: str) -> None:
    image, above, below = MODES[mode]
    before = image.tobytes()
    picture = rgb_of(image)
    assert (picture.mode, picture.size) == ("RGB", SIZE)
    assert np.abs(np.asarray(picture)[:30].astype(int) - above).max() <= 1
    assert np.abs(np.asarray(picture)[30:].astype(int) - below).max() <= 1
    assert image.tobytes() == before


def clear_palette() -> Image.Image:
    image = Image.new("P", (5, 5), 0)
    image.putpalette([9, 9, 9, 0, 0, 255])
    image.info["transparency"] = 0
    return image


CLEAR = [Image.new(mode, (4, 4), (0,) * len(mode)) for mode in ("LA", "La", "RGBA", "RGBa")]


@pytest.mark.parametrize("image", [*CLEAR, clear_palette()])
def test_what_is_transparent_is_white(image: Image.Image) -> None:
    with pytest.warns(PhotoWarning, match="transparent everywhere, so that it is read as blank"):
        assert rgb_of(image).getpixel((1, 1)) == (255, 255, 255)
    half = Image.new("RGBA", (9, 5), (255, 0, 0, 51))
    assert rgb_of(half).getpixel((1, 1)) == (255, 204, 204)


def test_a_file_that_is_no_photograph_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = saved(upright(), "PNG")
    for name, content, reason in (
        ("cut.png", whole[: len(whole) // 2], "it is damaged or cut short"),
        ("empty.jpg", b"", "it is no photo that can be read"),
        ("exif.jpg", b"\xff\xd8" + b"Exif\0\0" * 9, "it is no photo that can be read"),
        ("float.tif", saved(Image.new("F", (4, 4), 0.5), "TIFF"), "it has floating-point pixels"),
        ("script.eps", saved(upright(), "EPS"), "it is no photo that can be read"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(PhotoError) as caught:
            open_image(tmp_path / name)
        assert str(caught.value) == (
            f"{tmp_path / name} cannot be read as an image ({reason}): replace it, or take it out of the data."
        )
    (tmp_path / "pointer.jpg").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(PhotoError, match=r"pointer\.jpg is a Git LFS pointer, a few lines of text"):
        open_image(tmp_path / "pointer.jpg")
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "large.png").write_bytes(saved(Image.new("1", (3000, 3000)), "PNG"))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 4_000_000)
    for name in ("absent.jpg", "pipe.jpg", "large.png", "."):
        with pytest.raises(PhotoError, match=re.escape(f"{tmp_path / name} cannot be read as an image")):
            open_image(tmp_path / name)


def test_a_closed_image_is_refused() -> None:
    closed = upright()
    closed.close()
    with Image.open(BytesIO(saved(upright(), "PNG"))) as not_loaded:
        pass
    for image in (closed, not_loaded):
        with pytest.raises(PhotoError, match="The photo was closed before its pixels were read: call load"):
            rgb_of(image)
    with Image.open(BytesIO(saved(upright(), "PNG"))) as image:
        image.load()
    check_upright(rgb_of(image))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_process_forked_while_a_photograph_is_read_reads_its_own(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(saved(upright(), "PNG"))
    child = get_context("fork").Process(target=open_image, args=(tmp_path / "photo.png",))
    with photos._DECODING:
        child.start()
    child.join(10)
    child.kill()  # if it waits for a lock that nobody will open
    child.join()
    assert child.exitcode == 0

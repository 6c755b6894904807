from __future__ import annotations

import base64
import hashlib
import os
import struct
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageFile, PngImagePlugin, TiffImagePlugin
from PIL.PngImagePlugin import PngInfo

from demo.galleries import photos
from demo.galleries.decoding import LONGEST, MAX_BYTES, PhotoError
from demo.galleries.photos import (
    KEPT,
    check_photo,
    data_url,
    file_digest,
    pixels_digest,
    printable,
    read_photo,
    read_upload,
    shrink_photo,
    thumbnail,
)
from tests.helpers.odd_photos import corpus

RED, BLUE = (220, 30, 40), (20, 60, 200)
ORIENTATION = 0x0112


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    stream = BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def two_halves(size: tuple[int, int] = (60, 40)) -> Image.Image:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", size, RED)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    return image


def png(size: tuple[int, int], depth: int, colour: int, rows: bytes, *chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG of these raw rows, other chunks in front of them, for what Pillow does not write."""
    header = struct.pack(">2I5B", *size, depth, colour, 0, 0, 0)
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", header), *chunks, (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def ycbcr_tiff(image: Image.Image, step: int) -> bytes:
    """A TIFF without compression in YCbCr, the colour of `step` x `step` pixels stored once."""
    y, *colour = np.asarray(image.convert("YCbCr")).transpose(2, 0, 1)
    rows, columns = y.shape[0] // step, y.shape[1] // step
    blocks = y.reshape(rows, step, columns, step).transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    data = np.concatenate([blocks, *(band[::step, ::step, None] for band in colour)], axis=2).tobytes()
    short, long = "<HHIHH", "<HHII"
    bits = 8 + 2 + 10 * 12 + 4  # where "8 bits each" stands, and behind it the pixels
    entries = [
        struct.pack(short, 256, 3, 1, image.width, 0),
        struct.pack(short, 257, 3, 1, image.height, 0),
        struct.pack(long, 258, 3, 3, bits),
        struct.pack(short, 259, 3, 1, 1, 0),  # no compression
        struct.pack(short, 262, 3, 1, 6, 0),  # YCbCr
        struct.pack(long, 273, 4, 1, bits + 6),
        struct.pack(short, 277, 3, 1, 3, 0),
        struct.pack(short, 278, 3, 1, image.height, 0),
        struct.pack(long, 279, 4, 1, len(data)),
        struct.pack("<HHIHH", 530, 3, 2, step, step),
    ]
    directory = struct.pack("<H", len(entries)) + b"".join(entries) + struct.pack("<I", 0)
    return b"II*\0" + struct.pack("<I", 8) + directory + struct.pack("<3H", 8, 8, 8) + data


def lab() -> Image.Image:
    profiles = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    image = ImageCms.profileToProfile(two_halves(), *profiles, outputMode="LAB")
    assert image is not None
    return image


def texts(kind: str) -> PngInfo:
    """Three megabytes of text, packed or international."""
    info = PngInfo()
    add = info.add_text if kind == "zTXt" else info.add_itxt
    add("Comment", "tale " * 600_000, zip=True)
    return info


def damaged_exif() -> PngInfo:
    info = PngInfo()
    info.add_text("Raw profile type exif", "\nexif\n4\nno hexadecimal")
    return info


def pixel(image: Image.Image, across: float, down: float) -> tuple[int, ...]:
    """The colour at a share of width and height."""
    colour = image.getpixel((int(across * image.width), int(down * image.height)))
    assert isinstance(colour, tuple)
    return colour


def close(colour: tuple[int, ...], expected: tuple[int, ...], most: int = 12) -> bool:
    return len(colour) == len(expected) and max(abs(a - b) for a, b in zip(colour, expected, strict=True)) <= most


def rotated(kind: str, size: tuple[int, int] = (60, 40), colours: int | None = None) -> bytes:
    """Two halves stored lying on their side: upright, red is above blue."""
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    image = two_halves(size)
    return saved(image if colours is None else image.quantize(colours), kind, exif=exif)


def palette(transparent: bool) -> bytes:
    image = two_halves().quantize(4)
    return saved(image, "PNG", **({"transparency": image.getpixel((0, 0))} if transparent else {}))


def translucent(kind: str, size: tuple[int, int] = (60, 40)) -> bytes:
    """Nothing on the left, blue on the right."""
    image = two_halves(size).convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, size[0] // 2, size[1]))
    return saved(image, kind, **({"lossless": True} if kind == "WEBP" else {}))


WHITE = (255, 255, 255)
PROFILE = np.random.default_rng(0).bytes(3_000_000)  # of a colour space: no library is to read it
GREY = Image.fromarray(np.repeat(np.array([[20 * 257, 200 * 257]], np.uint16), 30, axis=1).repeat(40, axis=0))
RGB16 = png((2, 1), 16, 2, b"\0" + struct.pack(">6H", *(257 * value for value in RED + BLUE)))
# name: content, size when upright, colour on the left (or above, where rotated), colour on the right (or below)
READABLE: dict[str, tuple[Callable[[], bytes], tuple[int, int], tuple[int, ...], tuple[int, ...]]] = {
    "JPEG": (lambda: saved(two_halves(), "JPEG", quality=95), (60, 40), RED, BLUE),
    "PNG": (lambda: saved(two_halves(), "PNG"), (60, 40), RED, BLUE),
    "WEBP": (lambda: saved(two_halves(), "WEBP", lossless=True), (60, 40), RED, BLUE),
    "BMP": (lambda: saved(two_halves(), "BMP"), (60, 40), RED, BLUE),
    "TIFF": (lambda: saved(two_halves(), "TIFF", compression="tiff_lzw"), (60, 40), RED, BLUE),
    "animated GIF": (
        lambda: saved(two_halves(), "GIF", save_all=True, append_images=[Image.new("RGB", (60, 40), "green")]),
        (60, 40), RED, BLUE,
    ),
    "animated WEBP": (
        lambda: saved(two_halves(), "WEBP", save_all=True, append_images=[Image.new("RGB", (60, 40), "green")]),
        (60, 40), RED, BLUE,
    ),
    "two pictures in a JPEG": (
        lambda: saved(two_halves(), "MPO", save_all=True, append_images=[Image.new("RGB", (60, 40), "green")]),
        (60, 40), RED, BLUE,
    ),
    "CMYK": (lambda: saved(two_halves().convert("CMYK"), "JPEG", quality=95), (60, 40), RED, BLUE),
    "CMYK TIFF": (lambda: saved(two_halves().convert("CMYK"), "TIFF"), (60, 40), RED, BLUE),
    "16-bit grey": (lambda: saved(GREY, "PNG"), (60, 40), (20, 20, 20), (200, 200, 200)),
    "16-bit grey TIFF": (lambda: saved(GREY, "TIFF"), (60, 40), (20, 20, 20), (200, 200, 200)),
    "16-bit colour": (lambda: RGB16, (2, 1), RED, BLUE),
    "grey": (lambda: saved(two_halves().convert("L"), "JPEG"), (60, 40), (88, 88, 88), (64, 64, 64)),
    "palette": (lambda: palette(False), (60, 40), RED, BLUE),
    "palette, transparent": (lambda: palette(True), (60, 40), WHITE, BLUE),
    "transparent PNG": (lambda: translucent("PNG"), (60, 40), WHITE, BLUE),
    "transparent WEBP": (lambda: translucent("WEBP"), (60, 40), WHITE, BLUE),
    "rotated JPEG": (lambda: rotated("JPEG"), (40, 60), RED, BLUE),
    "rotated PNG": (lambda: rotated("PNG"), (40, 60), RED, BLUE),
    "rotated WEBP": (lambda: rotated("WEBP"), (40, 60), RED, BLUE),
    "rotated TIFF": (lambda: rotated("TIFF"), (40, 60), RED, BLUE),
    "rotated palette TIFF": (lambda: rotated("TIFF", colours=4), (40, 60), RED, BLUE),
    "large rotated palette TIFF": (lambda: rotated("TIFF", (4096, 400), 4), (200, LONGEST), RED, BLUE),
    "YCbCr TIFF": (lambda: saved(two_halves().convert("YCbCr"), "TIFF"), (60, 40), RED, BLUE),
    "YCbCr TIFF, packed": (
        lambda: saved(two_halves().convert("YCbCr"), "TIFF", compression="tiff_adobe_deflate"), (60, 40), RED, BLUE,
    ),
    "YCbCr TIFF, as JPEG": (
        lambda: saved(two_halves().convert("YCbCr"), "TIFF", compression="jpeg"), (60, 40), RED, BLUE,
    ),
    "YCbCr TIFF, less colour": (lambda: ycbcr_tiff(two_halves(), 2), (60, 40), RED, BLUE),
    "large YCbCr TIFF, less colour": (lambda: ycbcr_tiff(two_halves((4096, 20)), 2), (LONGEST, 10), RED, BLUE),
    "LAB TIFF": (lambda: saved(lab(), "TIFF"), (60, 40), RED, BLUE),
    "one bit": (lambda: saved(Image.new("1", (60, 40)), "PNG"), (60, 40), (0, 0, 0), (0, 0, 0)),
    "grey, transparent": (lambda: saved(two_halves().convert("LA"), "PNG"), (60, 40), (88, 88, 88), (64, 64, 64)),
    "big-endian 16-bit grey TIFF": (
        lambda: saved(GREY.convert("I").convert("I;16B"), "TIFF"), (60, 40), (20, 20, 20), (200, 200, 200),
    ),
    "16-bit grey, one value transparent": (
        lambda: png((2, 1), 16, 0, b"\0" + struct.pack(">2H", 20 * 257, 200 * 257), (b"tRNS", b"\0\0")),
        (2, 1), (20, 20, 20), (200, 200, 200),
    ),
    "colour, one value transparent": (
        lambda: png((2, 1), 8, 2, bytes((0, *RED, *BLUE)), (b"tRNS", struct.pack(">3H", *RED))), (2, 1), WHITE, BLUE,
    ),
    "JPEG with a large profile": (
        lambda: saved(two_halves(), "JPEG", quality=95, icc_profile=PROFILE), (60, 40), RED, BLUE,
    ),
    "PNG with a large profile": (lambda: saved(two_halves(), "PNG", icc_profile=PROFILE), (60, 40), RED, BLUE),
    "WEBP with a large profile": (
        lambda: saved(two_halves(), "WEBP", lossless=True, icc_profile=PROFILE), (60, 40), RED, BLUE,
    ),
    "PNG with a profile that unpacks to 20 MB": (
        lambda: saved(two_halves(), "PNG", icc_profile=bytes(20_000_000)), (60, 40), RED, BLUE,
    ),
    "PNG with a long text": (lambda: saved(two_halves(), "PNG", pnginfo=texts("zTXt")), (60, 40), RED, BLUE),
    "PNG with a long text of any language": (
        lambda: saved(two_halves(), "PNG", pnginfo=texts("iTXt")), (60, 40), RED, BLUE,
    ),
    "PNG with damaged EXIF": (lambda: saved(two_halves(), "PNG", pnginfo=damaged_exif()), (60, 40), RED, BLUE),
    "JPEG with damaged EXIF": (
        lambda: saved(two_halves(), "JPEG", quality=95, exif=b"Exif\0\0no directory"), (60, 40), RED, BLUE,
    ),
    "1 x 1": (lambda: saved(Image.new("RGB", (1, 1), BLUE), "PNG"), (1, 1), BLUE, BLUE),
    "20,000 wide JPEG": (lambda: saved(two_halves((20_000, 100)), "JPEG"), (LONGEST, 10), RED, BLUE),
    "20,000 x 1": (lambda: saved(two_halves((20_000, 1)), "PNG"), (LONGEST, 1), RED, BLUE),
    "large palette": (lambda: saved(two_halves((4096, 20)).quantize(4), "PNG"), (LONGEST, 10), RED, BLUE),
    "large transparent": (lambda: translucent("PNG", (4096, 20)), (LONGEST, 10), WHITE, BLUE),
    "large 16-bit grey": (
        lambda: saved(GREY.resize((4096, 20), Image.Resampling.NEAREST), "PNG"),
        (LONGEST, 10), (20, 20, 20), (200, 200, 200),
    ),
    "large rotated JPEG": (lambda: rotated("JPEG", (4096, 400)), (200, LONGEST), RED, BLUE),
    "large rotated TIFF": (lambda: rotated("TIFF", (4096, 400)), (200, LONGEST), RED, BLUE),
}  # fmt: skip


@pytest.mark.parametrize("kind", READABLE)
def test_reads_upright_in_rgb(tmp_path: Path, kind: str) -> None:
    make, size, first, second = READABLE[kind]
    file = tmp_path / "photo"
    file.write_bytes(make())
    photo = read_photo(file)
    assert photo.image.mode == "RGB"
    assert photo.image.size == size
    turned = kind.startswith(("rotated", "large rotated"))
    left, right = ((0.5, 0.2), (0.5, 0.8)) if turned else ((0.2, 0.5), (0.8, 0.5))
    assert close(pixel(photo.image, *left), first)
    assert close(pixel(photo.image, *right), second)
    assert photo.name == "photo"
    assert photo.digest == file_digest(file) == hashlib.sha256(file.read_bytes()).hexdigest()
    check_photo(file)


ODD = {name: make for name, make in corpus().items() if not name.startswith(("JPEG2000", "PPM", "TGA"))}


@pytest.mark.parametrize("name", ODD)
def test_metadata_that_break_the_rules_leave_a_photo_upright(name: str) -> None:
    photo = read_photo(ODD[name]()).image
    assert (photo.mode, photo.size) == ("RGB", (40, 60))
    assert close(pixel(photo, 0.5, 0.2), RED, 16)
    assert close(pixel(photo, 0.5, 0.8), BLUE, 16)


def header_only_png(width: int, height: int) -> bytes:
    return png((width, height), 8, 2, b"")


def floating_point() -> bytes:
    return saved(Image.new("F", (4, 4), 0.5), "TIFF")


NO_HEIC = r"^The photo \"bad\.jpg\" is a HEIC photo, .*pip install.*save it as JPEG\.$"
NO_PHOTO = r"^The photo \"bad\.jpg\" is no photo that can be read: save it as JPEG, PNG, WEBP, GIF, BMP or TIFF\.$"
TOO_MANY = r"^The photo \"bad\.jpg\" has more than 100 million pixels: scale it down\.$"
TOO_MANY_WHOLE = r"^The photo \"bad\.jpg\" has more than 64 million pixels: scale it down, or save it as JPEG\.$"
# name: content, sentence
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "text": (lambda: b"a dog on grass, but in words", NO_PHOTO),
    "zero bytes": (lambda: b"", r"^The photo \"bad\.jpg\" is empty \(0 bytes\): choose another file\.$"),
    "SVG": (lambda: b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', NO_PHOTO),
    "HEIC": (lambda: b"\0\0\0\x18ftypheic\0\0\0\0heicmif1" + bytes(200), r"is damaged or cut short"),
    "EPS": (lambda: saved(two_halves(), "EPS"), NO_PHOTO),
    "icon": (lambda: saved(two_halves(), "ICO"), NO_PHOTO),
    "PPM": (lambda: saved(two_halves(), "PPM"), NO_PHOTO),
    "bomb of 144 million pixels": (lambda: saved(Image.new("1", (12_000, 12_000)), "PNG"), TOO_MANY),
    "JPEG of 101 million pixels": (lambda: saved(Image.new("L", (10_100, 10_000)), "JPEG"), TOO_MANY),
    "PNG of 65 million pixels": (lambda: header_only_png(6_500, 10_000), TOO_MANY_WHOLE),
    "bomb by its header only": (lambda: header_only_png(60_000, 60_000), TOO_MANY),
    "bomb GIF": (lambda: b"GIF89a" + struct.pack("<2H", 65_535, 65_535) + b"\0\0\0" + saved(
        Image.new("L", (1, 1)), "GIF")[13:], TOO_MANY),
    "floating point": (floating_point, r"^The photo \"bad\.jpg\" has floating-point pixels: save it with 8 or 16 bits"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_refuses_in_one_sentence(tmp_path: Path, kind: str) -> None:
    make, sentence = REFUSED[kind]
    file = tmp_path / "bad.jpg"
    file.write_bytes(make())
    with pytest.raises(PhotoError, match=sentence):
        read_photo(file)
    with pytest.raises(PhotoError, match=sentence):
        check_photo(file)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
@pytest.mark.parametrize("fraction", [0.5, 0.9])
def test_refuses_a_file_cut_short(kind: str, fraction: float) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (80, 60, 3), dtype=np.uint8)
    content = saved(Image.fromarray(noise), kind)
    with pytest.raises(PhotoError, match=r'^The photo "cut" (is damaged or cut short|is no photo that can be read)'):
        read_photo(content[: int(fraction * len(content))], "cut")


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


def test_several_threads_read_at_once_and_leave_all_settings_alone() -> None:
    before = list(warnings.filters), PngImagePlugin.MAX_TEXT_CHUNK, TiffImagePlugin.READ_LIBTIFF
    content = saved(Image.new("L", (9_500, 9_500)), "JPEG")  # Pillow itself would warn
    with ThreadPoolExecutor(4) as pool:
        sizes = list(pool.map(lambda _: read_photo(content).image.size, range(4)))
    assert sizes == [(LONGEST, LONGEST)] * 4
    assert (list(warnings.filters), PngImagePlugin.MAX_TEXT_CHUNK, TiffImagePlugin.READ_LIBTIFF) == before


def test_a_large_jpeg_is_decoded_at_a_part_of_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    load = ImageFile.ImageFile.load

    def watched(image: ImageFile.ImageFile) -> Any:
        loaded.append(image.size)
        return load(image)

    monkeypatch.setattr(ImageFile.ImageFile, "load", watched)
    photo = read_photo(saved(two_halves((6_300, 4_200)), "JPEG"))
    assert loaded[0] == (3_150, 2_100)
    assert photo.image.size == (LONGEST, round(LONGEST * 4_200 / 6_300))
    assert close(pixel(photo.image, 0.2, 0.5), RED) and close(pixel(photo.image, 0.8, 0.5), BLUE)


@pytest.mark.parametrize("kind", ["JPEG", "palette, transparent", "CMYK", "16-bit grey", "LAB TIFF", "rotated TIFF"])
def test_an_upload_is_read_as_any_photo(kind: str) -> None:
    content = READABLE[kind][0]()
    here, there = read_photo(content, "own.png"), read_upload(content, "own.png")
    assert there.image.mode == "RGB"
    assert there.image.info == {}
    np.testing.assert_array_equal(np.asarray(there.image), np.asarray(here.image))
    assert (there.digest, there.name) == (here.digest, here.name) == (hashlib.sha256(content).hexdigest(), "own.png")


@pytest.mark.parametrize("kind", ["text", "PNG of 65 million pixels", "floating point"])
def test_an_upload_is_refused_as_any_photo(kind: str) -> None:
    make, sentence = REFUSED[kind]
    with pytest.raises(PhotoError, match=sentence):
        read_upload(make(), "bad.jpg")


def test_an_upload_of_the_wrong_size_goes_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photos, "decoders", None)
    with pytest.raises(PhotoError, match='The photo "a" is empty'):
        read_upload(b"", "a")
    with pytest.raises(PhotoError, match="The photo is larger than 25 MB"):
        read_upload(bytes(MAX_BYTES + 1))


def test_an_upload_may_have_any_name() -> None:
    content = saved(two_halves(), "PNG")
    assert read_upload(content, "\ud800.png").name == printable("\ud800.png") == "\\ud800.png"
    with pytest.raises(PhotoError, match=r'The photo "\\ud800\.png" is no photo that can be read'):
        read_upload(b"words", "\ud800.png")


def test_what_is_kept_small_is_the_photo_at_a_size_to_look_at() -> None:
    small = shrink_photo(two_halves((1_800, 1_200)))()
    assert (small.mode, small.size) == ("RGB", (KEPT, 600))
    assert close(pixel(small, 0.2, 0.5), RED) and close(pixel(small, 0.8, 0.5), BLUE)
    assert shrink_photo(two_halves())().size == (60, 40)


def decoded(url: str) -> Image.Image:
    head, _, content = url.partition(",")
    assert head == "data:image/jpeg;base64"
    return Image.open(BytesIO(base64.b64decode(content)), formats=["JPEG"])


def test_data_url_is_a_jpeg_no_longer_than_asked() -> None:
    photo = two_halves((900, 600))
    small = decoded(data_url(photo, 300))
    assert small.size == (300, 200)
    assert close(pixel(small, 0.2, 0.5), RED)
    assert decoded(data_url(photo, 2000)).size == photo.size == (900, 600)
    assert decoded(thumbnail(photo)).size == (192, 128)
    assert decoded(data_url(Image.new("RGB", (1, 1)), 5)).size == (1, 1)
    assert len(data_url(photo, 900, quality=95)) > len(data_url(photo, 900, quality=20))
    with pytest.raises(ValueError, match="longest is 0, but a whole number of at least 1 is needed"):
        data_url(photo, 0)


def test_pixels_digest_tells_size_and_pixels_apart() -> None:
    images = [two_halves((60, 40)), Image.new("RGB", (4, 6)), Image.new("RGB", (6, 4)), two_halves((60, 42))]
    assert len({pixels_digest(image) for image in images}) == 4
    assert pixels_digest(two_halves()) == pixels_digest(two_halves())


def test_a_name_that_is_no_utf8_can_be_shown(tmp_path: Path) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.png"))
    file.write_bytes(saved(two_halves(), "PNG"))
    assert read_photo(file).name == printable(file.name) == "caf\\xe9.png"
    file.write_bytes(b"")
    with pytest.raises(PhotoError) as caught:
        read_photo(file)
    assert str(caught.value).encode("utf-8").startswith(b'The photo "caf\\xe9.png" is empty')

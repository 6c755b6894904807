"""Photographs of every kind: those that are read, and those that are refused."""

import struct
import zlib
from collections.abc import Callable

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from demo.galleries.reading.decoding import LONGEST
from tests.helpers.pictures.odd_photos import saved

RED = (220, 30, 40)
BLUE = (20, 60, 200)


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


def texts() -> PngInfo:
    """Three megabytes of text, packed."""
    info = PngInfo()
    info.add_text("Comment", "tale " * 600_000, zip=True)
    return info


def rotated() -> bytes:
    """Two halves stored lying on their side: upright, red is above blue."""
    exif = Image.Exif()
    exif[0x0112] = 6  # the orientation
    return saved(two_halves((4096, 400)), "JPEG", exif=exif)


def palette() -> bytes:
    """A palette in which red is transparent."""
    image = two_halves().quantize(4)
    return saved(image, "PNG", transparency=image.getpixel((0, 0)))


WHITE = (255, 255, 255)
GREY = Image.fromarray(np.repeat(np.array([[20 * 257, 200 * 257]], np.uint16), 30, axis=1).repeat(40, axis=0))
READABLE: dict[str, tuple[Callable[[], bytes], tuple[int, int], tuple[int, ...], tuple[int, ...]]] = {
    "JPEG": (lambda: saved(two_halves(), "JPEG", quality=95), (60, 40), RED, BLUE),
    "two pictures in a JPEG": (
        lambda: saved(two_halves(), "MPO", save_all=True, append_images=[Image.new("RGB", (60, 40), "green")]),
        (60, 40), RED, BLUE,
    ),
    "palette, transparent": (palette, (60, 40), WHITE, BLUE),
    "16-bit grey, one value transparent": (
        lambda: png((2, 1), 16, 0, b"\0" + struct.pack(">2H", 20 * 257, 200 * 257), (b"tRNS", b"\0\0")),
        (2, 1), (20, 20, 20), (200, 200, 200),
    ),
    "colour, one value transparent": (
        lambda: png((2, 1), 8, 2, bytes((0, *RED, *BLUE)), (b"tRNS", struct.pack(">3H", *RED))), (2, 1), WHITE, BLUE,
    ),
    "PNG with a profile that unpacks to 20 MB": (
        lambda: saved(two_halves(), "PNG", icc_profile=bytes(20_000_000)), (60, 40), RED, BLUE,
    ),
    "PNG with a long text": (lambda: saved(two_halves(), "PNG", pnginfo=texts()), (60, 40), RED, BLUE),
    "20,000 wide JPEG": (lambda: saved(two_halves((20_000, 100)), "JPEG"), (LONGEST, 10), RED, BLUE),
    "large 16-bit grey": (
        lambda: saved(GREY.resize((4096, 20), Image.Resampling.NEAREST), "PNG"),
        (LONGEST, 10), (20, 20, 20), (200, 200, 200),
    ),
    "large rotated JPEG": (rotated, (200, LONGEST), RED, BLUE),
}  # fmt: skip


NO_PHOTO = r"^The photo \"bad\.jpg\" is no photo that can be read: save it as JPEG, PNG, WEBP, GIF, BMP or TIFF\.$"
TOO_MANY = r"^The photo \"bad\.jpg\" has more than 100 million pixels: scale it down\.$"
TOO_MANY_WHOLE = r"^The photo \"bad\.jpg\" has more than 64 million pixels: scale it down, or save it as JPEG\.$"
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "text": (lambda: b"a dog on grass, but in words", NO_PHOTO),
    "zero bytes": (lambda: b"", r"^The photo \"bad\.jpg\" is empty \(0 bytes\): choose another file\.$"),
    "HEIC": (lambda: b"\0\0\0\x18ftypheic\0\0\0\0heicmif1" + bytes(200), r"is damaged or cut short"),
    "EPS": (lambda: saved(two_halves(), "EPS"), NO_PHOTO),
    "PNG of 144 million pixels": (lambda: png((12_000, 12_000), 8, 2, b""), TOO_MANY),
    "JPEG of 101 million pixels": (
        lambda: saved(Image.new("L", (10_100, 8)), "JPEG").replace(
            struct.pack(">2H", 8, 10_100), struct.pack(">2H", 10_000, 10_100)
        ),
        TOO_MANY,
    ),
    "PNG of 65 million pixels": (lambda: png((6_500, 10_000), 8, 2, b""), TOO_MANY_WHOLE),
    "bomb by its header only": (lambda: png((60_000, 60_000), 8, 2, b""), TOO_MANY),
    "bomb GIF": (lambda: b"GIF89a" + struct.pack("<2H", 65_535, 65_535) + b"\0\0\0" + saved(
        Image.new("L", (1, 1)), "GIF")[13:], TOO_MANY),
    "floating point": (
        lambda: saved(Image.new("F", (4, 4), 0.5), "TIFF"),
        r"^The photo \"bad\.jpg\" has floating-point pixels: save it with 8 or 16 bits",
    ),
}  # fmt: skip

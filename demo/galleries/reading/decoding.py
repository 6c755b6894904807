"""Decoding of untrusted photographs: bounded, upright and small, or rejected. Imports only Pillow (and pillow-heif), so
that decoding processes start fast."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image

from seps.media import photos
from seps.media.colours import convert_to_srgb
from seps.media.heic import heic_formats
from seps.media.photos import NoPhotoError as NoPhotoError
from seps.media.photos import PhotoError, find_turn, plain, refusal

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")  # and HEIC where its package is installed
MAX_BYTES = 25 * 2**20
MAX_PIXELS = 100_000_000  # of a JPEG, which is decoded at a half, a quarter or an eighth of its size
MAX_PIXELS_WHOLE = 64_000_000  # of the other formats, which Pillow decodes whole before it makes them smaller
LONGEST = 2048  # pixels of the long side that are kept


def decode(content: bytes, subject: str, longest: int = LONGEST) -> Image.Image:
    """Decode the first frame of a photograph, upright, at most `longest` pixels on the long side, without metadata:
    mode L, LA, RGB, RGBA, CMYK or LAB, in sRGB, or `info["note"]` says why its profile cannot be used. PhotoError if it
    is empty, too large, damaged, or in no known format; its message starts with `subject`."""
    check_size(len(content), subject)
    with opened(BytesIO(content), subject) as image:
        scale = min(1.0, longest / max(image.size))
        size = max(1, round(scale * image.width)), max(1, round(scale * image.height))  # in the file's orientation
        drafted = image.draft(None, size)
        image.load()
        turn = find_turn(image)
        image = _mixable(image)
        if image.size != size:
            box = None if drafted is None else drafted[1]
            image = image.resize(size, Image.Resampling.BICUBIC, box, reducing_gap=2.0)
        profile = image.info.get("icc_profile")
        image = image.copy() if turn is None else image.transpose(turn)
    image.info = {"icc_profile": profile}  # where and when it was taken goes no further
    image, note = convert_to_srgb(plain(image))
    image.info = {"note": note} if note else {}
    return image


def check_size(size: int, subject: str) -> None:
    """Raise PhotoError unless a file has 1 to MAX_BYTES bytes."""
    if size == 0:
        raise refusal(subject, "is empty (0 bytes)", "choose another file")
    if size > MAX_BYTES:
        raise refusal(subject, f"is larger than {MAX_BYTES // 2**20} MB", "save it smaller")


@contextmanager
def opened(source: Path | BytesIO, subject: str) -> Iterator[Image.Image]:
    """Open an image file with `seps.media.photos.opened`, restricted to FORMATS and a number of pixels."""
    try:
        with photos.opened(source, subject, (*FORMATS, *heic_formats())) as image:
            whole = image.format not in ("JPEG", "MPO")
            for most in (MAX_PIXELS, MAX_PIXELS_WHOLE) if whole else (MAX_PIXELS,):
                if image.width * image.height > most:
                    raise _too_many(most, subject)
            yield image
    except photos.ManyPixelsError as error:
        raise _too_many(MAX_PIXELS, subject) from error


def _too_many(most: int, subject: str) -> PhotoError:
    other = "" if most == MAX_PIXELS else ", or save it as JPEG"
    return refusal(subject, f"has more than {most // 10**6} million pixels", f"scale it down{other}")


def _mixable(image: Image.Image) -> Image.Image:
    """Convert the image to a mode that can be averaged: without palette and transparent colour."""
    if image.mode.startswith("I"):
        return image if image.mode == "I" else image.convert("I")
    if image.mode in ("1", "P", "PA") or "transparency" in image.info:
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image

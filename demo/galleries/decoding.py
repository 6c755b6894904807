"""Decoding a photograph that anyone may have made: bounded, upright and small, or refused in one sentence.

Of all libraries this module imports Pillow alone, so that a process that does nothing but decode starts at once: see
`demo.galleries.worker`. How a file is opened and turned is told in `seps.photos`; here are the app's bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image

from seps import photos
from seps.photos import NoPhotoError as NoPhotoError
from seps.photos import PhotoError, refusal, turn_of

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
MAX_BYTES = 25 * 2**20
MAX_PIXELS = 100_000_000  # of a JPEG, which is decoded at a half, a quarter or an eighth of its size
MAX_PIXELS_WHOLE = 64_000_000  # of the other formats, which Pillow decodes whole before it makes them smaller
LONGEST = 2048  # pixels of the long side that are kept


def decode(content: bytes, subject: str, longest: int = LONGEST) -> Image.Image:
    """Return the first frame of a photograph, upright, at most `longest` pixels on the long side, without metadata.

    Args:
        content: a file's bytes; subject: what the error's sentence starts with.

    Returns:
        An image in mode L, LA, RGB, RGBA, CMYK or LAB, or I with values of 0 to 65535.

    Raises:
        PhotoError: empty, over MAX_BYTES, no photograph in one of FORMATS, too many pixels, or damage.
    """
    check_size(len(content), subject)
    with opened(BytesIO(content), subject) as image:
        size = _kept_size(image, longest)
        drafted = image.draft(None, size)
        image.load()
        turn = turn_of(image)
        image = _mixable(image)
        if image.size != size:
            box = None if drafted is None else drafted[1]
            image = image.resize(size, Image.Resampling.BICUBIC, box, reducing_gap=2.0)
        image = image.copy() if turn is None else image.transpose(turn)
    image.info = {}  # where and when it was taken goes no further
    return image


def check_size(size: int, subject: str) -> None:
    """Raise PhotoError unless a file has 1 to MAX_BYTES bytes."""
    if size == 0:
        raise refusal(subject, "is empty (0 bytes)", "choose another file")
    if size > MAX_BYTES:
        raise refusal(subject, f"is larger than {MAX_BYTES // 2**20} MB", "save it smaller")


@contextmanager
def opened(source: Path | BytesIO, subject: str) -> Iterator[Image.Image]:
    """Give the image of a file as `seps.photos.opened` gives it, in one of FORMATS and of no more pixels than are
    taken."""
    try:
        with photos.opened(source, subject, FORMATS) as image:
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


def _kept_size(image: Image.Image, longest: int) -> tuple[int, int]:
    """Width and height that are kept, in the file's orientation."""
    scale = min(1.0, longest / max(image.size))
    return max(1, round(scale * image.width)), max(1, round(scale * image.height))


def _mixable(image: Image.Image) -> Image.Image:
    """The image in a mode whose values can be averaged: no colours by number, no colour that counts as none."""
    if image.mode.startswith("I"):
        return image if image.mode == "I" else image.convert("I")
    if image.mode in ("1", "P", "PA") or "transparency" in image.info:
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image

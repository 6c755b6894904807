"""Decoding a photograph that anyone may have made: bounded, upright and small, or refused in one sentence.

Of all libraries this module imports Pillow alone, so that a process that does nothing but decode starts at once: see
`demo.galleries.worker`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from threading import Lock

from PIL import ExifTags, Image, PngImagePlugin, TiffImagePlugin, UnidentifiedImageError

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
FORMATS_IN_WORDS = "JPEG, PNG, WEBP, GIF, BMP or TIFF"
MAX_BYTES = 25 * 2**20
MAX_PIXELS = 100_000_000  # of a JPEG, which is decoded at a half, a quarter or an eighth of its size
MAX_PIXELS_WHOLE = 64_000_000  # of the other formats, which Pillow decodes whole before it makes them smaller
LONGEST = 2048  # pixels of the long side that are kept

_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

# One photograph is decoded at a time in a process: a large one takes hundreds of megabytes, and warning filters and
# Pillow's settings are global.
_DECODING = Lock()


class PhotoError(ValueError):
    """A photograph that is refused; the message says why and what to do."""


class NoPhotoError(PhotoError):
    """A file that is no photograph at all, but a text, a film, ..."""


def decode(content: bytes, subject: str) -> Image.Image:
    """The first frame of a photograph, upright, at most LONGEST pixels on the long side, without metadata.

    Args:
        content: a file's bytes; subject: what the error's sentence starts with.

    Returns:
        An image in mode L, LA, RGB, RGBA, CMYK or LAB, or I with values of 0 to 65535.

    Raises:
        PhotoError: empty, over MAX_BYTES, no photograph in one of FORMATS, too many pixels, or damage.
    """
    check_size(len(content), subject)
    with opened(BytesIO(content), subject) as image:
        size = _kept_size(image)
        drafted = image.draft(None, size)
        image.load()
        turn = _turn(image)
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
        raise PhotoError(f"{subject} is empty (0 bytes): choose another file.")
    if size > MAX_BYTES:
        raise PhotoError(f"{subject} is larger than {MAX_BYTES // 2**20} MB: save it smaller.")


@contextmanager
def opened(source: Path | BytesIO, subject: str) -> Iterator[Image.Image]:
    """The image of a file, its header read and its pixels not yet; whatever goes wrong inside is a PhotoError."""
    with _DECODING, _settings():
        try:
            with Image.open(source, formats=FORMATS) as image:
                whole = image.format not in ("JPEG", "MPO")
                for most in (MAX_PIXELS, MAX_PIXELS_WHOLE) if whole else (MAX_PIXELS,):
                    if image.width * image.height > most:
                        raise _too_many(most, subject)
                if image.mode == "F":
                    raise PhotoError(f"{subject} has floating-point pixels: save it with 8 or 16 bits a channel.")
                yield image
        except PhotoError:
            raise
        except Image.DecompressionBombError as error:
            raise _too_many(MAX_PIXELS, subject) from error
        except UnidentifiedImageError as error:
            raise NoPhotoError(f"{subject} is no photo that can be read: save it as {FORMATS_IN_WORDS}.") from error
        except MemoryError as error:
            raise PhotoError(f"{subject} needs too much memory to decode: save it smaller, as JPEG.") from error
        except Exception as error:  # a damaged file makes Pillow raise nearly anything
            raise PhotoError(f"{subject} is damaged or cut short: choose another file.") from error


def _too_many(most: int, subject: str) -> PhotoError:
    other = "" if most == MAX_PIXELS else ", or save it as JPEG"
    return PhotoError(f"{subject} has more than {most // 10**6} million pixels: scale it down{other}.")


@contextmanager
def _settings() -> Iterator[None]:
    """No warnings, and Pillow's settings such that files which are whole are read."""
    text, libtiff = PngImagePlugin.MAX_TEXT_CHUNK, TiffImagePlugin.READ_LIBTIFF
    PngImagePlugin.MAX_TEXT_CHUNK = MAX_BYTES  # of a colour profile or a text, for which 1 MB is not enough
    TiffImagePlugin.READ_LIBTIFF = True  # Pillow by itself takes YCbCr without compression for RGB
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        PngImagePlugin.MAX_TEXT_CHUNK, TiffImagePlugin.READ_LIBTIFF = text, libtiff


def _kept_size(image: Image.Image) -> tuple[int, int]:
    """Width and height that are kept, in the file's orientation."""
    share = min(1.0, LONGEST / max(image.size))
    return max(1, round(share * image.width)), max(1, round(share * image.height))


def _turn(image: Image.Image) -> Image.Transpose | None:
    """What puts a loaded image upright; None where it is, or where its metadata cannot be read."""
    try:
        return _UPRIGHT.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:  # damaged metadata, which leave the pixels whole
        return None


def _mixable(image: Image.Image) -> Image.Image:
    """The image in a mode whose values can be averaged: no colours by number, no colour that counts as none."""
    if image.mode.startswith("I"):
        return image if image.mode == "I" else image.convert("I")
    if image.mode in ("1", "P", "PA") or "transparency" in image.info:
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image

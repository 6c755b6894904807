"""Photographs from files that anyone may have made: read safely, or refused in one sentence."""

from __future__ import annotations

import base64
import hashlib
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from threading import Lock

from PIL import Image, ImageOps, UnidentifiedImageError

from seps.encoders.preprocessing import to_rgb
from seps.validation import check_whole

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
FORMATS_IN_WORDS = "JPEG, PNG, WEBP, GIF, BMP or TIFF"
MAX_BYTES = 25 * 2**20
MAX_PIXELS = 100_000_000
LONGEST = 2048  # pixels of the long side that are kept
THUMBNAIL = 192

# One photograph is decoded at a time: a large one takes hundreds of megabytes, and warning filters are global.
_DECODING = Lock()


@dataclass(frozen=True)
class Photo:
    """A photograph as it was read.

    Attributes:
        image: RGB, upright, at most LONGEST pixels on the long side, without the file's metadata.
        digest: sha256 of the file's bytes, in hexadecimal.
        name: the file's name, for people.
    """

    image: Image.Image
    digest: str
    name: str


class PhotoError(ValueError):
    """A photograph that is refused; the message says why and what to do."""


def read_photo(source: Path | bytes, name: str = "") -> Photo:
    """Read a photograph: the first frame, upright, in RGB, over white where it is transparent.

    Args:
        source: a file or its content, in one of FORMATS.
        name: what the error calls it; the file's own name where none is given.

    Raises:
        PhotoError: no such file, an empty one, one over MAX_BYTES, no photograph in one of FORMATS, more than
            MAX_PIXELS, or damage.
    """
    subject, name = _subject(source, name)
    content = _content(source, subject)
    with _opened(BytesIO(content), subject) as image:
        image = ImageOps.exif_transpose(_shrunk(image))
        rgb = to_rgb(image)
    rgb.info = {}  # where and when it was taken goes no further
    return Photo(rgb, hashlib.sha256(content).hexdigest(), name)


def check_photo(file: Path, name: str = "") -> None:
    """Raise PhotoError for a file that `read_photo` refuses, as far as its header tells: pixels are not decoded."""
    subject, _ = _subject(file, name)
    try:
        _check_file(file, subject)
    except OSError as error:
        raise _unreadable(subject, error) from error
    with _opened(file, subject):
        pass


def file_digest(file: Path, name: str = "") -> str:
    """The digest that `read_photo` gives, without decoding; PhotoError for a file that cannot be read."""
    return hashlib.sha256(_content(file, _subject(file, name)[0])).hexdigest()


def pixels_digest(image: Image.Image) -> str:
    """sha256 of an RGB photograph's size and pixels, in hexadecimal."""
    return hashlib.sha256(f"{image.width}x{image.height} RGB ".encode() + image.tobytes()).hexdigest()


def data_url(image: Image.Image, longest: int, quality: int = 85) -> str:
    """An RGB photograph as a JPEG data URL, scaled down where its long side has more than `longest` pixels.

    Args:
        image: RGB; longest: at least 1; quality: JPEG's, 1 to 95.

    Raises:
        ValueError: longest below 1.
    """
    check_whole("longest", longest)
    scaled = image.copy()
    scaled.thumbnail((longest, longest))
    stream = BytesIO()
    scaled.save(stream, "JPEG", quality=quality)
    return "data:image/jpeg;base64," + base64.b64encode(stream.getvalue()).decode("ascii")


def thumbnail(image: Image.Image) -> str:
    """The photograph as a data URL of at most THUMBNAIL pixels on the long side."""
    return data_url(image, THUMBNAIL)


def printable(path: Path | str) -> str:
    """A path in characters that can be shown and sent, even where its bytes are no UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _subject(source: Path | bytes, name: str) -> tuple[str, str]:
    """What a sentence about the photograph starts with, and its name."""
    if not name and isinstance(source, Path):
        name = printable(source.name)
    return f'The photo "{name}"' if name else "The photo", name


def _check_file(file: Path, subject: str) -> None:
    """Raise PhotoError unless it is a plain file of 1 to MAX_BYTES bytes."""
    if not file.is_file():
        raise PhotoError(f"{subject} is not there, or is no file: check the path.")
    _check_size(file.stat().st_size, subject)


def _check_size(size: int, subject: str) -> None:
    if size == 0:
        raise PhotoError(f"{subject} is empty (0 bytes): choose another file.")
    if size > MAX_BYTES:
        raise PhotoError(f"{subject} is larger than {MAX_BYTES // 2**20} MB: save it smaller.")


def _content(source: Path | bytes, subject: str) -> bytes:
    """The file's bytes, 1 to MAX_BYTES of them."""
    if isinstance(source, Path):
        try:
            _check_file(source, subject)
            with source.open("rb") as file:
                source = file.read(MAX_BYTES + 1)  # it may have grown since
        except OSError as error:
            raise _unreadable(subject, error) from error
    _check_size(len(source), subject)
    return source


def _unreadable(subject: str, error: OSError) -> PhotoError:
    return PhotoError(f"{subject} cannot be read ({error.strerror}): choose another file.")


@contextmanager
def _opened(source: Path | BytesIO, subject: str) -> Iterator[Image.Image]:
    """The image of a file, its header read and its pixels not yet; whatever goes wrong inside is a PhotoError."""
    too_many = f"{subject} has more than {MAX_PIXELS // 10**6} million pixels: scale it down."
    with _DECODING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(source, formats=FORMATS) as image:
                if image.width * image.height > MAX_PIXELS:
                    raise PhotoError(too_many)
                if image.mode == "F":
                    raise PhotoError(f"{subject} has floating-point pixels: save it with 8 or 16 bits a channel.")
                yield image
        except PhotoError:
            raise
        except Image.DecompressionBombError as error:
            raise PhotoError(too_many) from error
        except UnidentifiedImageError as error:
            raise PhotoError(f"{subject} is no photo that can be read: save it as {FORMATS_IN_WORDS}.") from error
        except Exception as error:  # a damaged file makes Pillow raise nearly anything
            raise PhotoError(f"{subject} is damaged or cut short: choose another file.") from error


def _shrunk(image: Image.Image) -> Image.Image:
    """The image, scaled where it is larger than LONGEST, before conversions that would take many times its memory."""
    if max(image.size) <= LONGEST:
        return image
    if image.mode in ("1", "P", "PA") or "transparency" in image.info:  # colours by number do not mix
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    elif image.mode.startswith("I;16"):
        image = image.convert("I")
    image.thumbnail((LONGEST, LONGEST))
    return image

"""Reading photographs, whatever their format, mode and metadata: upright and in RGB, or refused in one sentence.

Of all libraries this module imports Pillow alone, so that a process that does nothing but decode starts at once.
"""

from __future__ import annotations

import os
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from threading import Lock

from PIL import ExifTags, Image, PngImagePlugin, TiffImagePlugin, UnidentifiedImageError

from seps.files import LFS_POINTER, LFS_REMEDY, is_lfs_pointer

FORMATS_IN_WORDS = "JPEG, PNG, WEBP, GIF, BMP or TIFF"
MAX_TEXT = 25 * 2**20  # bytes of a PNG's colour profile or text, for which Pillow's 1 MB is not enough

_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_JPEG, _EXIF, _NO_EXIF = b"\xff\xd8", b"Exif\0\0", b"None\0\0"
_SHORT = 3  # the type of an orientation
_SEGMENT = 2**16  # bytes of a JPEG's EXIF at most

# One photograph is decoded at a time in a process: a large one takes hundreds of megabytes, and warning filters and
# Pillow's settings are global.
_DECODING = Lock()


def _renew_lock() -> None:
    global _DECODING
    _DECODING = Lock()


if hasattr(os, "register_at_fork"):  # a data loader's process must not wait for a thread that it does not have
    os.register_at_fork(after_in_child=_renew_lock)


class PhotoError(ValueError):
    """A photograph that is refused; the message says why and what to do.

    Attributes:
        reason: a clause that says why, alone.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class NoPhotoError(PhotoError):
    """A file that is no photograph at all, but a text, a film, ..."""


class PointerError(PhotoError):
    """What stands for a photograph where Git LFS has not fetched it."""


class ManyPixelsError(PhotoError):
    """More pixels than Pillow decodes."""


def open_image(path: str | Path) -> Image.Image:
    """Read an image file: its first frame, whole, upright, in RGB, over white where it is transparent.

    Args:
        path: in any format that Pillow reads by itself.

    Raises:
        PhotoError: no such file, no image, one that is damaged or cut short, or of floating-point pixels; the message
            names the file.
    """
    path = Path(path)
    try:
        if not path.is_file():
            raise refusal(str(path), "is no file" if path.exists() else "is not there")
        with opened(path, str(path), readable_formats()) as image:
            return to_rgb(upright(image))
    except PointerError:
        raise
    except PhotoError as error:
        raise PhotoError(
            f"{path} cannot be read as an image (it {error.reason}): replace it, or take it out of the data.",
            error.reason,
        ) from error


def rgb_of(photo: Image.Image) -> Image.Image:
    """Make an image in memory, or one whose file is open, upright and RGB, as `open_image` does; it stays as it is.

    Raises:
        PhotoError: no PIL image, one without pixels, one that was closed or cannot be read, or floating-point pixels.
    """
    if not isinstance(photo, Image.Image):
        raise refusal("The photo", f"is a {type(photo).__name__}, but a PIL image is needed")
    if photo.width == 0 or photo.height == 0:
        raise refusal("The photo", f"has {photo.width} x {photo.height} pixels, but at least 1 x 1 is needed")
    try:
        return to_rgb(upright(photo))
    except PhotoError:
        raise
    except Exception as error:  # a damaged file makes Pillow raise nearly anything
        if getattr(photo, "fp", photo) is None or "closed" in str(error):
            reason = "was closed before its pixels were read"
            raise refusal("The photo", reason, "call load() on it before its file is closed") from error
        raise refusal("The photo", f"cannot be read: {error or type(error).__name__}") from error


def upright(image: Image.Image) -> Image.Image:
    """Load an image and turn it as its metadata say, which then say so no more; as it is where they say nothing, or
    cannot be read."""
    image.load()
    turn = turn_of(image)
    if turn is None:
        return image
    turned = image.transpose(turn)
    # What Pillow hands on would turn it once more, whoever comes next: EXIF, and XMP under several names.
    turned.info = {name: value for name, value in image.info.items() if name == "transparency"}
    return turned


def turn_of(image: Image.Image) -> Image.Transpose | None:
    """Return what puts a loaded image upright; None where it is, or where its metadata cannot be read."""
    try:
        number = image.getexif().get(ExifTags.Base.Orientation)
    except Exception:  # damaged metadata, which leave the pixels whole
        number = None
    return _UPRIGHT.get(_number_in(image.info.get("exif")) or 0 if number is None else number)


def to_rgb(photo: Image.Image) -> Image.Image:
    """Return the photograph in RGB, 8 bits a channel, over white where it is transparent.

    Raises:
        PhotoError: floating-point pixels, whose range nothing tells.
    """
    if photo.mode == "F":
        reason = "has floating-point pixels (mode F), whose range is not known"
        raise refusal("The photo", reason, "convert it to L or RGB")
    if photo.mode.startswith("I"):
        wide = photo.convert("I")
        photo = wide.point(lambda value: value / 257 + 0.5).convert("L")  # 0 to 65535 becomes 0 to 255
        photo.info = {}  # of a transparent value, which was one of 65536
    if photo.mode == "La":
        photo = photo.convert("LA")
    if photo.mode in ("RGBA", "LA", "PA", "RGBa") or "transparency" in photo.info:
        rgba = photo.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba).convert("RGB")
    return photo.convert("RGB")


@contextmanager
def opened(source: Path | BytesIO, subject: str, formats: tuple[str, ...]) -> Iterator[Image.Image]:
    """Give the image of a file, its header read and its pixels not yet; whatever goes wrong inside is a PhotoError.

    Args:
        source: a file, or its content; subject: what the error's sentence starts with.
        formats: as Pillow calls those that are taken.
    """
    with _DECODING, _settings():
        try:
            with _identified(source, formats) as image:
                if image.mode == "F":
                    raise refusal(subject, "has floating-point pixels", "save it with 8 or 16 bits a channel")
                yield image
        except PhotoError:
            raise
        except Image.DecompressionBombError as error:
            reason = f"has more than {2 * (Image.MAX_IMAGE_PIXELS or 0) // 10**6} million pixels"
            raise ManyPixelsError(f"{subject} {reason}: scale it down.", reason) from error
        except UnidentifiedImageError as error:
            if is_lfs_pointer(source.read_bytes() if isinstance(source, Path) else source.getvalue()):
                raise PointerError(f"{subject} is {LFS_POINTER}: {LFS_REMEDY}.", f"is {LFS_POINTER}") from error
            reason, remedy = "is no photo that can be read", f"save it as {FORMATS_IN_WORDS}"
            raise NoPhotoError(f"{subject} {reason}: {remedy}.", reason) from error
        except MemoryError as error:
            raise refusal(subject, "needs too much memory to decode", "save it smaller, as JPEG") from error
        except Exception as error:  # a damaged file makes Pillow raise nearly anything
            if isinstance(error, OSError) and error.errno is not None:
                raise refusal(subject, f"cannot be opened ({error.strerror})", "check the path") from error
            raise refusal(subject, "is damaged or cut short", "choose another file") from error


def refusal(subject: str, reason: str, remedy: str = "") -> PhotoError:
    """Return the error that says of `subject` why it is refused and, where a remedy is named, what to do."""
    return PhotoError(f"{subject} {reason}{f': {remedy}' if remedy else ''}.", reason)


@cache
def readable_formats() -> tuple[str, ...]:
    """Return every format that Pillow reads by itself: EPS starts another program, Ghostscript."""
    Image.init()
    return tuple(sorted(Image.OPEN.keys() - {"EPS"}))


def _number_in(metadata: object) -> int | None:
    """The orientation's number in EXIF of which another entry is damaged, so that Pillow reads no further."""
    if not isinstance(metadata, bytes):
        return None
    content = metadata.removeprefix(_EXIF)
    order = {b"II": "<", b"MM": ">"}.get(content[:2])
    try:
        (first,) = struct.unpack_from(f"{order}I", content, 4)
        (count,) = struct.unpack_from(f"{order}H", content, first)
        for place in range(first + 2, first + 2 + 12 * count, 12):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", content, place)
            if (tag, kind) == (ExifTags.Base.Orientation, _SHORT):
                return int(value)
    except struct.error:  # no metadata, or cut short
        pass
    return None


def _identified(source: Path | BytesIO, formats: tuple[str, ...]) -> Image.Image:
    """The image of a file; of a JPEG with EXIF over which Pillow gives up, as of an odd resolution, without them but
    for what tells how it is turned."""
    try:
        return Image.open(source, formats=formats)
    except UnidentifiedImageError:
        content = _jpeg_content(source)
        start = content.find(_EXIF, 0, _SEGMENT)
        if start < 0:
            raise
        image = Image.open(BytesIO(content.replace(_EXIF, _NO_EXIF, 1)), formats=formats)
        image.info["exif"] = content[start : start + _SEGMENT]
        return image


def _jpeg_content(source: Path | BytesIO) -> bytes:
    """The content of a JPEG; nothing of another file."""
    if isinstance(source, BytesIO):
        content = source.getvalue()
        return content if content.startswith(_JPEG) else b""
    with source.open("rb") as stream:
        return _JPEG + stream.read() if stream.read(len(_JPEG)) == _JPEG else b""


@contextmanager
def _settings() -> Iterator[None]:
    """No warnings, and Pillow's settings such that files which are whole are read."""
    text, libtiff = PngImagePlugin.MAX_TEXT_CHUNK, TiffImagePlugin.READ_LIBTIFF
    PngImagePlugin.MAX_TEXT_CHUNK = MAX_TEXT
    TiffImagePlugin.READ_LIBTIFF = True  # Pillow by itself takes YCbCr without compression for RGB
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        PngImagePlugin.MAX_TEXT_CHUNK, TiffImagePlugin.READ_LIBTIFF = text, libtiff

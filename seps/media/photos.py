"""Reading photographs of any format, mode and metadata as upright RGB images, or rejecting them with a clear error.

Pillow is the only library imported here, so that decoding processes start fast.
"""

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

from seps.common.files import LFS_POINTER, LFS_REMEDY, is_lfs_pointer
from seps.media.colours import convert_to_srgb
from seps.media.heic import HEIC, HEIC_REMEDY, NEEDS_HEIC, heic_formats, is_heic
from seps.media.transparency import composite_over_backdrop

READING = 2  # goes up when the same file becomes other pixels: what is kept of pictures belongs to one number
FORMATS = "JPEG, PNG, WEBP, GIF, BMP or TIFF"
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

# Only one photograph is decoded at a time per process: a large one takes hundreds of megabytes, and warning filters and
# Pillow's settings are global.
_DECODING = Lock()


def _renew_lock() -> None:
    global _DECODING
    _DECODING = Lock()


if hasattr(os, "register_at_fork"):  # a data loader's process must not wait for a thread that it does not have
    os.register_at_fork(after_in_child=_renew_lock)


class PhotoError(ValueError):
    """A photograph that cannot be used; the message adds a remedy to the `reason`."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class NoPhotoError(PhotoError):
    """A file that is not a photograph, but a text, a film, ..."""


class PointerError(PhotoError):
    """A Git LFS pointer in place of a photograph."""


class HeicError(PhotoError):
    """A HEIC photograph without the package that reads it."""


class PhotoWarning(UserWarning):
    """A remark on a photograph that was read."""


class ManyPixelsError(PhotoError):
    """More pixels than Pillow decodes."""


def open_image(path: str | Path) -> Image.Image:
    """Read an image file: first frame, upright, in sRGB, over white if transparent."""
    path = Path(path)
    try:
        if not path.is_file():
            raise refusal(str(path), "is no file" if path.exists() else "is not there")
        with opened(path, str(path), readable_formats()) as image:
            rgb, note = rgb_with_note(upright(image))
    except (PointerError, HeicError):
        raise
    except PhotoError as error:
        reason = f"cannot be read as an image (it {error.reason})"
        raise PhotoError(f"{path} {reason}: replace it, or take it out of the data.", error.reason) from error
    _warn(str(path), note)
    return rgb


def rgb_of(photo: Image.Image) -> Image.Image:
    """Convert an image in memory or an open file to upright sRGB, as `open_image`; the original is unchanged."""
    if not isinstance(photo, Image.Image):
        raise refusal("The photo", f"is a {type(photo).__name__}, but a PIL image is needed")
    if photo.width == 0 or photo.height == 0:
        raise refusal("The photo", f"has {photo.width} x {photo.height} pixels, but at least 1 x 1 is needed")
    try:
        rgb, note = rgb_with_note(upright(photo))
    except PhotoError:
        raise
    except Exception as error:  # a damaged file makes Pillow raise nearly anything
        if getattr(photo, "fp", photo) is None or "closed" in str(error):
            reason = "was closed before its pixels were read"
            raise refusal("The photo", reason, "call load() on it before its file is closed") from error
        raise refusal("The photo", f"cannot be read: {error or type(error).__name__}") from error
    _warn("The photo", note)
    return rgb


def upright(image: Image.Image) -> Image.Image:
    """Load an image and apply the orientation from its metadata, which is then removed."""
    image.load()
    turn = find_turn(image)
    if turn is None:
        return image
    turned = image.transpose(turn)
    # Remove the orientation from EXIF and from XMP (several names), so that no later reader applies it again.
    turned.info = {name: value for name, value in image.info.items() if name in ("transparency", "icc_profile")}
    return turned


def find_turn(image: Image.Image) -> Image.Transpose | None:
    """Return the transpose that makes a loaded image upright; None if it is upright or its metadata is unreadable."""
    if image.format == HEIC:  # already turned by its decoder
        return None
    try:
        number = image.getexif().get(ExifTags.Base.Orientation)
    except Exception:  # damaged metadata, which leave the pixels whole
        number = None
    return _UPRIGHT.get(_number_in(image.info.get("exif")) or 0 if number is None else number)


def to_rgb(photo: Image.Image) -> Image.Image:
    """Convert to sRGB, 8 bits per channel, over white if transparent; remarks are `PhotoWarning`s."""
    rgb, note = rgb_with_note(photo)
    _warn("The photo", note)
    return rgb


def rgb_with_note(photo: Image.Image) -> tuple[Image.Image, str]:
    """Return the result of `to_rgb` and a clause with a remark on the photograph, or ""."""
    photo, note = convert_to_srgb(plain(photo))
    if photo.mode in ("RGBA", "LA"):
        rgb, blank = composite_over_backdrop(photo.convert("RGBA"))
        note = " and ".join(filter(None, (note, blank)))
    else:
        rgb = photo.convert("RGB")
    rgb.info.pop("icc_profile", None)  # of sRGB, unusable, or already applied
    return rgb, note


def plain(photo: Image.Image) -> Image.Image:
    """Convert to mode L, LA, RGB, RGBA, CMYK or LAB, keeping the colour profile."""
    if photo.mode == "F":
        raise refusal("The photo", "has floating-point pixels (mode F) of unknown range", "convert it to L or RGB")
    if photo.mode.startswith("I"):
        profile = photo.info.get("icc_profile")
        wide = photo.convert("I")
        photo = wide.point(lambda value: value / 257 + 0.5).convert("L")  # map 0..65535 to 0..255
        photo.info = {"icc_profile": profile}  # drop the transparent value, which was one of 65536
        return photo
    if photo.mode == "La":
        return photo.convert("LA")
    if photo.mode in ("PA", "RGBa") or "transparency" in photo.info:
        return photo.convert("LA" if photo.mode in ("1", "L") else "RGBA")
    if photo.mode in ("L", "LA", "RGB", "RGBA", "CMYK", "LAB"):
        return photo
    return photo.convert("L" if photo.mode == "1" else "RGB")


def _warn(subject: str, note: str) -> None:
    if note:
        warnings.warn(f"{subject} {note}.", PhotoWarning, stacklevel=3)


@contextmanager
def opened(source: Path | BytesIO, subject: str, formats: tuple[str, ...]) -> Iterator[Image.Image]:
    """Open an image file, or its content, without decoding its pixels; errors inside become PhotoErrors."""
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
            raise refusal(subject, reason, "scale it down", ManyPixelsError) from error
        except UnidentifiedImageError as error:
            content = source.read_bytes() if isinstance(source, Path) else source.getvalue()
            if is_heic(content) and heic_formats():
                raise refusal(subject, "is damaged or cut short", "choose another file") from error
            if is_heic(content):
                raise refusal(subject, NEEDS_HEIC, HEIC_REMEDY, HeicError) from error
            if is_lfs_pointer(content):
                raise refusal(subject, f"is {LFS_POINTER}", LFS_REMEDY, PointerError) from error
            raise refusal(subject, "is no photo that can be read", f"save it as {FORMATS}", NoPhotoError) from error
        except MemoryError as error:
            raise refusal(subject, "needs too much memory to decode", "save it smaller, as JPEG") from error
        except Exception as error:  # Pillow raises many kinds of errors for damaged files
            if isinstance(error, OSError) and error.errno is not None:
                raise refusal(subject, f"cannot be opened ({error.strerror})", "check the path") from error
            raise refusal(subject, "is damaged or cut short", "choose another file") from error


def refusal(subject: str, reason: str, remedy: str = "", kind: type[PhotoError] = PhotoError) -> PhotoError:
    """Return the error for a rejected photograph, with a remedy if there is one."""
    return kind(f"{subject} {reason}{f': {remedy}' if remedy else ''}.", reason)


@cache
def readable_formats() -> tuple[str, ...]:
    """Return the supported formats: HEIC and Pillow's, except EPS, which runs Ghostscript."""
    Image.init()
    heic_formats()
    return tuple(sorted(Image.OPEN.keys() - {"EPS"}))


def _number_in(metadata: object) -> int | None:
    """Return the orientation from EXIF that Pillow rejects because another entry is damaged."""
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
    """Open an image. If Pillow rejects a JPEG's EXIF data, only its orientation is used."""
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
    """Return the content of a JPEG, or b"" for other files."""
    with BytesIO(source.getvalue()) if isinstance(source, BytesIO) else source.open("rb") as stream:
        return _JPEG + stream.read() if stream.read(len(_JPEG)) == _JPEG else b""


@contextmanager
def _settings() -> Iterator[None]:
    """Suppress warnings and set Pillow to read every valid file."""
    text, libtiff = PngImagePlugin.MAX_TEXT_CHUNK, TiffImagePlugin.READ_LIBTIFF
    PngImagePlugin.MAX_TEXT_CHUNK = MAX_TEXT
    TiffImagePlugin.READ_LIBTIFF = True  # without libtiff, Pillow takes uncompressed YCbCr for RGB
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        PngImagePlugin.MAX_TEXT_CHUNK, TiffImagePlugin.READ_LIBTIFF = text, libtiff

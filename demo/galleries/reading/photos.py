"""Safe reading of untrusted photographs."""

import base64
import hashlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from demo.galleries.reading.decoding import MAX_BYTES, PhotoError, check_size, decode, opened
from demo.galleries.reading.paths import printable
from demo.galleries.reading.worker import decoders
from seps.common.checks import check_whole
from seps.media.photos import rgb_with_note

JPEG_URL = "data:image/jpeg;base64,"
THUMBNAIL = 192
KEPT = 900  # long side in pixels of stored uploads


@dataclass(frozen=True)
class Photo:
    """A decoded photograph."""

    image: Image.Image  # sRGB, upright, at most LONGEST pixels on the long side, without metadata
    digest: str  # sha256 of the file's bytes, in hexadecimal
    name: str
    note: str = ""  # such as on an unusable colour profile


@dataclass(frozen=True)
class KeptPhoto:
    """A photograph stored as a small JPEG; a call returns it in RGB."""

    content: bytes

    def __call__(self) -> Image.Image:
        """Return the photograph in RGB."""
        with Image.open(BytesIO(self.content), formats=["JPEG"]) as image:
            return image.convert("RGB")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, without decoding."""
        with Image.open(BytesIO(self.content), formats=["JPEG"]) as image:
            return image.size


def read_photo(source: Path | bytes, name: str = "") -> Photo:
    """Read a photograph in this process: first frame, upright, in sRGB, over white if transparent; PhotoError as
    `decode`."""
    subject, name = _subject(source, name)
    content = _content(source, subject) if isinstance(source, Path) else source
    return _photo(decode(content, subject), content, subject, name)


def read_small(file: Path, name: str = "") -> Image.Image:
    """Read a photograph in RGB, at most THUMBNAIL pixels on the long side; faster than `read_photo`, errors as
    there."""
    subject, _ = _subject(file, name)
    return rgb_with_note(decode(_content(file, subject), subject, THUMBNAIL))[0]


def read_upload(content: bytes, name: str = "") -> Photo:
    """Read an untrusted photograph as `read_photo` in a separate process; PhotoError also if that fails or takes too
    long."""
    subject, name = _subject(content, printable(name))
    check_size(len(content), subject)
    return _photo(decoders.decode(content, subject), content, subject, name)


def check_photo(file: Path, name: str = "") -> None:
    """Raise PhotoError for a file that `read_photo` rejects by its header; pixels are not decoded."""
    subject, _ = _subject(file, name)
    try:
        _check_file(file, subject)
    except OSError as error:
        raise _unreadable(subject, error) from error
    with opened(file, subject):
        pass


def file_digest(file: Path, name: str = "") -> str:
    """Return the digest of `read_photo` without decoding; PhotoError for an unreadable file."""
    return compute_digest(_content(file, _subject(file, name)[0]))


def compute_digest(content: bytes) -> str:
    """Return the sha256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def pixels_digest(image: Image.Image) -> str:
    """Return the sha256 of an RGB photograph's size and pixels, in hexadecimal."""
    return hashlib.sha256(f"{image.width}x{image.height} RGB ".encode() + image.tobytes()).hexdigest()


def data_url(image: Image.Image, longest: int, quality: int = 85) -> str:
    """Convert a photograph to a JPEG data URL; arguments and errors as `jpeg`."""
    return jpeg_url(jpeg(image, longest, quality))


def jpeg_url(content: bytes) -> str:
    """Return the content of a JPEG as a data URL."""
    return JPEG_URL + base64.b64encode(content).decode("ascii")


def thumbnail(image: Image.Image) -> str:
    """Return the photograph as a data URL of at most THUMBNAIL pixels on the long side."""
    return data_url(image, THUMBNAIL)


def shrink_photo(image: Image.Image) -> KeptPhoto:
    """Store an RGB photograph with a long side of at most KEPT pixels."""
    return KeptPhoto(jpeg(image, KEPT, quality=92))


def _photo(image: Image.Image, content: bytes, subject: str, name: str) -> Photo:
    note = image.info.pop("note", "")
    rgb, blank = rgb_with_note(image)
    clauses = " and ".join(filter(None, (note, blank)))
    return Photo(rgb, compute_digest(content), name, f"{subject} {clauses}." if clauses else "")


def jpeg(image: Image.Image, longest: int, quality: int = 85) -> bytes:
    """Encode an RGB photograph as JPEG with a long side of at most `longest` pixels; ValueError for less than 1."""
    check_whole("longest", longest)
    scaled = image.copy()
    scaled.thumbnail((longest, longest))
    stream = BytesIO()
    scaled.save(stream, "JPEG", quality=quality)
    return stream.getvalue()


def _subject(source: Path | bytes, name: str) -> tuple[str, str]:
    """Return the start of messages about the photograph, and its name."""
    if not name and isinstance(source, Path):
        name = printable(source.name)
    return f'The photo "{name}"' if name else "The photo", name


def _check_file(file: Path, subject: str) -> None:
    """Raise PhotoError unless it is a regular file of 1 to MAX_BYTES bytes."""
    if not file.is_file():
        raise PhotoError(f"{subject} is not there, or is no file: check the path.")
    check_size(file.stat().st_size, subject)


def _content(file: Path, subject: str) -> bytes:
    """Return a file's bytes, 1 to MAX_BYTES of them."""
    try:
        _check_file(file, subject)
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)  # it may have grown since
    except OSError as error:
        raise _unreadable(subject, error) from error
    check_size(len(content), subject)
    return content


def _unreadable(subject: str, error: OSError) -> PhotoError:
    return PhotoError(f"{subject} cannot be read ({error.strerror}): choose another file.")

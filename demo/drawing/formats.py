"""Kinds, names and media types of downloads, the text in pictures, and the video codecs of the installed OpenCV."""

from __future__ import annotations

import json
import re
import tempfile
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the command line reads its arguments before it imports what takes seconds
    import cv2

    from demo.record.layers.layers import Layer

TYPES = {
    "png": "image/png",
    "gif": "image/gif",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "json": "application/json",
    "zip": "application/zip",
    "csv": "text/csv",
    "html": "text/html",
    "mp4": "video/mp4",
    "webm": "video/webm",
}
PAGE = "html"  # that needs no server, see demo.notebook.page
PICTURES = ("png", "svg", "pdf")
EXPLANATIONS = (*PICTURES, "json")
JUDGEMENTS = ("csv", "json")
DRAWINGS = ("png", "gif")
VIDEOS = ("gif", "webm", "mp4", *PICTURES, "json", "csv")
CONTRASTS = (*PICTURES, "json", "csv")
FILM_RATE = 10  # frames per second; a frame of the video is repeated for its duration
CODECS = {"mp4": "avc1", "webm": "VP90"}  # H.264 where OpenCV has it, else VP9, which every browser plays
LONGEST_PART = 60  # characters of each part of a file name


@dataclass(frozen=True)
class Download:
    """A file to download: its name, with an ending in TYPES, and its bytes."""

    name: str
    content: bytes

    @property
    def media_type(self) -> str:
        """The media type of its ending."""
        return TYPES[self.name.rpartition(".")[2]]


@dataclass(frozen=True)
class Heading:
    """Text in a picture: `similarity` is S(I, T), `note` a remark such as on a forced decision."""

    caption: str
    similarity: float
    model: str
    dense_caption: str | None = None
    credit: str = ""
    note: str = ""


def check_format(kind: str, formats: Sequence[str]) -> None:
    """Raise ValueError for a kind that is not in `formats`."""
    if kind not in formats:
        raise ValueError(f"format is {kind!r}, but it must be one of {', '.join(formats)}.")


def file_name(model: str, title: str, layer: Layer | str, kind: str) -> str:
    """Return a file name of letters, digits and hyphens for any system: "seps-photos-coffee-token-3.png"."""
    letters = (unicodedata.normalize("NFKD", str(part)) for part in (model, title, layer))
    plain = (part.encode("ascii", "ignore").decode().lower() for part in letters)  # without accents and other scripts
    parts = (re.sub(r"[^a-z0-9]+", "-", part).strip("-")[:LONGEST_PART] for part in plain)
    return "-".join(["seps", *(part.strip("-") for part in parts if part)]) + f".{kind}"


def json_file(name: str, value: Any) -> Download:
    """Return a value as a JSON file."""
    return Download(name, json.dumps(value, ensure_ascii=False, indent=1).encode())


@lru_cache(maxsize=1)
def film_kind() -> str:
    """Return the video format for downloads: "mp4" if this OpenCV writes H.264, else "webm"."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            film_writer(Path(folder, "film.mp4"), "mp4", (16, 16)).release()
        except ValueError:
            return "webm"
    return "mp4"


def film_writer(file: Path, kind: str, size: tuple[int, int]) -> cv2.VideoWriter:
    """Open a file for frames of `size` (width, height); ValueError if OpenCV lacks the codec."""
    import cv2

    level = cv2.utils.logging.getLogLevel()
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # it would write what the sentence below says
    try:
        writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*CODECS[kind]), FILM_RATE, size)
    finally:
        cv2.utils.logging.setLogLevel(level)
    if not writer.isOpened():
        raise ValueError(f"This OpenCV writes no {kind} (H.264): choose webm, which browsers play too.")
    return writer

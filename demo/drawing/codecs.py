"""Video codecs of the installed OpenCV: H.264 if available, else VP9, which every browser plays."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported on first use: the page need not wait for it
    import cv2

FILM_RATE = 10  # frames per second; a frame of the video is repeated for its duration
CODECS = {"mp4": "avc1", "webm": "VP90"}


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

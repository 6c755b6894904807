"""Frames of a video, read with OpenCV: at even times, or where the picture changes at once.

A video is read once from its beginning, frame by frame, and of what has been read no more than `most` frames are kept,
so that memory is bounded however long it is; where it breaks off, what came before is used. Times are the frames' own
time stamps, so that a variable frame rate keeps its pace.
"""

from __future__ import annotations

import math
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", "protocol_whitelist;file")  # a file may not lead elsewhere
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # damaged frames are counted here, not written to the log

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from seps.files import LFS_START
from seps.progress import Progress, with_progress

MAX_FRAMES = 600
MAX_SIDE = 640  # pixels, of a kept frame; encoders read 448 at most
MAX_BYTES = 200 * 2**20
MAX_READ_SECONDS = 300.0  # for so long one file is read
RATE = 4.0  # frames a second, at most, at even times
CUT = 0.35  # histograms whose correlation falls below 1 minus this are of two shots
ENDINGS = "mp4, mov, webm, mkv, avi, ogv, mpg, ts, flv, wmv or gif"
FRAMES = ("even", "cuts")


@dataclass(frozen=True)
class Frame:
    """A picture of a video.

    Attributes:
        seconds: its time stamp, from the video's beginning; image: upright, RGB, its longer side `MAX_SIDE` at most.
    """

    seconds: float
    image: Image.Image


@dataclass(frozen=True)
class Video:
    """What was read of a video.

    Attributes:
        frames: in the order of their times, which differ.
        seconds: how long what was read lasts.
        size: (width, height) of the file's own frames, upright.
        notes: a sentence for what a reader should know: that it broke off, or that frames were left out.
    """

    frames: tuple[Frame, ...]
    seconds: float
    size: tuple[int, int]
    notes: tuple[str, ...]


class VideoError(ValueError):
    """A file that gives no frame."""


def read_frames(
    path: str | Path,
    at: str = "even",
    most: int = MAX_FRAMES,
    progress: Progress = False,
    longest: float = math.inf,
    patience: float = MAX_READ_SECONDS,
) -> Video:
    """Read frames of a video file.

    Args:
        path: a file of at most 200 MB, known by its content, not by its name.
        at: "even", up to `RATE` frames a second and fewer where that would be too many; or "cuts", the first frame of
            each shot, which histograms of neighbouring frames tell apart.
        most: how many at most, 1 to 600.
        progress: as in `seps.progress`.
        longest: seconds of the video that are read; patience: seconds that reading may take. What lies behind is left
            out, and a note says so.

    Raises:
        VideoError: no such file, no video, or none of its frames can be read.
        ValueError: another `at`, or `most` out of range.
    """
    if at not in FRAMES:
        raise ValueError(f"at is {at!r}, but frames are taken at one of: {', '.join(FRAMES)}.")
    if not 1 <= most <= MAX_FRAMES:
        raise ValueError(f"most is {most}, but 1 to {MAX_FRAMES} frames can be taken.")
    file = Path(path)
    check_video(file)
    capture = cv2.VideoCapture(str(file), cv2.CAP_FFMPEG)
    try:
        capture.set(cv2.CAP_PROP_ORIENTATION_AUTO, 1)
        return _read(capture, file.name, at, most, progress, longest, patience)
    finally:
        capture.release()


def check_video(file: Path) -> None:
    """Raise VideoError for what can be told without decoding: no such file, too large, or no video by its content."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise VideoError(f'"{file.name}" is no file: name a video, {ENDINGS}.')
        if status.st_size > MAX_BYTES:
            raise VideoError(
                f'"{file.name}" has {status.st_size / 2**20:.0f} MB, but a video may have {MAX_BYTES // 2**20}: cut it.'
            )
        with file.open("rb") as stream:
            start = stream.read(400)
    except OSError as error:
        raise VideoError(f'"{file.name}" cannot be read ({error.strerror}): name a video, {ENDINGS}.') from error
    if not start:
        raise VideoError(f'"{file.name}" is empty: name a video, {ENDINGS}.')
    if start.startswith(LFS_START):
        raise VideoError(f'"{file.name}" is a pointer of Git LFS, not the video: fetch it with `git lfs pull`.')
    if not is_video(start):
        raise VideoError(f'"{file.name}" is no video by its content: name one, {ENDINGS}.')


def is_video(start: bytes) -> bool:
    """Return whether a file's first bytes are of a container that holds its pictures itself.

    A playlist, which names other files and addresses, is none.
    """
    if start[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
        return True
    if start[:4] == b"RIFF":
        return start[8:12] == b"AVI "
    if start[:1] == b"\x47":  # MPEG-2 transport stream, packets of 188 bytes
        return start[188:189] == b"\x47"
    heads = (b"\x1a\x45\xdf\xa3", b"OggS", b"FLV\x01", b"\x00\x00\x01\xba", b"\x00\x00\x01\xb3", b"0&\xb2u", b"GIF8")
    return start.startswith(heads)


def _read(
    capture: cv2.VideoCapture, name: str, at: str, most: int, progress: Progress, longest: float, patience: float
) -> Video:
    promised = int(max(0.0, capture.get(cv2.CAP_PROP_FRAME_COUNT)))
    rate = capture.get(cv2.CAP_PROP_FPS)
    rate = rate if 0.1 <= rate <= 1000 else 25.0
    keeper = _Even(most, min(promised / rate, longest)) if at == "even" else _Cuts(most)
    size, count, last, late, long = (0, 0), 0, -1.0, False, False
    stop = time.monotonic() + patience
    for _ in with_progress(_grabbed(capture), f"Reading {name}", progress):
        stamp = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        seconds = stamp if np.isfinite(stamp) and stamp > last else max(0.0, last + 1 / rate)
        if seconds >= longest and count:
            long = True
            break
        count, last = count + 1, seconds
        if keeper.wants(seconds):
            done, pixels = capture.retrieve()
            if done and pixels is not None and pixels.size:
                size = (pixels.shape[1], pixels.shape[0])
                keeper.take(seconds, _small(pixels))
        if time.monotonic() > stop:
            late = True
            break
    if not keeper.frames:
        raise VideoError(f'"{name}" has no picture that can be read: it is damaged, or holds sound alone.')
    notes = []
    if late:
        notes.append(f"Reading {name} takes long: its first {last:.1f} s are used.")
    elif long:
        notes.append(f"{name} lasts longer than {longest:g} s: what comes after is left out.")
    elif promised and count < 0.9 * promised:
        notes.append(f"{name} breaks off after {last:.1f} s of {promised / rate:.1f} s: what could be read is used.")
    if keeper.thinned:
        notes.append(f"{name} has more frames than are kept: {len(keeper.frames)} of them are used.")
    return Video(tuple(keeper.frames), last + 1 / rate, size, tuple(notes))


def _grabbed(capture: cv2.VideoCapture) -> Iterator[int]:
    """Go from frame to frame, over what is damaged between two that can be read."""
    number = failed = 0
    while failed < 25:  # damaged in a row, and no more where the file is at its end
        if capture.grab():
            number, failed = number + 1, 0
            yield number
        else:
            failed += 1


def _small(pixels: NDArray[Any]) -> Image.Image:
    """A frame as OpenCV gives it, grey, BGR or BGRA, in RGB, shrunk where it is large."""
    conversions = {1: cv2.COLOR_GRAY2RGB, 3: cv2.COLOR_BGR2RGB, 4: cv2.COLOR_BGRA2RGB}
    image = Image.fromarray(cv2.cvtColor(pixels, conversions[1 if pixels.ndim == 2 else pixels.shape[2]]))
    factor = MAX_SIDE / max(image.size)
    if factor >= 1:
        return image
    width, height = (max(1, round(side * factor)) for side in image.size)
    return image.resize((width, height), Image.Resampling.BOX)


class _Even:
    """Keeps frames at even times. Where more come than were expected, every other one goes and the step doubles."""

    def __init__(self, most: int, seconds: float) -> None:
        self.frames: list[Frame] = []
        self.most, self.step, self.next = most, max(1 / RATE, seconds / most), 0.0
        self.thinned = seconds * RATE > most

    def wants(self, seconds: float) -> bool:
        """Return whether the frame of this time is to be taken."""
        return seconds >= self.next - 1e-6

    def take(self, seconds: float, image: Image.Image) -> None:
        """Keep a frame."""
        self.frames.append(Frame(seconds, image))
        if len(self.frames) > self.most:
            self.frames, self.step, self.thinned = self.frames[::2][: self.most], 2 * self.step, True
        self.next = (np.floor(self.frames[-1].seconds / self.step + 1e-6) + 1) * self.step


class _Cuts:
    """Keeps the first frame of each shot."""

    def __init__(self, most: int) -> None:
        self.frames: list[Frame] = []
        self.most, self.thinned = most, False
        self.before: NDArray[Any] | None = None

    def wants(self, seconds: float) -> bool:
        """Return whether two shots are compared: every frame with the one before."""
        return True

    def take(self, seconds: float, image: Image.Image) -> None:
        """Keep a frame where the picture changed."""
        colours = cv2.cvtColor(np.asarray(image.resize((64, 64), Image.Resampling.BOX)), cv2.COLOR_RGB2HSV)
        histogram = cv2.calcHist([colours], [0, 1, 2], None, [12, 4, 8], [0, 180, 0, 256, 0, 256])
        changed = self.before is None or cv2.compareHist(histogram, self.before, cv2.HISTCMP_CORREL) < 1 - CUT
        self.before = histogram
        if not changed:
            return
        if len(self.frames) == self.most:
            self.thinned = True
            return
        self.frames.append(Frame(seconds, image))

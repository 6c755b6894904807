"""Frames of a video, read with PyAV (FFmpeg): at regular times, or at cuts."""

from __future__ import annotations

import math
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray
from PIL import Image

from seps.common.files import LFS_START
from seps.common.progress import Progress, with_progress
from seps.media.photos import to_rgb

MAX_FRAMES = 600
MAX_SIDE = 640  # in pixels, of a kept frame; encoders read at most 448
MAX_BYTES = 200 * 2**20
MAX_READ_SECONDS = 300.0  # time limit for reading one file
MAX_PIXELS = 8192 * 4320  # of one frame: 8K
MAX_ALL_PIXELS = 2**38  # decoded per video: more than an hour of 1080p at 30 frames per second
RATE = 4.0  # maximum frames per second at regular times
CUT = 0.35  # a cut is where the correlation of histograms falls below 1 minus this
ENDINGS = "mp4, mov, webm, mkv, avi, ogv, mpg, ts, mts, flv, wmv or gif"
# Supported containers, by FFmpeg's names. All of them contain their pictures: playlists and lists of parts, which name
# other files and addresses, are excluded. No protocol is allowed, so that nothing else is opened.
FORMATS = "mov,matroska,avi,mpegts,mpeg,mpegvideo,h264,hevc,ivf,ogg,flv,asf,gif,apng,mxf,dv,nut"
OPTIONS = {"format_whitelist": FORMATS, "protocol_whitelist": "none", "threads": "1"}
DECODERS_WITH_ALPHA = {"vp8": "libvpx", "vp9": "libvpx-vp9"}  # FFmpeg's own decoders ignore the alpha channel
MAX_FAILURES = 25  # consecutive damaged packets after which reading stops
FRAMES = ("even", "cuts")


@dataclass(frozen=True)
class Frame:
    """A frame of a video at `seconds` from its start: upright, RGB, its longer side at most `MAX_SIDE`."""

    seconds: float
    image: Image.Image


@dataclass(frozen=True)
class Video:
    """The frames read from a video in order, seconds read, original (width, height) as shown, and notes."""

    frames: tuple[Frame, ...]
    seconds: float
    size: tuple[int, int]
    notes: tuple[str, ...]


class VideoError(ValueError):
    """A file without readable frames."""


def read_frames(
    path: str | Path,
    at: str = "even",
    most: int = MAX_FRAMES,
    progress: Progress = False,
    longest: float = math.inf,
    patience: float = MAX_READ_SECONDS,
    pixels: float = MAX_ALL_PIXELS,
) -> Video:
    """Read frames of a video file.

    Args:
        at: "even", up to `RATE` frames per second; or "cuts", the first frame of each shot, found from histograms of
            neighbouring frames; most: maximum number of frames, 1 to 600.
        longest: maximum seconds of the video; patience: maximum seconds of reading; pixels: maximum number of decoded
            pixels. The rest is left out with a note.
    """
    if at not in FRAMES:
        raise ValueError(f"at is {at!r}, but frames are taken at one of: {', '.join(FRAMES)}.")
    if not 1 <= most <= MAX_FRAMES:
        raise ValueError(f"most is {most}, but 1 to {MAX_FRAMES} frames can be taken.")
    file = Path(path)
    check_video(file)
    seconds, promised = _lengths(file, longest, time.monotonic() + patience / 4)
    keeper = _Even(most, seconds) if at == "even" else _Cuts(most)
    with _opened(file) as (container, stream):
        frames = with_progress(_decoded(container, stream), f"Reading {file.name}", progress)
        read, size, note = _read(frames, keeper, stream, longest, time.monotonic() + patience, pixels)
        codec = stream.codec_context.name
    if not keeper.frames:
        remedy = "it is damaged, or needs to be converted to H.264 (MP4)"
        raise VideoError(f'"{file.name}" has no picture that can be decoded (codec {codec}): {remedy}.')
    notes = [note.format(name=file.name)] if note else []
    if not notes and read < 0.9 * promised:
        notes.append(f"{file.name} breaks off after {read:.1f} s of {promised:.1f} s: what could be read is used.")
    if keeper.thinned:
        notes.append(f"{file.name} has more frames than are kept: {len(keeper.frames)} of them are used.")
    return Video(tuple(keeper.frames), read, size, tuple(notes))


def check_video(file: Path) -> None:
    """Raise VideoError for a file that is missing, empty or too large."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise VideoError(f'"{file.name}" is no file: name a video, {ENDINGS}.')
        if status.st_size > MAX_BYTES:
            sizes = f"{status.st_size / 2**20:.0f} MB, but a video may have {MAX_BYTES // 2**20}"
            raise VideoError(f'"{file.name}" has {sizes}: cut it.')
        with file.open("rb") as stream:
            start = stream.read(len(LFS_START))
    except OSError as error:
        raise VideoError(f'"{file.name}" cannot be read ({error.strerror}): name a video, {ENDINGS}.') from error
    if not start:
        raise VideoError(f'"{file.name}" is empty: name a video, {ENDINGS}.')
    if start.startswith(LFS_START):
        raise VideoError(f'"{file.name}" is a pointer of Git LFS, not the video: fetch it with `git lfs pull`.')


@contextmanager
def _opened(file: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open a video; FFmpeg gets the content of this file and no path."""
    with file.open("rb") as content:
        try:
            container = av.open(content, "r", options=OPTIONS, metadata_errors="replace")
        except FFmpegError as error:
            if isinstance(error, MemoryError):
                raise
            reason = "is no video by its content, or is damaged"
            raise VideoError(f'"{file.name}" {reason}: name one, {ENDINGS}.') from error
        with container:
            yield container, _stream(container, file.name)


def _stream(container: InputContainer, name: str) -> VideoStream:
    """Return the video stream of a container; errors as `read_frames`."""
    stream = container.streams.best("video")
    if not isinstance(stream, VideoStream) or stream.disposition & Disposition.attached_pic:
        raise VideoError(f'"{name}" holds sound but no video: name a video, {ENDINGS}.')
    if stream.codec_context is None:
        codec = _unknown_codec(container)
        raise VideoError(f'"{name}" is in a codec that cannot be decoded here ({codec}): convert it to H.264 (MP4).')
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > MAX_PIXELS:
        most = f"at most {MAX_PIXELS / 1e6:.0f} million are decoded"
        raise VideoError(f'"{name}" has pictures of {width} x {height} pixels, but {most}: save it smaller.')
    return stream


def _unknown_codec(container: InputContainer) -> str:
    """Return a container's name of its video codec, which PyAV does not give without a decoder."""
    before = av.logging.get_level()
    av.logging.set_level(av.logging.INFO)
    try:
        description = container.dumps_format()  # type: ignore[attr-defined]
    finally:
        av.logging.set_level(before)
    named = re.search(r"Video: (\w+)(?:[^\n]*?\((\w+) / 0x)?", description)
    return "unknown" if named is None else named[2] if named[1] == "none" and named[2] else named[1]


def _lengths(file: Path, longest: float, stop: float) -> tuple[float, float]:
    """Return the duration in seconds by the packets' time stamps, and by the container's header or 0."""
    first, end = math.inf, -math.inf
    with _opened(file) as (container, stream):
        step = 1 / _rate(stream)
        for packet in _packets(container, stream):
            stamp = packet.pts if packet.pts is not None else packet.dts
            if stamp is not None and not packet.is_discard:  # edit lists discard hidden parts
                seconds = float(stamp * packet.time_base)
                first = min(first, seconds)
                end = max(end, seconds + (float(packet.duration * packet.time_base) if packet.duration else step))
            if end - first >= longest or time.monotonic() > stop:
                break
        start = max(0.0, first) if math.isfinite(first) else 0.0
        header = (container.duration or 0) / av.time_base - start  # a recording that starts at 1 h ends after 1 h
    return min(max(0.0, end - first), longest) if end > first else 0.0, min(max(0.0, header), longest)


def _rate(stream: VideoStream) -> float:
    """Return the frame rate of a stream, by default 25."""
    return _within(0.1, stream.average_rate or stream.guessed_rate, 1000, 25.0)


def _within(low: float, value: Fraction | None, high: float, usual: float) -> float:
    """Return a value of a stream, or the usual one if it is missing or not in [low, high]."""
    return float(value) if value and low <= value <= high else usual


def _packets(container: InputContainer, stream: VideoStream) -> Iterator[Any]:
    """Yield packets, skipping damaged ones."""
    failed, packets = 0, container.demux(stream)
    while failed < MAX_FAILURES:
        try:
            yield next(packets)
        except StopIteration:
            return
        except FFmpegError as error:
            if isinstance(error, MemoryError):
                raise
            failed, packets = failed + 1, container.demux(stream)


def _decoded(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Yield frames, skipping those that cannot be decoded."""
    decoder: Any = stream.codec_context
    with_alpha = DECODERS_WITH_ALPHA.get(decoder.name, "") if stream.metadata.get("alpha_mode") == "1" else ""
    if with_alpha in av.codecs_available:
        decoder = av.VideoCodecContext.create(with_alpha, "r")
    decoder.options = {"max_pixels": str(MAX_PIXELS)}
    decoder.thread_count = 1  # each thread would hold a frame, and the app needs the other cores
    failed = 0
    for packet in _packets(container, stream):
        try:
            frames = decoder.decode(packet)
        except FFmpegError as error:
            if isinstance(error, MemoryError):
                raise
            failed += 1
            if failed == MAX_FAILURES:
                return
            continue
        failed = 0 if frames else failed
        yield from frames


def _read(
    frames: Iterable[VideoFrame], keeper: _Even | _Cuts, stream: VideoStream, longest: float, stop: float, pixels: float
) -> tuple[float, tuple[int, int], str]:
    """Offer frames to a keeper; return the seconds that were read, the size as shown, and a note on limits or ""."""
    aspect, usual = _within(0.1, stream.sample_aspect_ratio, 10, 1.0), 1 / _rate(stream)  # of a pixel, width / height
    start, last, end, size = math.nan, -1.0, 0.0, (0, 0)
    for frame in frames:
        stamp = math.nan if frame.time is None else float(frame.time)
        start = stamp if math.isnan(start) else start
        seconds = stamp - start if stamp - start > last else max(0.0, last + usual)
        pixels -= frame.width * frame.height
        if pixels < 0 and last >= 0:
            return end, size, f"{{name}} has too many pixels to decode: its first {end:.1f} s are used."
        if seconds >= longest and last >= 0:
            return end, size, f"{{name}} lasts longer than {longest:g} s: what comes after is left out."
        step = float(frame.duration * frame.time_base) if frame.duration and frame.time_base else usual
        last, end = seconds, seconds + step
        if keeper.wants(seconds):
            image, size = _shown(frame, aspect)
            keeper.take(seconds, image)
        if time.monotonic() > stop:
            return end, size, f"Reading {{name}} takes long: its first {last:.1f} s are used."
    return end, size, ""


def _shown(frame: VideoFrame, aspect: float) -> tuple[Image.Image, tuple[int, int]]:
    """Return a frame as a player shows it, shrunk if large, and its size before."""
    is_opaque = not (frame.format.has_palette or any(part.is_alpha for part in frame.format.components))
    image = to_rgb(Image.fromarray(frame.to_ndarray(format="rgb24" if is_opaque else "rgba")))
    width, height = max(1, round(frame.width * aspect)), frame.height
    factor = min(1.0, MAX_SIDE / max(width, height))
    small = (max(1, round(width * factor)), max(1, round(height * factor)))
    if small != image.size:
        image = image.resize(small, Image.Resampling.BOX)
    turn = _turn(frame)
    if turn is None:
        return image, (width, height)
    return image.transpose(turn), (height, width) if turn in _TURNED else (width, height)


def _turn(frame: VideoFrame) -> Image.Transpose | None:
    """Return the transpose that makes a frame upright, the nearest to its display matrix; None if it is upright."""
    matrix: Any = frame.side_data.get("DISPLAYMATRIX")
    if matrix is None:
        return None
    a, b, _, c, d = np.frombuffer(bytes(matrix), dtype=np.int32)[:5].tolist()  # (x, y) is shown at (ax + cy, bx + dy)
    if abs(b) + abs(c) > abs(a) + abs(d):
        return _TURNED[(c < 0) + 2 * (b < 0)]
    return _UNTURNED[(a < 0) + 2 * (d < 0)]


# In order: neither, left and right, top and bottom, or both are swapped; in the second table after transposition.
_UNTURNED = None, Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.FLIP_TOP_BOTTOM, Image.Transpose.ROTATE_180
_TURNED = (
    *(Image.Transpose.TRANSPOSE, Image.Transpose.ROTATE_270),
    *(Image.Transpose.ROTATE_90, Image.Transpose.TRANSVERSE),
)


class _Even:
    """Keep frames at regular times. If more come than expected, every other one is dropped and the step doubles."""

    def __init__(self, most: int, seconds: float) -> None:
        self.frames: list[Frame] = []
        self.most, self.step, self.next = most, max(1 / RATE, seconds / most), 0.0
        self.thinned = seconds * RATE > most

    def wants(self, seconds: float) -> bool:
        """Return whether to take the frame at this time."""
        return seconds >= self.next - 1e-6

    def take(self, seconds: float, image: Image.Image) -> None:
        """Keep a frame."""
        self.frames.append(Frame(seconds, image))
        if len(self.frames) > self.most:
            self.frames, self.step, self.thinned = self.frames[::2][: self.most], 2 * self.step, True
        self.next = (np.floor(self.frames[-1].seconds / self.step + 1e-6) + 1) * self.step


class _Cuts:
    """Keep the first frame of each shot."""

    def __init__(self, most: int) -> None:
        self.frames: list[Frame] = []
        self.most, self.thinned = most, False
        self.before: NDArray[Any] | None = None

    def wants(self, seconds: float) -> bool:
        """Return True: each frame is compared with the one before."""
        return True

    def take(self, seconds: float, image: Image.Image) -> None:
        """Keep a frame if it starts a shot."""
        colours = np.asarray(image.resize((64, 64), Image.Resampling.BOX).convert("HSV")).reshape(-1, 3)
        histogram = np.histogramdd(colours, (12, 4, 8), [(0, 256)] * 3)[0].ravel()
        changed = self.before is None or np.corrcoef(histogram, self.before)[0, 1] < 1 - CUT
        self.before = histogram
        if changed and len(self.frames) < self.most:
            self.frames.append(Frame(seconds, image))
        elif changed:
            self.thinned = True

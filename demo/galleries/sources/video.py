"""Galleries of the frames of a video."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.reading.paths import printable
from demo.galleries.reading.photos import KeptPhoto
from demo.galleries.reading.video_worker import FRAMES, LONGEST, ReadVideo, frames_of

if TYPE_CHECKING:  # FFmpeg is imported on first use
    from seps.media.videos import Video

VIDEO = "video"  # the name of the gallery of a video


def video_gallery(video: Video, name: str, gallery: str = VIDEO, credit: tuple[str, str] = ("", "")) -> Gallery:
    """Create a gallery of a video's frames in order of time; they are not cached. `gallery` is its name in links,
    `credit` the author and the licence."""
    frames = [(frame.seconds, frame.image.copy) for frame in video.frames]
    return _gallery(frames, name, gallery, video.notes, credit)


def read_video(file: Path, gallery: str, most: int = FRAMES) -> Generator[int, None, Gallery]:
    """Read at most the first `LONGEST` seconds of an untrusted video as `frames_of`, in a gallery as `video_gallery`,
    with frames stored as JPEG."""
    video = yield from frames_of(file, most, LONGEST)
    return create_kept_gallery(video, file.name, gallery)


def create_kept_gallery(video: ReadVideo, name: str, gallery: str = VIDEO) -> Gallery:
    """Create a gallery of frames read by another process, which stay JPEG; arguments as `video_gallery`."""
    return _gallery([(at, KeptPhoto(content)) for at, content in video.frames], name, gallery, video.notes)


def _gallery(
    frames: Sequence[tuple[float, Callable[[], Image.Image]]],
    name: str,
    gallery: str,
    notes: Sequence[str],
    credit: tuple[str, str] = ("", ""),
) -> Gallery:
    items = tuple(
        GalleryItem(f"{seconds:.3f}", clock(seconds), (), None, credit[1], None, credit[0], None, source)
        for seconds, source in frames
    )
    return Gallery(gallery, printable(name), " ".join(notes), items, noun="frames", timed=True)


def clock(seconds: float) -> str:
    """Format a time in a video: "0:07.25", "1:02:03.50"."""
    hundredths = round(seconds * 100)
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    tail = f"{rest // 100:02}.{rest % 100:02}"
    return f"{hours}:{minutes:02}:{tail}" if hours else f"{minutes}:{tail}"

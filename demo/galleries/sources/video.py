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


def read_video(file: Path, gallery: str, most: int = FRAMES) -> Generator[int, None, Gallery]:
    """Read at most the first `LONGEST` seconds of an untrusted video as `frames_of`, in a gallery as
    `video_gallery`."""
    video = yield from frames_of(file, most, LONGEST)
    return video_gallery(video, file.name, gallery)


def video_gallery(
    video: Video | ReadVideo, name: str, gallery: str = VIDEO, credit: tuple[str, str] = ("", "")
) -> Gallery:
    """Create a gallery of a video's frames in order of time; they are not cached, and those that another process read
    stay JPEG. `gallery` is its name in links, `credit` the author and the licence."""
    frames: Sequence[tuple[float, Callable[[], Image.Image]]] = (
        [(seconds, KeptPhoto(content)) for seconds, content in video.frames]
        if isinstance(video, ReadVideo)
        else [(frame.seconds, frame.image.copy) for frame in video.frames]
    )
    items = tuple(
        GalleryItem(f"{seconds:.3f}", clock(seconds), (), None, credit[1], None, credit[0], None, source)
        for seconds, source in frames
    )
    return Gallery(gallery, printable(name), " ".join(video.notes), items, noun="frames", timed=True)


def clock(seconds: float) -> str:
    """Format a time in a video: "0:07.25", "1:02:03.50"."""
    hundredths = round(seconds * 100)
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    tail = f"{rest // 100:02}.{rest % 100:02}"
    return f"{hours}:{minutes:02}:{tail}" if hours else f"{minutes}:{tail}"

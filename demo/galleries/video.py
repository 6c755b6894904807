"""The frames of a video as a gallery."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.paths import printable
from demo.galleries.photos import KeptPhoto
from demo.galleries.video_worker import FRAMES, LONGEST, frames_of

if TYPE_CHECKING:  # OpenCV is imported on first use
    from seps.videos import Video

VIDEO = "video"  # the name of the gallery of a video


def video_gallery(video: Video, name: str, gallery: str = VIDEO, credit: tuple[str, str] = ("", "")) -> Gallery:
    """Return the frames that were read of a video, in the order of their times; nothing of them goes into the cache.

    Args:
        name: the file's, for people; gallery: the gallery's, in links; credit: whose it is, and its licence.
    """
    frames = [(frame.seconds, frame.image.copy) for frame in video.frames]
    return _gallery(frames, name, gallery, video.notes, credit)


def read_video(file: Path, gallery: str, most: int = FRAMES) -> Generator[int, None, Gallery]:
    """Read a video that anyone may have made, at most its first `LONGEST` seconds, in a process of its own.

    Yields:
        How many frames have been gone through, again and again.

    Returns:
        A gallery as `video_gallery`, whose frames are kept as JPEG.

    Raises:
        ValueError: no video, or one that cannot be read.
    """
    video = yield from frames_of(file, most, LONGEST)
    return _gallery([(at, KeptPhoto(content)) for at, content in video.frames], file.name, gallery, video.notes)


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
    """Return a time in a video as people write it: "0:07.25", "1:02:03.50"."""
    hundredths = round(seconds * 100)
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    tail = f"{rest // 100:02}.{rest % 100:02}"
    return f"{hours}:{minutes:02}:{tail}" if hours else f"{minutes}:{tail}"

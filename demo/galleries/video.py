"""The frames of a video as a gallery."""

from __future__ import annotations

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.paths import printable
from seps.data.frames import Video

VIDEO = "video"  # the name of the gallery of a video


def video_gallery(video: Video, name: str) -> Gallery:
    """The frames that were read of a video, in the order of their times; nothing of them goes into the cache.

    Args:
        name: the file's.
    """
    items = tuple(
        GalleryItem(f"{frame.seconds:.3f}", clock(frame.seconds), (), None, "", None, "", None, frame.image.copy)
        for frame in video.frames
    )
    return Gallery(VIDEO, printable(name), " ".join(video.notes), items, noun="frames")


def clock(seconds: float) -> str:
    """A time in a video as people write it: "0:07.25", "1:02:03.50"."""
    hundredths = round(seconds * 100)
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    tail = f"{rest // 100:02}.{rest % 100:02}"
    return f"{hours}:{minutes:02}:{tail}" if hours else f"{minutes}:{tail}"

"""Videos that tests make."""

import struct
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def write_clip(
    file: Path, shots: Sequence[tuple[Colour, int]], size: tuple[int, int] = (160, 120), rate: float = 10
) -> Path:
    """Write a video of single-colour shots with so many frames; its ending is mp4, avi or webm."""
    codec = {".mp4": "mp4v", ".avi": "MJPG", ".webm": "VP90"}[file.suffix]
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*codec), rate, size)
    assert writer.isOpened()
    for colour, count in shots:
        picture = np.full((size[1], size[0], 3), colour[::-1], dtype=np.uint8)
        for _ in range(count):
            writer.write(picture)
    writer.release()
    return file


def encode_clip(
    file: Path,
    codec: str,
    pictures: Iterable[NDArray[np.uint8]],
    pixels: str = "yuv420p",
    start: int = 0,
    aspect: int = 1,
    rate: int = 10,
    **options: str,
) -> Path:
    """Write a video with PyAV.

    Args:
        file: its ending says which container; pictures: (H, W, 3 or 4) each; pixels: FFmpeg's name of their format.
        start: time stamp of the first one, in frames; aspect: of a pixel, width by height; rate: frames per second.
        options: of the container.
    """
    container = av.open(str(file), "w", container_options=options)
    with container:
        stream: Any = None
        for number, picture in enumerate(pictures):
            if stream is None:
                stream = container.add_stream(codec, rate=rate)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt, stream.sample_aspect_ratio = pixels, Fraction(aspect)
            frame = av.VideoFrame.from_ndarray(picture, "rgb24" if picture.shape[2] == 3 else "rgba").reformat(
                format=pixels
            )
            frame.pts, frame.time_base = start + number, Fraction(1, rate)
            container.mux(stream.encode(frame))
        assert stream is not None
        container.mux(stream.encode(None))
    return file


def plain(colour: tuple[int, ...], count: int, size: tuple[int, int] = (64, 48)) -> list[NDArray[np.uint8]]:
    """Return so many pictures of one colour."""
    return [np.full((size[1], size[0], len(colour)), colour, dtype=np.uint8)] * count


def turn_clip(file: Path, matrix: tuple[int, int, int, int] = (0, 1, -1, 0)) -> None:
    """Say in an mp4 how its pictures are to be shown: a point (x, y) at (ax + cy, bx + dy), matrix being (a, b, c, d).

    Without one, turned by 90 degrees to the right.
    """
    a, b, c, d = (number << 16 for number in matrix)
    content = bytearray(file.read_bytes())
    start = content.index(b"tkhd") + 4 + 40  # of version 0: the matrix follows 40 bytes of flags, times and ids
    content[start : start + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    file.write_bytes(bytes(content))

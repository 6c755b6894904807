"""Videos that tests make."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

Colour = tuple[int, int, int]
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def write_clip(
    file: Path, shots: Sequence[tuple[Colour, int]], size: tuple[int, int] = (160, 120), rate: float = 10
) -> Path:
    """Write a video whose shots are of one colour each, so many frames; its ending says mp4, avi or webm."""
    codec = {".mp4": "mp4v", ".avi": "MJPG", ".webm": "VP90"}[file.suffix]
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*codec), rate, size)
    assert writer.isOpened()
    for colour, count in shots:
        for _ in range(count):
            writer.write(np.full((size[1], size[0], 3), colour[::-1], dtype=np.uint8))
    writer.release()
    return file


def turn_clip(file: Path) -> None:
    """Say in an mp4 that its pictures are to be shown turned by 90 degrees to the right."""
    content = bytearray(file.read_bytes())
    start = content.index(b"tkhd") + 4 + 40  # of version 0: the matrix follows 40 bytes of flags, times and ids
    content[start : start + 36] = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 0, 0, 1 << 30)
    file.write_bytes(bytes(content))

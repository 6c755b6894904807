"""A drawing to take away: the picture as PNG, and how it came about as GIF."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from PIL import Image

from demo.figures.formats import DRAWINGS, TYPES, Download, check_format, file_name

FRAME, LAST = 250, 2000  # milliseconds that a frame stays, and the finished picture


def drawing_file(frames: Sequence[Image.Image], caption: str, seed: int, kind: str) -> Download:
    """A drawing's file.

    Args:
        frames: the picture as it came about, the last one finished; at least one.
        caption, seed: what it was drawn from, for the file's name; kind: one of DRAWINGS, "png" or "gif".

    Raises:
        ValueError: another kind.
    """
    check_format(kind, DRAWINGS)
    stream = BytesIO()
    if kind == "png":
        frames[-1].save(stream, "PNG", optimize=True)
    else:
        durations = [FRAME] * (len(frames) - 1) + [LAST]
        first, *others = [frame.quantize(256, dither=Image.Dither.NONE) for frame in frames]
        first.save(stream, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    return Download(file_name("generator", caption, f"seed-{seed}", kind), stream.getvalue(), TYPES[kind])

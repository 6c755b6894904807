"""A drawing to take away: the picture as PNG, how it came about as GIF, and what became of its caption as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from PIL import Image

from demo.drawing.formats import DRAWINGS, TYPES, Download, check_format, file_name
from demo.service.generating.rank import FinishedDrawing
from demo.views.generate.statements import recaption_statements, statement_values

FRAME, LAST = 250, 2000  # milliseconds that a frame stays, and the finished picture


def drawing_file(frames: Sequence[Image.Image], caption: str, seed: int, kind: str) -> Download:
    """Return a drawing's file.

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


def drawing_record(drawing: FinishedDrawing) -> dict[str, Any]:
    """Return what became of a caption as plain values: what was asked, rank, statements with their verdicts,
    captions."""
    asked, standing = drawing.asked, drawing.standing
    return {
        "caption": asked.text,
        "seed": asked.seeds[0],
        "steps": asked.steps,
        "guidance": asked.guidance,
        "similarity": standing.similarity,
        "rank": standing.rank,
        "total": standing.scenes + 1,
        "statements": statement_values(recaption_statements(drawing.read)),
        "captions": [{"caption": caption.text, "score": caption.score} for caption in drawing.read.best],
    }

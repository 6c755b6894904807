"""Figures as files: PNG, SVG and PDF, the same bytes for the same figure."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from demo.drawing.page import hush_missing_glyphs
from demo.drawing.palette import DPI

METADATA: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
PNG_EFFORT = 2  # of 9: a photograph's pixels hardly shrink with more, which would take half of the drawing's time

# For the whole process, since Matplotlib's settings are not one thread's: letters stay letters, names stay the same.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "seps", "pdf.fonttype": 42})


def render(figure: Figure, kind: str, dpi: int = DPI) -> bytes:
    """Return a figure as a file.

    Args:
        figure: without pyplot.
        kind: "png", "svg" (letters as text, the photo inside) or "pdf" (fonts inside).
        dpi: of pixels, to an inch; by default two a CSS pixel.

    Raises:
        ValueError: another format.
    """
    if kind not in METADATA:
        raise ValueError(f"There is no picture format {kind!r}: choose {', '.join(METADATA)}.")
    hush_missing_glyphs()
    buffer = BytesIO()
    options: dict[str, Any] = {"pil_kwargs": {"compress_level": PNG_EFFORT}} if kind == "png" else {}
    figure.savefig(buffer, format=kind, dpi=dpi, metadata=METADATA[kind], **options)
    return buffer.getvalue()

"""Deterministic rendering of figures as PNG, SVG and PDF."""

import struct
import zlib
from io import BytesIO
from typing import Any

import cv2
import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from demo.drawing.letters import fit_letters
from demo.drawing.page import hush_missing_glyphs
from demo.drawing.palette import DPI

METADATA: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
# Only run-length encoding: for flat and photographic pages smaller than zlib's level 2, in half the time.
PNG_OPTIONS = (
    *(cv2.IMWRITE_PNG_COMPRESSION, 1),
    *(cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_RLE),
    *(cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_PAETH),
)
HEADER = 33  # bytes before a PNG's first optional chunk

# Matplotlib's settings are global, not per thread: text stays text, ids are deterministic.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "seps", "pdf.fonttype": 42})


def render(figure: Figure, kind: str, dpi: int = DPI, strict: bool = False) -> bytes:
    """Render a figure, created without pyplot, as "png", "svg" (text as text) or "pdf" (fonts embedded). ValueError for
    another format, and with `strict` for letters that no installed font has, which are else logged."""
    if kind not in METADATA:
        raise ValueError(f"There is no picture format {kind!r}: choose {', '.join(METADATA)}.")
    fit_letters(figure, kind, strict)
    hush_missing_glyphs()
    buffer = BytesIO()
    if kind == "png":
        figure.set_dpi(dpi)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        # OpenCV takes half of Pillow's time, but does not write the resolution.
        pixels = cv2.cvtColor(np.asarray(canvas.buffer_rgba()), cv2.COLOR_RGBA2BGR)
        content = cv2.imencode(".png", pixels, PNG_OPTIONS)[1].tobytes()
        resolution = b"pHYs" + struct.pack(">IIB", *[round(dpi / 0.0254)] * 2, 1)  # per metre
        chunk = struct.pack(">I", len(resolution) - 4) + resolution + struct.pack(">I", zlib.crc32(resolution))
        return content[:HEADER] + chunk + content[HEADER:]
    figure.savefig(buffer, format=kind, dpi=dpi, metadata=METADATA[kind])
    return buffer.getvalue()

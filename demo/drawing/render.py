"""Deterministic rendering of figures as PNG, SVG and PDF."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from demo.drawing.letters import fit_letters
from demo.drawing.page import hush_missing_glyphs
from demo.drawing.palette import DPI

METADATA: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
# Only run-length encoding: for flat and photographic pages smaller than zlib's level 2, in half the time.
PNG_OPTIONS = {"compress_level": 1, "compress_type": zlib.Z_RLE}

# Matplotlib's settings are global, not per thread: text stays text, ids are deterministic.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "seps", "pdf.fonttype": 42})


def render(figure: Figure, kind: str, dpi: int = DPI, strict: bool = False) -> bytes:
    """Render a figure as a file.

    Args:
        figure: created without pyplot.
        kind: "png", "svg" (text as text, photos embedded) or "pdf" (fonts embedded).
        dpi: pixels per inch; by default two per CSS pixel.
        strict: raise an error for missing letters instead of logging.

    Raises:
        ValueError: another format; with `strict`, letters that no installed font has.
    """
    if kind not in METADATA:
        raise ValueError(f"There is no picture format {kind!r}: choose {', '.join(METADATA)}.")
    fit_letters(figure, kind, strict)
    hush_missing_glyphs()
    buffer = BytesIO()
    if kind == "png":
        figure.set_dpi(dpi)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        drawn = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
        drawn.convert("RGB").save(buffer, "png", dpi=(dpi, dpi), **PNG_OPTIONS)  # a page is opaque
    else:
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=METADATA[kind])
    return buffer.getvalue()

"""Figures as files: PNG, SVG and PDF, the same bytes for the same figure."""

from __future__ import annotations

import re
import unicodedata
from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from demo.explain.layers import Layer
from demo.figures.page import hush_missing_glyphs
from demo.figures.palette import DPI

METADATA: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
PNG_EFFORT = 2  # of 9: a photograph's pixels hardly shrink with more, which would take half of the drawing's time
LONGEST_PART = 60  # characters of each part of a file name

# For the whole process, since Matplotlib's settings are not one thread's: letters stay letters, names stay the same.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "seps", "pdf.fonttype": 42})


def render(figure: Figure, kind: str) -> bytes:
    """A figure as a file.

    Args:
        figure: without pyplot.
        kind: "png" (two pixels a CSS pixel), "svg" (letters as text, the photo inside) or "pdf" (fonts inside).

    Raises:
        ValueError: another format.
    """
    if kind not in METADATA:
        raise ValueError(f"There is no picture format {kind!r}: choose {', '.join(METADATA)}.")
    hush_missing_glyphs()
    buffer = BytesIO()
    options: dict[str, Any] = {"pil_kwargs": {"compress_level": PNG_EFFORT}} if kind == "png" else {}
    figure.savefig(buffer, format=kind, dpi=DPI, metadata=METADATA[kind], **options)
    return buffer.getvalue()


def file_name(model: str, title: str, layer: Layer | str, kind: str) -> str:
    """A file name of letters, digits and hyphens that every system takes: "seps-photos-coffee-token-3.png"."""
    parts = (re.sub(r"[^a-z0-9]+", "-", _ascii(str(part))).strip("-")[:LONGEST_PART] for part in (model, title, layer))
    return "-".join(["seps", *(part.strip("-") for part in parts if part)]) + f".{kind}"


def _ascii(text: str) -> str:
    """Lower-case letters without their accents; other scripts are left out."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()

"""The kinds of files that can be written, and their media types."""

from __future__ import annotations

from collections.abc import Sequence

TYPES = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "json": "application/json",
    "csv": "text/csv",
}
PICTURES = ("png", "svg", "pdf")
EXPLANATIONS = (*PICTURES, "json")


def check_format(kind: str, formats: Sequence[str]) -> None:
    """Raise ValueError for another kind."""
    if kind not in formats:
        raise ValueError(f"format is {kind!r}, but it must be one of {', '.join(formats)}.")

"""Checks of what programs send: numbers, text, and values as messages quote them."""

from __future__ import annotations

from math import isfinite
from typing import Any


def is_finite(value: float) -> bool:
    """Return whether a number is one that can be counted with: neither infinite nor too large for a float."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


def valid_text(name: str, text: str) -> str:
    """Return the text; ValueError if it is not Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds half a character (a lone surrogate): type it again.") from error
    return text


def shortened(value: Any) -> str:
    """Return a value as a sentence shows it: never long, and never a container's content."""
    if isinstance(value, dict | list):
        return "a JSON object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."

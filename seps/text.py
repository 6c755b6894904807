"""Untrusted text: Unicode normalisation of names and escapes for characters that affect a terminal or a page."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
UNSAFE = ("Cc", "Cs", "Zl", "Zp")  # control characters, surrogates, line and paragraph separators


def nfc(name: str) -> str:
    """Normalise a name to NFC; macOS stores accents separately."""
    return unicodedata.normalize("NFC", name)


def printable(text: object, keep: str = "") -> str:
    r"""Return text for one line of a terminal, a log or a table.

    Control and bidirectional characters become escapes such as \x1b; a path in bytes that are not UTF-8 gets \xff.

    Args:
        text: a path, an error or a string; keep: characters that stay as they are, such as "\n".
    """
    raw = os.fspath(text) if isinstance(text, Path) else str(text)
    if raw.isascii() and raw.isprintable():
        return raw
    try:
        raw = os.fsencode(raw).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # surrogates, which no file name contains
        raw = raw.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c in keep or not _is_unsafe(c) else _escape(c) for c in raw)


class ListError(ValueError):
    """An error with one message line per argument; the lines are escaped so that a name cannot start another line."""

    def __str__(self) -> str:
        """Return the message."""
        return "\n".join(map(printable, self.args))


def _is_unsafe(character: str) -> bool:
    return character in BIDIRECTIONAL or unicodedata.category(character) in UNSAFE


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def find_file(file: Path) -> Path:
    """Return a file by the name in its folder if only the Unicode form differs, otherwise the given path."""
    if file.exists() or str(file).isascii():
        return file
    parent = find_file(file.parent) if file.parent != file else file
    try:
        names = sorted(file.name for file in parent.iterdir())
    except OSError:
        return file
    return next((parent / name for name in names if nfc(name) == nfc(file.name)), file)

"""Untrusted text: Unicode normalisation of names and escapes for characters that affect a terminal or a page."""

import os
import unicodedata
from pathlib import Path

BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
UNSAFE = ("Cc", "Cs", "Zl", "Zp")  # control characters, surrogates, line and paragraph separators


def nfc(name: str) -> str:
    """Normalise a name to NFC; macOS stores accents separately."""
    return unicodedata.normalize("NFC", name)


def printable(text: object, keep: str = "") -> str:
    r"""Escape control and bidirectional characters, except those to `keep`, as \x1b, and bytes that are not UTF-8."""
    raw = os.fspath(text) if isinstance(text, Path) else str(text)
    if raw.isascii() and raw.isprintable():
        return raw
    try:
        raw = os.fsencode(raw).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # surrogates, which no file name contains
        raw = raw.encode("utf-8", "backslashreplace").decode()
    unsafe = {c for c in set(raw) - set(keep) if c in BIDIRECTIONAL or unicodedata.category(c) in UNSAFE}
    return "".join(c.encode("unicode_escape").decode("ascii") if c in unsafe else c for c in raw)


class ListError(ValueError):
    """An error with one message line per argument; the lines are escaped so that a name cannot start another line."""

    def __str__(self) -> str:
        """Return the message."""
        return "\n".join(map(printable, self.args))

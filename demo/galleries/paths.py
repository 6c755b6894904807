"""Paths that people type, checked before anything that takes long is imported."""

from __future__ import annotations

import os
from pathlib import Path

CAPTIONS_FILE = "captions.json"  # in a folder of photographs, their captions by name


def printable(path: Path | str) -> str:
    """Return a path in characters that can be shown and sent, even where its bytes are no UTF-8."""
    try:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # halves of characters, which no file's name has
        return str(path).encode("utf-8", "backslashreplace").decode()


def photos_place(text: str) -> Path | str:
    """Return a folder of photographs as a path, a table of photographs as the uri that it is."""
    is_table = "://" in text or (Path(text) / "_versions").is_dir()
    return text if is_table else Path(text)


def check_photos(folder: Path) -> None:
    """Raise ValueError where there is no such folder."""
    if not folder.is_dir():
        raise ValueError(f"There is no folder {printable(folder)}: give the path of a folder with photos.")


def check_photo_path(file: Path) -> None:
    """Raise ValueError where there is no such file."""
    if not file.is_file():
        raise ValueError(f'The photo "{printable(file)}" is not there, or is no file: check the path.')

"""Early validation of typed paths, and the cache folder; no slow imports."""

import os
from collections.abc import Iterable
from pathlib import Path
from secrets import token_hex

from seps.common import text
from seps.common.files import write_atomically
from seps.media.listing import is_possible_photo

CAPTIONS_FILE = "captions.json"  # in a folder of photographs, their captions by name


def printable(path: Path | str) -> str:
    """Return a path or name for display and comparison: in NFC, without unprintable characters."""
    return text.printable(text.nfc(str(path)))


def photos_place(text: str) -> Path | str:
    """Return the path of a folder of photographs, or the URI of a table."""
    is_table = "://" in text or (Path(text) / "_versions").is_dir()
    return text if is_table else Path(text)


def check_photos(folder: Path | str) -> None:
    """Raise ValueError if the folder does not exist, or for a table's URI."""
    if isinstance(folder, str):
        place = printable(folder)
        raise ValueError(
            f"{place} is a table of photographs, but a folder of photographs is needed here: search the table with "
            f'python -m demo rank "a caption" --photos {place}.'
        )
    if not folder.is_dir():
        raise ValueError(f"There is no folder {printable(folder)}: give the path of a folder with photos.")


def check_photo_path(file: Path) -> None:
    """Raise ValueError if the file does not exist."""
    if not file.is_file():
        raise ValueError(f'The photo "{printable(file)}" is not there, or is no file: check the path.')


def photo_paths(paths: Iterable[Path]) -> list[Path]:
    """List photographs, in a folder's place its photographs, sorted by name; ValueError for a missing path, or a folder
    without photographs."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            check_photo_path(path)
            files.append(path)
            continue
        inside = sorted(file for file in path.iterdir() if file.is_file() and is_possible_photo(file))
        if not inside:
            raise ValueError(f"The folder {printable(path)} contains no photos: give a folder with photos, or files.")
        files += inside
    return files


def default_cache() -> Path:
    """Return the cache folder: $SEPS_CACHE, else seps-explorer in $XDG_CACHE_HOME, else in ~/.cache."""
    chosen = os.environ.get("SEPS_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "seps-explorer"


def write_whole(file: Path, content: bytes) -> None:
    """Write a file atomically, creating missing folders; OSError if it cannot be written."""
    with write_atomically(file, f".{token_hex(8)}.part") as part:  # several sessions may write it at once
        part.touch(mode=0o600, exist_ok=False)
        part.write_bytes(content)

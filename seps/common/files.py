"""Atomic writing of files and folders, JSON files, and checks of weight files."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LFS_START = b"version https://git-lfs.github.com/spec/"
LFS_POINTER = "a Git LFS pointer, a few lines of text in place of the file"
LFS_REMEDY = "fetch the file itself with git lfs pull"


@contextmanager
def write_atomically(path: Path, suffix: str = ".partial") -> Iterator[Path]:
    """Give a temporary path for a file or folder that replaces `path` when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + suffix)
    _remove(partial)  # left by an earlier process that was killed
    try:
        yield partial
        if partial.is_dir():
            _remove(path)  # a folder does not replace one that holds anything
        partial.replace(path)
    except BaseException:
        _remove(partial)
        raise


def json_text(values: Any) -> str:
    """Format plain values as JSON with an indent of two spaces and a final newline."""
    return json.dumps(values, indent=2) + "\n"


def write_json(file: Path, values: Any) -> None:
    """Write plain values to a JSON file."""
    file.write_text(json_text(values), encoding="utf-8")


def check_weights_file(path: Path) -> None:
    """Raise ValueError if a weights file does not exist, is a folder or is a Git LFS pointer."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file in it.")
    if not path.is_file():
        raise ValueError(f"{path} does not exist.")
    with path.open("rb") as stream:
        head = stream.read(len(LFS_START))
    if is_lfs_pointer(head):
        raise ValueError(f"{path} is {LFS_POINTER}: {LFS_REMEDY}.")


def is_lfs_pointer(content: str | bytes) -> bool:
    """Return whether a file's content is a Git LFS pointer."""
    head = content[: len(LFS_START)]
    return (head.encode(errors="replace") if isinstance(head, str) else head) == LFS_START


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

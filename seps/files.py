"""Files and folders that are there whole or not at all, files of JSON, and files of weights that are none."""

from __future__ import annotations

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
def written_whole(path: Path, suffix: str = ".partial") -> Iterator[Path]:
    """Give a path to write a file or a folder to, which takes the place of `path` when the block ends.

    Where the block raises, `path` stays as it was. Folders above it are made where they lack.

    Args:
        path: what is written or replaced.
        suffix: what its name has behind it until then; one of its own for each writer where several may write at once.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + suffix)
    _remove(partial)  # what an earlier process left that was killed
    try:
        yield partial
        if partial.is_dir():
            _remove(path)  # a folder does not replace one that holds anything
        partial.replace(path)
    except BaseException:
        _remove(partial)
        raise


def json_text(values: Any) -> str:
    """Return plain values as the text of a JSON file: two spaces a level, and a line's end."""
    return json.dumps(values, indent=2) + "\n"


def write_json(file: Path, values: Any) -> None:
    """Write plain values into a JSON file."""
    file.write_text(json_text(values), encoding="utf-8")


def check_weights_file(path: Path) -> None:
    """Raise ValueError for a file of weights that is not there, is a folder, or a Git LFS pointer in its place."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file in it.")
    if not path.is_file():
        raise ValueError(f"{path} does not exist.")
    with path.open("rb") as stream:
        head = stream.read(len(LFS_START))
    if is_lfs_pointer(head):
        raise ValueError(f"{path} is {LFS_POINTER}: {LFS_REMEDY}.")


def is_lfs_pointer(content: str | bytes) -> bool:
    """Return whether a file's content is what stands for it where Git LFS has not fetched it."""
    head = content[: len(LFS_START)]
    return (head.encode(errors="replace") if isinstance(head, str) else head) == LFS_START


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

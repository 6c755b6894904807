"""Files and folders that are there whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

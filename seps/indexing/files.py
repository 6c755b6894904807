"""List of a folder's photographs with names, sizes and times, without opening them."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from seps.common.cli import check_folder
from seps.media.listing import is_possible_photo
from seps.media.photos import PhotoError


@dataclass(frozen=True)
class FolderFile:
    """A file that may be a photograph: path relative to the folder, size in bytes, nanoseconds since 1970."""

    path: str
    file: Path
    size: int
    modified: int


def folder_files(folder: Path) -> list[FolderFile]:
    """List the photographs of a folder and its subfolders by path, without hidden files and links out of the folder."""
    check_folder(folder, "a folder with photographs")
    return sorted(_walk(folder, folder.resolve()), key=lambda file: file.path)


def _walk(folder: Path, root: Path) -> Iterator[FolderFile]:
    for place, below, names in os.walk(folder):
        below[:] = [name for name in below if not name.startswith(".")]
        for name in names:
            file = Path(place, name)
            if name.startswith(".") or (file.is_symlink() and not file.resolve().is_relative_to(root)):
                continue
            if not is_possible_photo(file):
                continue
            try:
                path = os.fsencode(file.relative_to(folder).as_posix())
                yield read_file_facts(file, path.decode("utf-8", "backslashreplace"))  # a table holds valid text
            except FileNotFoundError:  # deleted meanwhile, or a link that leads nowhere
                continue


def read_file_facts(file: Path, path: str) -> FolderFile:
    """Return a file's current facts under its name in a gallery; OSError if it does not exist."""
    facts = file.stat()
    return FolderFile(path, file, facts.st_size, facts.st_mtime_ns)


def file_digest(file: Path) -> str:
    """Compute the sha256 of a file's content, in hexadecimal; PhotoError if it cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise PhotoError(f"{file} cannot be read ({error.strerror}): check whether it may be.") from error

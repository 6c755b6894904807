"""A person's own photographs: a folder, or files uploaded for a session."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from demo.galleries.gallery import Gallery, GalleryItem, shown
from demo.photos import PhotoError, check_photo, printable
from seps.engine import Progress

CAPTIONS_FILE = "captions.json"
MOST_UPLOADS = 100


def folder_gallery(folder: Path, progress: Progress = False) -> Gallery:
    """Every photograph in a folder and the folders below, sorted; hidden ones and links out of it are left out.

    A file is opened here, not decoded: one that is damaged further on is skipped when the gallery is indexed.

    Args:
        folder: may hold captions.json, {"below/photo.jpg": ["a caption", ...]}.
        progress: as in `ScoringEngine`.

    Raises:
        ValueError: no such folder, no readable photograph in it, or a captions.json that does not fit.
    """
    if not folder.is_dir():
        raise ValueError(f"There is no folder {printable(folder)}: give the path of a folder with photos.")
    found, skipped = _files_below(folder)
    named = [(printable(file.relative_to(folder).as_posix()), file) for file in found]
    captions = _read_captions(folder / CAPTIONS_FILE)
    unknown = sorted(set(captions) - {name for name, _ in named})
    note = ""
    if unknown:
        which = f'"{unknown[0]}"' + (f" and {len(unknown) - 1} more" if len(unknown) > 1 else "")
        note = f"{CAPTIONS_FILE} has captions for {which}, which the folder does not hold."
    title = printable(folder.resolve().name) or printable(folder)
    return _gallery("folder", title, note, named, captions, skipped, progress)


def uploads_gallery(paths: Sequence[Path], limit: int = MOST_UPLOADS, progress: Progress = False) -> Gallery:
    """The photographs that a person uploaded, in their order; unreadable ones as in `folder_gallery`.

    Raises:
        ValueError: more than `limit` files, or no readable photograph among them.
    """
    if len(paths) > limit:
        raise ValueError(f"There are {len(paths)} photos, but at most {limit} can be uploaded at once.")
    named: dict[str, Path] = {}
    times: Counter[str] = Counter()
    for path in paths:
        name = printable(path.name)
        key = name
        while key in named:
            times[name] += 1
            key = f"{name} ({times[name] + 1})"
        named[key] = path
    return _gallery("uploads", "Your photos", "", list(named.items()), {}, [], progress)


def _gallery(
    name: str,
    title: str,
    note: str,
    named: list[tuple[str, Path]],
    captions: Mapping[str, tuple[str, ...]],
    skipped: list[str],
    progress: Progress,
) -> Gallery:
    """The gallery of the files that open as photographs; ValueError where none does."""
    items = []
    for key, file in shown(named, "Looking at photos", progress):
        try:
            check_photo(file, key)
        except PhotoError as error:
            skipped.append(str(error))
            continue
        items.append(GalleryItem(key, key, captions.get(key, ()), None, "", None, "", None, file))
    if not items:
        reason = f" {skipped[0]}" if skipped else ""
        raise ValueError(f'"{title}" holds no photo that can be read.{reason}')
    return Gallery(name, title, note, tuple(items), tuple(skipped))


def _files_below(folder: Path) -> tuple[list[Path], list[str]]:
    """The files that may be photographs, sorted, and a sentence for each link out and each closed folder."""
    root = folder.resolve()
    files: list[Path] = []
    closed: list[OSError] = []
    skipped = []
    for place, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(place, name)
            if name.startswith(".") or file == folder / CAPTIONS_FILE:
                continue
            if file.is_symlink() and file.exists() and not file.resolve().is_relative_to(root):
                skipped.append(f'"{printable(file.relative_to(folder))}" is a link that leads out of the folder.')
            else:
                files.append(file)
    for error in closed:
        where = printable(Path(error.filename).relative_to(folder))
        skipped.append(f'The folder "{where}" cannot be opened ({error.strerror}).')
    return sorted(files), sorted(skipped)


def _read_captions(file: Path) -> dict[str, tuple[str, ...]]:
    """The captions of captions.json by photograph, none where there is no such file."""
    if not file.is_file():
        return {}
    wanted = f'{CAPTIONS_FILE} must be an object such as {{"photo.jpg": ["a caption", "another"]}}'
    try:
        captions = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{wanted}, but it cannot be read: {error}.") from error
    if not isinstance(captions, dict):
        raise ValueError(f"{wanted}, but it is a {type(captions).__name__}.")
    for name, texts in captions.items():
        if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
            raise ValueError(f'{wanted}, but "{name}" has something else than a list of captions.')
    return {name: tuple(texts) for name, texts in captions.items()}

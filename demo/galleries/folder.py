"""A person's own photographs: a folder, or files uploaded for a session."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from demo.galleries.decoding import NoPhotoError, PhotoError
from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.paths import CAPTIONS_FILE, check_photos, printable
from demo.galleries.photos import check_photo
from seps.checks import check_text, read_json
from seps.indexing.files import ENDINGS, FolderFile, as_listed
from seps.progress import Progress, with_progress

FOLDER = "folder"
UPLOADS = "uploads"  # the name of the gallery of a person's own
MAX_UPLOADS = 100
MAX_CAPTIONS_BYTES = 20 * 2**20  # bytes of captions.json


def folder_gallery(folder: Path, progress: Progress = False, recursive: bool = False) -> Gallery:
    """Return every photograph in a folder, sorted; hidden ones and links out of it are left out.

    A file is opened here, not decoded: one that is damaged further on is skipped when the gallery is indexed.

    Args:
        folder: may hold captions.json, {"below/photo.jpg": ["a caption", ...]}.
        progress: as in `ScoringEngine`; recursive: whether the folders below are read too.

    Raises:
        ValueError: no such folder, no readable photograph in it, or a captions.json that does not fit.
    """
    check_photos(folder)
    files, skipped = _files_below(folder, recursive)
    named = [(printable(file.relative_to(folder).as_posix()), file) for file in files]
    captions, note = _captions_for(folder, named)
    gallery = _gallery(FOLDER, _title(folder), note, named, captions, skipped, progress)
    return replace(gallery, table=table_name(folder, recursive))


def listed_gallery(folder: Path, recursive: bool = False) -> tuple[Gallery, list[FolderFile]]:
    """Return every file in a folder whose name ends as a photograph's does, sorted; none is opened.

    Args:
        folder, recursive: as for `folder_gallery`.

    Raises:
        ValueError: no such folder, or a captions.json that does not fit.
    """
    check_photos(folder)
    files, skipped = _files_below(folder, recursive)
    named = [(printable(file.relative_to(folder).as_posix()), file) for file in files if file.suffix.lower() in ENDINGS]
    listed = []
    for key, file in named:
        with suppress(OSError):  # deleted meanwhile, or a link that leads nowhere
            listed.append(as_listed(file, key))
    captions, note = _captions_for(folder, named)
    items = tuple(_item(file.path, captions, file.file) for file in listed)
    table = f"{table_name(folder, recursive)}-large"  # not that of `folder_gallery`, which keeps every digit
    gallery = Gallery(FOLDER, _title(folder), note, items, tuple(skipped), table=table)
    return gallery, listed


def _title(folder: Path) -> str:
    return printable(folder.resolve().name) or printable(folder)


def _captions_for(folder: Path, named: Sequence[tuple[str, Path]]) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """The captions of captions.json, and a line about those of photographs that are not there."""
    captions = _read_captions(folder / CAPTIONS_FILE)
    unknown = sorted(set(captions) - {name for name, _ in named})
    if not unknown:
        return captions, ""
    which = f'"{unknown[0]}"' + (f" and {len(unknown) - 1} more" if len(unknown) > 1 else "")
    return captions, f"{CAPTIONS_FILE} has captions for {which}, which the folder does not hold."


def _item(key: str, captions: Mapping[str, tuple[str, ...]], file: Path) -> GalleryItem:
    return GalleryItem(key, key, captions.get(key, ()), None, "", None, "", None, file)


def table_name(folder: Path, recursive: bool) -> str:
    """Return the name of a folder's table in the cache, another one with the folders below."""
    place = f"{'recursive' if recursive else 'flat'} {os.fsencode(folder.resolve())!r}"
    return f"folder-{hashlib.sha256(place.encode()).hexdigest()[:12]}"


def photo_gallery(file: Path) -> Gallery:
    """Return one photograph of a person's own; ValueError where it cannot be read."""
    return _gallery("photo", "Your photo", "", [(printable(file.name), file)], {}, [], False)


def uploads_gallery(files: Sequence[tuple[str, bytes]], limit: int = MAX_UPLOADS) -> Gallery:
    """Return the photographs that a person sent, in their order, as names and contents.

    None is opened here: those that cannot be read are skipped when the gallery is indexed, which decodes each once.

    Raises:
        ValueError: more than `limit` files.
    """
    if len(files) > limit:
        raise ValueError(f"There are {len(files)} photos, but at most {limit} can be uploaded at once.")
    named: dict[str, bytes] = {}
    times: Counter[str] = Counter()
    for given, content in files:
        name = printable(given)
        key = name
        while key in named:
            times[name] += 1
            key = f"{name} ({times[name] + 1})"
        named[key] = content
    items = tuple(GalleryItem(key, key, (), None, "", None, "", None, content) for key, content in named.items())
    return Gallery(UPLOADS, "Your photos", "", items)


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
    items, others, reason = [], list[str](), ""
    for key, file in with_progress(named, "Looking at photos", progress):
        try:
            check_photo(file, key)
        except NoPhotoError as error:
            others, reason = [*others, key], str(error)
            continue
        except PhotoError as error:
            skipped.append(str(error))
            continue
        items.append(_item(key, captions, file))
    if others:
        skipped.append(reason if len(others) == 1 else f"{len(others)} files are no photos: {quoted(others)}.")
    if not items:
        reason = f" {skipped[0]}" if skipped else ""
        raise ValueError(f'"{title}" holds no photo that can be read.{reason}')
    return Gallery(name, title, note, tuple(items), tuple(skipped))


def quoted(names: Sequence[str], most: int = 3) -> str:
    """Return the first names in quotation marks, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f'"{name}"' for name in names[:most]) + more


def _files_below(folder: Path, recursive: bool) -> tuple[list[Path], list[str]]:
    """The files that may be photographs, sorted, and a sentence for each link out, each closed folder and what lies in
    folders that are not read."""
    root = folder.resolve()
    files: list[Path] = []
    closed: list[OSError] = []
    skipped = []
    for place, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if not recursive and folders:
            below = sorted(printable(name) for name in folders)
            skipped.append(f"Folders below are read with --recursive alone: {quoted(below)}.")
            folders[:] = []
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
    expected = f'{CAPTIONS_FILE} must be an object such as {{"photo.jpg": ["a caption", "another"]}}'
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_CAPTIONS_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{CAPTIONS_FILE} cannot be read ({error.strerror}): check whether it may be.") from error
    if len(content) > MAX_CAPTIONS_BYTES:
        raise ValueError(f"{CAPTIONS_FILE} is larger than {MAX_CAPTIONS_BYTES // 2**20} MB: leave captions out.")
    captions = read_json(content, CAPTIONS_FILE)
    if not isinstance(captions, dict):
        raise ValueError(f"{expected}, but it is a {type(captions).__name__}.")
    for name, texts in captions.items():
        if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
            raise ValueError(f'{expected}, but "{printable(name)}" has something else than a list of captions.')
        for text in (name, *texts):
            check_text(f'What {CAPTIONS_FILE} says of "{printable(name)}"', text)
    return {name: tuple(texts) for name, texts in captions.items()}

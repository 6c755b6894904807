"""Galleries of a user's pictures: a folder, and a session's own, which end with it."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from PIL import Image

from demo.galleries.gallery import Gallery, GalleryItem
from demo.galleries.reading.decoding import NoPhotoError, PhotoError
from demo.galleries.reading.paths import CAPTIONS_FILE, check_photos, printable
from demo.galleries.reading.photos import check_photo
from seps.common.checks import check_text, read_json
from seps.common.progress import Progress, with_progress
from seps.indexing.files import FolderFile, read_file_facts
from seps.media.heic import HEIC_REMEDY
from seps.media.listing import is_possible_photo
from seps.media.photos import HeicError

FOLDER = "folder"
UPLOADS = "uploads"  # name of the gallery of uploads
MAX_UPLOADS = 100
Source = TypeVar("Source", Path, bytes)
MAX_CAPTIONS_BYTES = 20 * 2**20  # bytes of captions.json

OWN_VIDEO = "own-video"  # the frames of a video that somebody sent
CAMERA = "camera"  # a frame of somebody's camera
DRAWN = "drawn"  # the pictures that the generator drew last
PERSONAL = (UPLOADS, OWN_VIDEO, CAMERA, DRAWN)
CREDIT = "drawn by the generator"


def folder_gallery(folder: Path, progress: Progress = False, recursive: bool = False) -> Gallery:
    """Create a gallery of every photograph in a folder, sorted, without hidden files and links out of it. Files are
    opened, not decoded: damaged ones are skipped when the gallery is indexed. captions.json, {"below/photo.jpg": ["a
    caption", ...]}, is optional. ValueError without a readable photograph, or for an invalid captions.json."""
    check_photos(folder)
    files, skipped = _files_below(folder, recursive)
    named = _named(folder, files)
    captions, note = _captions_for(folder, named)
    gallery = _gallery(FOLDER, _title(folder), note, named, captions, skipped, progress)
    return replace(gallery, table=table_name(folder, recursive))


def create_listed_gallery(folder: Path, recursive: bool = False) -> tuple[Gallery, list[FolderFile]]:
    """Create a gallery of every file in a folder that looks like a photograph, sorted, without decoding; ValueError
    without such a folder, or for an invalid captions.json."""
    check_photos(folder)
    files, skipped = _files_below(folder, recursive)
    named = _named(folder, [file for file in files if is_possible_photo(file)])
    listed = []
    for key, file in named:
        with suppress(OSError):  # deleted meanwhile, or a link that leads nowhere
            listed.append(read_file_facts(file, key))
    captions, note = _captions_for(folder, named)
    items = tuple(_item(file.path, captions, file.file) for file in listed)
    table = f"{table_name(folder, recursive)}-large"  # different from `folder_gallery`, which keeps every digit
    gallery = Gallery(FOLDER, _title(folder), note, items, tuple(skipped), table=table)
    return gallery, listed


def _named(folder: Path, files: Sequence[Path]) -> list[tuple[str, Path]]:
    """Assign a unique key to each file, even if names differ only in unprintable characters."""
    return _numbered((printable(file.relative_to(folder).as_posix()), file) for file in files)


def _numbered(named: Iterable[tuple[str, Source]]) -> list[tuple[str, Source]]:
    """Make names unique by appending (2) to the second, and so on."""
    keyed: dict[str, Source] = {}
    times: Counter[str] = Counter()
    for name, source in named:
        key = name
        while key in keyed:
            times[name] += 1
            key = f"{name} ({times[name] + 1})"
        keyed[key] = source
    return list(keyed.items())


def _title(folder: Path) -> str:
    return printable(folder.resolve().name) or printable(folder)


def _captions_for(folder: Path, named: Sequence[tuple[str, Path]]) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Return the captions of captions.json, and a note on captions of missing photographs."""
    captions = _read_captions(folder / CAPTIONS_FILE)
    unknown = sorted(set(captions) - {name for name, _ in named})
    if not unknown:
        return captions, ""
    which = f'"{unknown[0]}"' + (f" and {len(unknown) - 1} more" if len(unknown) > 1 else "")
    return captions, f"{CAPTIONS_FILE} has captions for {which}, which the folder does not hold."


def _item(key: str, captions: Mapping[str, tuple[str, ...]], file: Path) -> GalleryItem:
    return GalleryItem(key, key, captions.get(key, ()), None, "", None, "", None, file)


def table_name(folder: Path, recursive: bool) -> str:
    """Return the name of a folder's table in the cache; it depends on `recursive`."""
    place = f"{'recursive' if recursive else 'flat'} {os.fsencode(folder.resolve())!r}"
    return f"folder-{hashlib.sha256(place.encode()).hexdigest()[:12]}"


def photo_gallery(file: Path) -> Gallery:
    """Create a gallery of one photograph; ValueError if it cannot be read."""
    return _gallery("photo", "Your photo", "", [(printable(file.name), file)], {}, [], False)


def uploads_gallery(files: Sequence[tuple[str, bytes]], limit: int = MAX_UPLOADS) -> Gallery:
    """Create a gallery of uploaded photographs, given as names and contents, in order; ValueError for more than
    `limit`. They are decoded, and unreadable ones skipped, when the gallery is indexed."""
    if len(files) > limit:
        raise ValueError(f"There are {len(files)} photos, but at most {limit} can be uploaded at once.")
    named = _numbered((printable(given), content) for given, content in files)
    items = tuple(GalleryItem(key, key, (), None, "", None, "", None, content) for key, content in named)
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
    """Create a gallery of the files that open as photographs; ValueError if none does."""
    items, others, heic, reason = [], list[str](), list[str](), ""
    for key, file in with_progress(named, "Looking at photos", progress):
        try:
            check_photo(file, key)
        except NoPhotoError as error:
            others, reason = [*others, key], str(error)
            continue
        except HeicError as error:
            heic.append(str(error))
            continue
        except PhotoError as error:
            skipped.append(str(error))
            continue
        items.append(_item(key, captions, file))
    if others:
        skipped.append(reason if len(others) == 1 else f"{len(others)} files are no photos: {quoted(others)}.")
    if heic:
        several = f"{len(heic)} HEIC photos need the package pillow-heif: {HEIC_REMEDY}."
        skipped.insert(0, heic[0] if len(heic) == 1 else several)
    if not items:
        reason = f" {skipped[0]}" if skipped else ""
        raise ValueError(f'"{title}" holds no photo that can be read.{reason}')
    return Gallery(name, title, note, tuple(items), tuple(skipped))


def quoted(names: Sequence[str], most: int = 3) -> str:
    """Quote the first names and say how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f'"{name}"' for name in names[:most]) + more


def _files_below(folder: Path, recursive: bool) -> tuple[list[Path], list[str]]:
    """List the possible photographs, sorted, and a sentence for each link out, unreadable folder and skipped
    subfolder."""
    root = folder.resolve()
    files: list[Path] = []
    closed: list[OSError] = []
    skipped = []
    for place, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if not recursive and folders:
            below = sorted(printable(name) for name in folders)
            skipped.append(f"Subfolders are read only with --recursive: {quoted(below)}.")
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
    """Return the captions of captions.json by photograph, {} without such a file."""
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
    return {printable(name): tuple(texts) for name, texts in captions.items()}


def create_drawn_gallery(pictures: Sequence[Image.Image], seeds: Sequence[int]) -> Gallery:
    """Create a gallery of the pictures in order, with their seeds as keys."""
    items = tuple(
        GalleryItem(str(seed), f"seed {seed}", (), None, "", None, CREDIT, None, picture.copy)
        for picture, seed in zip(pictures, seeds, strict=True)
    )
    return Gallery(DRAWN, "Drawn pictures", "", items, noun="pictures")

"""A folder with a `manifest.json` of photographs and captions: one split, named after the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seps.checks import read_json, shown
from seps.data.lookup import FilesBelow
from seps.data.problems import MISSING, UNREADABLE, Problems, read_text

MANIFEST = "manifest.json"
ENTRIES = "Entries that are no photograph with a file and k captions"


def manifest_split(folder: Path) -> str | None:
    """Return the name of the split of a folder with a manifest; None for other folders."""
    return folder.resolve().name if (folder / MANIFEST).is_file() else None


def read_manifest(
    folder: Path, captions_per_image: int, images: Path, problems: Problems
) -> tuple[list[str], list[Path], list[str]]:
    """Read a manifest, a list of objects with "file" and "captions", and optionally "id" (default: the file name).

    Returns:
        Ids and files of the photographs, (V) each, and their captions, (V * k).
    """
    ids: list[str] = []
    files: list[Path] = []
    captions: list[str] = []
    text = read_text(folder / MANIFEST, problems)
    try:
        entries: Any = [] if text is None else read_json(text, MANIFEST)
    except ValueError as error:
        problems.add(UNREADABLE, str(error))
        return ids, files, captions
    if not isinstance(entries, list) or not entries:
        problems.add(UNREADABLE, f"{MANIFEST} holds no list of photographs")
        return ids, files, captions
    below = FilesBelow(images)
    for number, entry in enumerate(entries, start=1):
        values = entry if isinstance(entry, dict) else {}
        name, texts = values.get("file"), captions_of(values, captions_per_image)
        if not isinstance(name, str) or texts is None:
            problems.add(ENTRIES, f"entry {number}: {shown(name)} with {shown(values.get('captions'))}")
        elif (file := below.find(name)) is None:
            problems.add(MISSING, f"{name} (entry {number}) in {images}")
        else:
            ids.append(str(values.get("id", name)))
            files.append(file)
            captions += texts
    return ids, files, captions


def captions_of(entry: dict[str, Any], count: int) -> list[str] | None:
    """Return an entry's captions, so many; None where it has others, or an empty one."""
    captions = entry.get("captions")
    if not isinstance(captions, list) or len(captions) != count:
        return None
    texts = [text.strip() for text in captions if isinstance(text, str)]
    return texts if len(texts) == count and all(texts) else None

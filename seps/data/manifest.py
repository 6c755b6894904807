"""A folder with `images/` and a `manifest.json`, a list of photographs with k captions or with one label each."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seps.common.checks import read_json, shown
from seps.data.lookup import IMAGES, FilesBelow
from seps.data.problems import MISSING, UNREADABLE, Problems, read_text

MANIFEST = "manifest.json"
UNCAPTIONED = "Entries that are no photograph with a file and k captions"
UNLABELLED = "Entries that are no photograph with a file and a label"
VOWELS = "aeiou"


def manifest_split(folder: Path) -> str | None:
    """Return the name of the split of a folder with a manifest, the folder's; None for other folders."""
    return folder.resolve().name if (folder / MANIFEST).is_file() else None


def read_entries(folder: Path, problems: Problems) -> list[Any]:
    """Return the entries of a manifest; none and a noted problem if it is no list of them."""
    text = read_text(folder / MANIFEST, problems)
    if text is None:
        return []
    try:
        entries = read_json(text, MANIFEST)
    except ValueError as error:
        problems.add(UNREADABLE, str(error))
        return []
    if isinstance(entries, list) and entries:
        return entries
    problems.add(UNREADABLE, f"{MANIFEST} holds no list of photographs")
    return []


def read_manifest(
    folder: Path, captions_per_image: int, images: Path, problems: Problems
) -> tuple[list[str], list[Path], list[str]]:
    """Read a manifest: ids and files of the photographs, (V) each, and their captions, (V * k)."""
    ids: list[str] = []
    files: list[Path] = []
    captions: list[str] = []
    below = FilesBelow(images)
    for number, entry in enumerate(read_entries(folder, problems), start=1):
        values = entry if isinstance(entry, dict) else {}
        name, given = values.get("file"), values.get("captions")
        texts = given if isinstance(given, list) and len(given) == captions_per_image else [""]
        if not isinstance(name, str) or not all(isinstance(text, str) and text.strip() for text in texts):
            problems.add(UNCAPTIONED, f"entry {number}: {shown(name)} with {shown(given)}")
        elif (file := below.find(name)) is None:
            problems.add(MISSING, f"{name} (entry {number}) in {images}")
        else:
            ids.append(str(values.get("id", name)))
            files.append(file)
            captions += [text.strip() for text in texts]
    return ids, files, captions


@dataclass(frozen=True)
class Labelled:
    """Photographs with one name each: V files, the T distinct names, and of each photograph its name's number (V,)."""

    files: tuple[Path, ...]
    names: tuple[str, ...]
    labels: tuple[int, ...]


def read_labelled(folder: Path) -> Labelled:
    """Read a manifest, a list of objects with "file" and "label"; a DataError lists all that is wrong with it."""
    problems = Problems(f"Labelled photographs of {folder}")
    files, labels = [], []
    for number, entry in enumerate(read_entries(folder, problems), start=1):
        values = entry if isinstance(entry, dict) else {}
        name, label = values.get("file"), values.get("label")
        if not isinstance(name, str) or not isinstance(label, str) or not label.strip():
            problems.add(UNLABELLED, f"entry {number}: {shown(name)} with {shown(label)}")
        elif not (folder / IMAGES / name).is_file():
            problems.add(MISSING, f"{name} (entry {number}) in {folder / IMAGES}")
        else:
            files.append(folder / IMAGES / name)
            labels.append(label.strip())
    problems.raise_any()
    names = tuple(dict.fromkeys(labels))
    return Labelled(tuple(files), names, tuple(names.index(label) for label in labels))


def class_caption(name: str) -> str:
    """Return the caption of a class's name: "a photo of a gondola", and "an" before the letter of a vowel."""
    return f"a photo of {'an' if name[0].lower() in VOWELS else 'a'} {name}"

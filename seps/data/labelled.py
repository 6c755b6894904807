"""Photographs with one name each: a folder with `images/` and `manifest.json`, objects with "file" and "label"."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from seps.checks import read_json_file, shown
from seps.data.problems import MISSING, Problems

MANIFEST = "manifest.json"
ENTRIES = "Entries that are no photograph with a file and a label"
VOWELS = "aeiou"


@dataclass(frozen=True)
class Labelled:
    """Photographs with one name each: V files, the T distinct names, and of each photograph its name's number (V,)."""

    files: tuple[Path, ...]
    names: tuple[str, ...]
    labels: tuple[int, ...]


def read_labelled(folder: Path) -> Labelled:
    """Read a folder with `images/` and `manifest.json`.

    Raises:
        ValueError: a missing file or no JSON list; a DataError lists entries without file or label and missing images.
    """
    entries = read_json_file(folder / MANIFEST)
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{folder / MANIFEST} holds no list of photographs, but objects with a file and a label.")
    problems = Problems(f"Labelled photographs of {folder}")
    files, labels = [], []
    for number, entry in enumerate(entries, start=1):
        values = entry if isinstance(entry, dict) else {}
        name, label = values.get("file"), values.get("label")
        if not isinstance(name, str) or not isinstance(label, str) or not label.strip():
            problems.add(ENTRIES, f"entry {number}: {shown(name)} with {shown(label)}")
        elif not (folder / "images" / name).is_file():
            problems.add(MISSING, f"{name} (entry {number}) in {folder / 'images'}")
        else:
            files.append(folder / "images" / name)
            labels.append(label.strip())
    problems.raise_any()
    names = tuple(dict.fromkeys(labels))
    return Labelled(tuple(files), names, tuple(names.index(label) for label in labels))


def class_caption(name: str) -> str:
    """Return the caption of a class's name: "a photo of a gondola", and "an" before the letter of a vowel."""
    return f"a photo of {'an' if name[0].lower() in VOWELS else 'a'} {name}"

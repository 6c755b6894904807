"""A folder with `images/` and a `manifest.json`, a list of photographs with k captions or with one label each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seps.common.checks import read_json, shown
from seps.data.lookup import IMAGES, FilesBelow
from seps.data.problems import MISSING, UNREADABLE, Problems, is_text, read_text

MANIFEST = "manifest.json"
UNFIT = "Entries that are no photograph with a file and"


def manifest_split(folder: Path) -> str | None:
    """Return the name of the split of a folder with a manifest, the folder's; None for other folders."""
    return folder.resolve().name if (folder / MANIFEST).is_file() else None


def read_photographs(
    folder: Path, images: Path, key: str, wanted: str, is_valid: Callable[[Any], bool], problems: Problems
) -> Iterator[tuple[Path, Any, Any]]:
    """Yield file, id and value of `key` of each photograph of a manifest; entries that do not fit are noted."""
    text = read_text(folder / MANIFEST, problems)
    if text is None:
        return
    try:
        entries = read_json(text, MANIFEST)
    except ValueError as error:
        problems.add(UNREADABLE, str(error))
        return
    if not isinstance(entries, list) or not entries:
        problems.add(UNREADABLE, f"{MANIFEST} holds no list of photographs")
        return
    below = FilesBelow(images)
    for number, entry in enumerate(entries, start=1):
        values = entry if isinstance(entry, dict) else {}
        name, value = values.get("file"), values.get(key)
        if not isinstance(name, str) or not is_valid(value):
            problems.add(f"{UNFIT} {wanted}", f"entry {number}: {shown(name)} with {shown(value)}")
        elif (file := below.find(name)) is None:
            problems.add(MISSING, f"{name} (entry {number}) in {images}")
        else:
            yield file, values.get("id", name), value


def read_manifest(
    folder: Path, captions_per_image: int, images: Path, problems: Problems
) -> tuple[list[str], list[Path], list[str]]:
    """Read a manifest: ids and files of the photographs, (V) each, and their captions, (V * k)."""

    def are_captions(texts: Any) -> bool:
        return isinstance(texts, list) and len(texts) == captions_per_image and all(map(is_text, texts))

    rows = list(read_photographs(folder, images, "captions", "k captions", are_captions, problems))
    captions = [text.strip() for _, _, texts in rows for text in texts]
    return [str(image_id) for _, image_id, _ in rows], [file for file, _, _ in rows], captions


@dataclass(frozen=True)
class Labelled:
    """Photographs with one name each: V files, the T distinct names, and of each photograph its name's number (V,)."""

    files: tuple[Path, ...]
    names: tuple[str, ...]
    labels: tuple[int, ...]


def read_labelled(folder: Path) -> Labelled:
    """Read a manifest, a list of objects with "file" and "label"; a DataError lists all that is wrong with it."""
    problems = Problems(f"Labelled photographs of {folder}")
    rows = list(read_photographs(folder, folder / IMAGES, "label", "a label", is_text, problems))
    problems.raise_any()
    labels = [label.strip() for _, _, label in rows]
    names = tuple(dict.fromkeys(labels))
    return Labelled(tuple(file for file, _, _ in rows), names, tuple(map(names.index, labels)))


def class_caption(name: str) -> str:
    """Return the caption of a class's name: "a photo of a gondola", and "an" before the letter of a vowel."""
    return f"a photo of {'an' if name[0].lower() in 'aeiou' else 'a'} {name}"

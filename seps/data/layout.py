"""The authors' layout of captions and images, read and checked whole before anything else starts.

A folder holds for each split `{split}_caps.txt`, one caption a line, `{split}_ids.txt`, the image id of each of
these lines, and where dense captions were written `{split}_dense.jsonl`, one {"text": "..."} a line; for all splits,
`id_mapping.json` from image id to file name, and the files in `images/`. The captions of an image stand together,
k an image.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from seps.checks import check_whole, shown
from seps.data.problems import MISSING, UNREADABLE, DataError, Problems, parse_object, read_lines, read_text

PROTOCOLS = ("none", "own", "other")

EMPTY = "Lines without text: write some, or take the line out"
COUNTS = "Counts that do not fit"
GROUPS = "Images whose captions are not k lines in a row"
UNMAPPED = "Image ids without a file name in id_mapping.json"
ABSENT = "Files missing from images/: put them there, or take their captions and ids out"
DENSE = "Dense captions that are not one JSON object with a text a line"


@dataclass(frozen=True)
class Split:
    """V images with k captions each: caption j belongs to image j // k.

    Attributes:
        name: "train", "dev", ...
        folder: where it was read.
        image_ids: (V), as `{split}_ids.txt` writes them.
        image_files: (V), their paths.
        captions: (V * k), in the order of the images.
        captions_per_image: k.
        dense: dense captions, (V) one an image or (V * k) one a caption; None where the split has none.
    """

    name: str
    folder: Path
    image_ids: tuple[str, ...]
    image_files: tuple[Path, ...]
    captions: tuple[str, ...]
    captions_per_image: int
    dense: tuple[str, ...] | None


def read_split(folder: str | Path, split: str, captions_per_image: int = 5) -> Split:
    """Read a split and check all of it but the inside of its image files.

    Args:
        folder: holds the files of the layout above.
        split: the split's name, with which its files' names begin.
        captions_per_image: k; 5 in Flickr8k, Flickr30K and MS-COCO.

    Raises:
        DataError: no such folder; or one that lists files missing or not readable, empty lines, counts that do not
            fit, images without exactly k captions in a row, ids without a file name, missing image files, and dense
            captions that are not a JSON object with a "text".
        ValueError: captions_per_image is not a whole number of at least 1.
    """
    check_whole("captions_per_image", captions_per_image)
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(f"The folder {folder} does not exist: give the folder with captions and images.")
    problems = Problems(f"Split {split} of {folder}, which has {_splits_in(folder)}")
    captions = read_lines(folder / f"{split}_caps.txt", problems)
    lines = read_caption_lines(folder, split, problems)
    names = read_names(folder, lines, problems)
    _check_captions(split, captions, lines, problems)
    _check_groups(lines, captions_per_image, problems)
    _check_files(folder / "images", names, problems)
    dense = _read_dense(folder / f"{split}_dense.jsonl", len(lines), captions_per_image, problems)
    problems.raise_any()
    files = tuple(folder / "images" / name for name in names.values())
    return Split(split, folder, tuple(lines), files, tuple(captions or ()), captions_per_image, dense)


def read_caption_lines(folder: Path, split: str, problems: Problems) -> dict[str, list[int]]:
    """The numbers, from 1, of each image id's caption lines, in the order of the images."""
    ids = read_lines(folder / f"{split}_ids.txt", problems)
    lines: dict[str, list[int]] = {}
    for number, image_id in enumerate(ids or (), start=1):
        lines.setdefault(image_id, []).append(number)
    for number in lines.get("", ()):
        problems.add(EMPTY, f"line {number} of {split}_ids.txt")
    return lines


def read_names(folder: Path, image_ids: Iterable[str], problems: Problems) -> dict[str, str]:
    """The file name in images/ of each id that has one, in the order of the ids."""
    path = folder / "id_mapping.json"
    text = read_text(path, problems)
    if text is None:
        return {}
    try:
        mapping = parse_object(text, path.name)
    except ValueError as error:
        problems.add(UNREADABLE, str(error))
        return {}
    names: dict[str, str] = {}
    for image_id in image_ids:
        name = mapping.get(image_id)
        if isinstance(name, str) and name:
            names[image_id] = name
        elif image_id:
            problems.add(
                UNMAPPED, f"id {image_id}" if name is None else f"id {image_id}: {shown(name)} is not a file name"
            )
    return names


def dense_captions(split: Split, protocol: str) -> list[str] | None:
    """The dense caption that each caption comes with.

    Args:
        split: V images, k captions each.
        protocol: "none"; "own", the dense caption of the caption's image or, where the split has none, the image's
            other captions joined; "other", the same of the next image, the last image taking the first's.

    Returns:
        (V * k), one a caption; None for "none".

    Raises:
        ValueError: another protocol; "other" with fewer than 2 images; a split without dense captions that has no
            other captions to join, k being 1.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol is {protocol!r}, but it must be one of {', '.join(PROTOCOLS)}.")
    if protocol == "none":
        return None
    k = split.captions_per_image
    if split.dense is None:
        own = _join_others(split)
    elif len(split.dense) == len(split.captions):
        own = list(split.dense)
    else:
        own = [text for text in split.dense for _ in range(k)]
    if protocol == "own":
        return own
    if len(split.image_ids) < 2:
        raise ValueError(f"split {split.name} has {len(split.image_ids)} image, but protocol 'other' needs at least 2.")
    return own[k:] + own[:k]


def _join_others(split: Split) -> list[str]:
    k = split.captions_per_image
    if k < 2:
        raise ValueError(
            f"split {split.name} has no dense captions, and with {k} caption an image there are 0 others to join: "
            f"write {split.name}_dense.jsonl, or choose protocol 'none'."
        )
    joined = []
    for j in range(len(split.captions)):
        first = j - j % k
        joined.append(" ".join(split.captions[i] for i in range(first, first + k) if i != j))
    return joined


def _splits_in(folder: Path) -> str:
    return ", ".join(sorted(path.name.removesuffix("_caps.txt") for path in folder.glob("*_caps.txt"))) or "no split"


def _check_captions(split: str, captions: list[str] | None, lines: Mapping[str, list[int]], problems: Problems) -> None:
    if captions is None:
        return
    ids = sum(len(numbers) for numbers in lines.values())
    if not captions:
        problems.add(COUNTS, f"{split}_caps.txt has 0 captions, but at least 1 is needed")
    elif ids and len(captions) != ids:
        problems.add(COUNTS, f"{split}_caps.txt has {len(captions)} captions, but {split}_ids.txt has {ids} ids")
    for number, caption in enumerate(captions, start=1):
        if not caption:
            problems.add(EMPTY, f"line {number} of {split}_caps.txt")


def _check_groups(lines: Mapping[str, list[int]], k: int, problems: Problems) -> None:
    for image_id, numbers in lines.items():
        first, last = numbers[0], numbers[-1]
        if image_id and not len(numbers) == k == last - first + 1:
            where = f"between lines {first} and {last}" if last > first else f"on line {first}"
            problems.add(GROUPS, f"id {image_id}: {len(numbers)} {where}, but {k} in a row are needed")


def _check_files(images: Path, names: Mapping[str, str], problems: Problems) -> None:
    """One listing a folder in the place of a look at each file: quick on network drives too."""
    if not images.is_dir():
        problems.add(MISSING, "images/")
        return
    present: dict[Path, set[str]] = {}
    for image_id, name in names.items():
        file = images / name
        if file.parent not in present:
            present[file.parent] = _files_in(file.parent)
        if file.name not in present[file.parent]:
            problems.add(ABSENT, f"{name} (id {image_id})")


def _files_in(folder: Path) -> set[str]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if entry.is_file()}
    except (OSError, ValueError):  # ValueError: a name that no folder can have
        return set()


def _read_dense(path: Path, images: int, k: int, problems: Problems) -> tuple[str, ...] | None:
    if not path.exists():
        return None
    lines = read_lines(path, problems) or []
    if images and len(lines) not in (images, images * k):
        needed = f"{images} (one an image) or {images * k} (one a caption) are needed"
        problems.add(COUNTS, f"{path.name} has {len(lines)} lines, but {needed}")
    texts = []
    for number, line in enumerate(lines, start=1):
        try:
            text = parse_object(line, f"line {number}").get("text")
        except ValueError as error:
            problems.add(DENSE, str(error))
            continue
        if isinstance(text, str) and text.strip():
            texts.append(text.strip())
        else:
            problems.add(DENSE, f"line {number}: its text is {shown(text)}")
    return tuple(texts)

"""Duplicate images within or across splits, by id or bytes; they would inflate results."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

from seps.common.numbers import amount
from seps.data.layout import Split

SAMPLED = 4096  # bytes in the middle of a file, which differ for nearly all files of equal size
NAMED = 5  # images that a sentence names


def same_files(files: Sequence[Path]) -> list[list[int]]:
    """Return groups of positions of files with the same bytes; files are read only where sizes and a sample agree."""
    groups = [list(range(len(files)))]
    for key in (lambda file: file.stat().st_size, sample, lambda file: hashlib.sha256(file.read_bytes()).digest()):
        groups = [part for group in groups for part in divide_group(group, files, key)]
    return sorted(groups)


def divide_group(group: Sequence[int], files: Sequence[Path], key: Callable[[Path], Hashable]) -> list[list[int]]:
    """Divide a group by a value of its files; each file is read once, and groups of one are left out."""
    value = cache(key)
    parts: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place in group:
        parts[value(files[place])].append(place)
    return [part for part in parts.values() if len(part) > 1]


def sample(file: Path) -> bytes:
    """Return a few bytes from the middle of a file."""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - SAMPLED) // 2)
        return stream.read(SAMPLED)


def same_pairs(files: Sequence[Path], owners: Sequence[str]) -> list[tuple[int, int]]:
    """Pair each file with the first identical file of the same split and of every other split: i before j."""
    pairs = []
    for group in same_files(files):
        firsts: dict[str, int] = {}
        for i in group:
            firsts.setdefault(owners[i], i)
        for i in group:
            first = firsts[owners[i]]
            pairs += [(first, i)] if i != first else []
            pairs += [(i, j) for owner, j in firsts.items() if owner != owners[i] and i < j]
    return sorted(pairs)


def overlap_notes(*splits: Split) -> list[str]:
    """Say which images splits share, by id and by content, and which ones a split has twice: sentences, or none."""
    flatters = "what is measured there flatters, take out one of the two"
    notes = []
    for first, second in combinations(splits, 2):
        if ids := sorted(set(first.image_ids) & set(second.image_ids)):
            notes.append(f"{counted(ids, first.name)} in {second.name} too (id {listed(ids)}): {flatters}.")
    owners = [(split.name, image_id) for split in splits for image_id in split.image_ids]
    pairs: defaultdict[tuple[str, str], list[str]] = defaultdict(list)  # names of splits to ids
    for i, j in same_pairs([file for split in splits for file in split.image_files], [name for name, _ in owners]):
        (first_split, first_id), (second_split, second_id) = owners[i], owners[j]
        if first_id != second_id:
            pairs[first_split, second_split].append(f"{first_id} and {second_id}")
    for (name, other), ids in pairs.items():
        place, remedy = f"in {other} too", flatters
        if name == other:
            place, remedy = "twice", "a caption of the one counts as wrong for the other, take one of them out"
        notes.append(f"{counted(ids, name)} {place}, under another id ({listed(ids)}): {remedy}.")
    return notes


def counted(ids: Sequence[str], split: str) -> str:
    """Return the beginning of a note: "2 images of train are"."""
    return f"{amount(len(ids), 'image')} of {split} {'is' if len(ids) == 1 else 'are'}"


def listed(names: Iterable[str]) -> str:
    """Return the first few names, and how many more there are."""
    every = list(names)
    return ", ".join(every[:NAMED]) + (f" and {len(every) - NAMED} more" if len(every) > NAMED else "")

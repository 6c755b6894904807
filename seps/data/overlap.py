"""Duplicate images within or across splits, by id or bytes; they would inflate results."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations
from pathlib import Path

from seps.common.numbers import amount
from seps.data.layout import Split

SAMPLED = 4096  # bytes in the middle of a file, which differ for nearly all files of equal size
NAMED = 5  # images that a sentence names


def same_files(files: Sequence[Path]) -> list[list[int]]:
    """Return groups of positions of files with the same bytes; whole files are read only if size and a sample agree."""
    groups = [list(range(len(files)))]
    for key in (lambda file: file.stat().st_size, sample, digest):
        groups = [part for group in groups for part in divide_group(group, files, key)]
    return sorted(groups)


def divide_group(group: Sequence[int], files: Sequence[Path], key: Callable[[Path], Hashable]) -> list[list[int]]:
    """Divide a group by a value of its files; each file is asked once, and groups of one are left out."""
    values: dict[Path, Hashable] = {}
    parts: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place in group:
        file = files[place]
        if file not in values:
            values[file] = key(file)
        parts[values[file]].append(place)
    return [part for part in parts.values() if len(part) > 1]


def sample(file: Path) -> bytes:
    """Return a few bytes from the middle of a file."""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - SAMPLED) // 2)
        return stream.read(SAMPLED)


def digest(file: Path) -> bytes:
    """sha256 of a file's bytes."""
    return hashlib.sha256(file.read_bytes()).digest()


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
    notes = []
    for first, second in combinations(splits, 2):
        if ids := sorted(set(first.image_ids) & set(second.image_ids)):
            many, verb = f"{amount(len(ids), 'image')} of {first.name}", "is" if len(ids) == 1 else "are"
            notes.append(
                f"{many} {verb} in {second.name} too (id {listed(ids)}): what is measured there flatters, take out one "
                "of the two."
            )
    owners = [(split.name, image_id) for split in splits for image_id in split.image_ids]
    pairs: defaultdict[tuple[str, str], list[str]] = defaultdict(list)  # names of splits to ids
    files = [file for split in splits for file in split.image_files]
    for i, j in same_pairs(files, [name for name, _ in owners]):
        (first_split, first_id), (second_split, second_id) = owners[i], owners[j]
        if first_id != second_id:
            pairs[first_split, second_split].append(f"{first_id} and {second_id}")
    for (first_split, second_split), ids in pairs.items():
        remedy = (
            "a caption of the one counts as wrong for the other, take one of them out"
            if first_split == second_split
            else "what is measured there flatters, take out one of the two"
        )
        place = "twice" if first_split == second_split else f"in {second_split} too"
        verb = "is" if len(ids) == 1 else "are"
        many = f"{amount(len(ids), 'image')} of {first_split}"
        notes.append(f"{many} {verb} {place}, under another id ({listed(ids)}): {remedy}.")
    return notes


def listed(names: Iterable[str]) -> str:
    """Return the first few names, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more

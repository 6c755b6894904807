"""The authors' layout of captions and images, read and checked whole before anything else starts.

A folder holds for each split `{split}_caps.txt`, one caption a line, and `{split}_ids.txt`; for all splits
`id_mapping.json`, from image id to file name, and `images/`; optionally `{split}_dense.jsonl`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seps.common.checks import check_whole, shown
from seps.data.lookup import IMAGES, FilesBelow
from seps.data.manifest import manifest_split, read_manifest
from seps.data.problems import (
    MISSING,
    UNREADABLE,
    DataError,
    Problems,
    is_text,
    parse_object,
    parse_objects,
    read_lines,
    read_text,
)
from seps.data.sources import USUAL, find_images, read_caption_file, split_name

PROTOCOLS = ("none", "own", "other")
FLICKR30K = "flickr30k-images"  # in the folder of images, as Flickr30K is unpacked

EMPTY = "Lines without text: write some, or take the line out"
COUNTS = "Counts that do not fit"
GROUPS = "Images without k consecutive caption lines"
UNMAPPED = "Image ids without a file name in id_mapping.json"
ABSENT = "Files missing from {}: put them there, or take their captions and ids out"
SEVERAL = "Several files of dense captions: keep one"
DENSE = "Dense captions that are not one JSON object with a text a line"
CAPTION_FILES = "Caption files, as they are downloaded: name one in the folder's place, or convert it"
DOWNLOADED = ("dataset_*.json", "captions_*.json", "*.csv")
NO_TEXT = {"nan", "null", "none", "n/a"}  # what a table writes for an empty cell


@dataclass(frozen=True)
class Split:
    """V images with k captions each: caption j belongs to image j // k.

    Attributes:
        image_ids, image_files: (V,), each id once.
        captions: (V * k), in the order of the images; captions_per_image: k.
        dense: (V) dense captions, one per image, or (V * k), one per caption; None without any.
        notes: sentences about captions that look wrong.
    """

    name: str
    folder: Path
    image_ids: tuple[str, ...]
    image_files: tuple[Path, ...]
    captions: tuple[str, ...]
    captions_per_image: int
    dense: tuple[str, ...] | None
    notes: tuple[str, ...] = ()


def read_split(
    folder: str | Path, split: str, captions_per_image: int | None = None, images: str | Path | None = None
) -> Split:
    """Read a split and check everything except the content of its image files; a DataError lists all problems.

    Args:
        folder: folder in the layout above, or a caption file, see `seps.data.sources`.
        split: prefix of the split's files, or the name of a folder with a manifest.
        captions_per_image: k. None: as many as every image has if there is one id per caption, else 5.
        images: folder of the image files, at any depth for a caption file; default: `folder/images`.
    """
    if captions_per_image is not None:
        check_whole("captions_per_image", captions_per_image)
    folder = Path(folder)
    if not folder.exists():
        raise DataError(f"The folder {folder} does not exist: give the folder with captions and images.")
    if images is not None and not Path(images).is_dir():
        raise DataError(f"The folder {images} does not exist: give the folder with the image files.")
    if folder.is_file():
        return _read_file(folder, split, captions_per_image, Path(images or folder.parent))
    problems = Problems(f"Split {split} of {folder}, which has {_splits_in(folder)}")
    if split == manifest_split(folder):
        k = captions_per_image or USUAL
        ids, paths, texts = read_manifest(folder, k, Path(images or folder / IMAGES), problems)
        problems.raise_any()
        return Split(split, folder, tuple(ids), tuple(paths), tuple(texts), k, None)
    lines = read_lines(folder / f"{split}_caps.txt", problems)
    for file in sorted(file for name in DOWNLOADED for file in folder.glob(name)) if lines is None else ():
        problems.add(CAPTION_FILES, f"{file.name}: python -m seps.data.convert {file} --to DIR")
    captions = lines or []
    ids = read_ids(folder, split, problems)
    counts = set(Counter(ids).values())
    k = captions_per_image or (counts.pop() if len(ids) == len(captions) and len(counts) == 1 else USUAL)
    numbers = caption_lines(ids, len(captions), k)
    names = read_names(folder, numbers, problems)
    if lines is not None:
        _check_captions(split, lines, len(ids), k, problems)
    for image_id, group in numbers.items():
        if image_id and not len(group) == k == group[-1] - group[0] + 1:
            where = f"between lines {group[0]} and {group[-1]}" if group[-1] > group[0] else f"on line {group[0]}"
            problems.add(GROUPS, f"id {image_id}: {len(group)} {where}, but {k} in a row are needed")
    files = _find_files(folder, images, names, problems)
    dense = _read_dense(folder, split, len(numbers), k, problems)
    problems.raise_any()
    notes = split_notes(f"{split}_caps.txt", captions, k)
    return Split(split, folder, tuple(numbers), tuple(files), tuple(captions), k, dense, notes)


def sole_split(folder: Path) -> str | None:
    """Return the name of the only split of a caption file or of a folder with a manifest; None for all others."""
    if not folder.is_file():
        return manifest_split(folder)
    splits = read_caption_file(folder, Problems("")).splits
    return next(iter(splits)) if len(splits) == 1 else None


def _read_file(file: Path, split: str, k: int | None, images: Path) -> Split:
    """A split of a downloaded caption file."""
    problems = Problems(f"Split {split} of {file}")
    source = read_caption_file(file, problems, k)
    photos = source.splits.get(split_name(split))
    if photos is None:
        problems.raise_any()
        there = ", ".join(sorted(source.splits))
        dev = max(1, min(1000, sum(map(len, source.splits.values())) // 10))
        hint = f"; python -m seps.data.convert {file} --to DIR --dev {dev} makes train and dev of it"
        raise DataError(f"{file} has no split {split}, but {there}{hint if len(source.splits) == 1 else ''}.")
    files = find_images(photos, images, problems)
    problems.raise_any()
    captions = tuple(caption for photo in photos for caption in photo.captions)
    ids, k = tuple(photo.id for photo in photos), source.captions_per_image
    notes = (*source.notes, *split_notes(file.name, captions, k))
    return Split(split, file, ids, tuple(files), captions, k, None, notes)


def split_notes(file: str, captions: Sequence[str], k: int) -> tuple[str, ...]:
    """Say what is odd of captions that can be read: sentences, none where nothing is."""
    empty = sum(caption.lower() in NO_TEXT for caption in captions)
    if empty:
        return (
            f"{empty} of {len(captions)} captions of {file} are 'nan' or the like, as a table writes an empty cell: "
            "write captions, or take these lines out.",
        )
    if len(captions) > k and len(set(captions)) == 1:
        return (f"All {len(captions)} captions of {file} are {shown(captions[0])}: none identifies an image.",)
    return ()


def read_ids(folder: Path, split: str, problems: Problems) -> list[str]:
    """Return the image ids of `{split}_ids.txt`, one a caption or one an image; lines without any are noted."""
    ids = read_lines(folder / f"{split}_ids.txt", problems) or []
    for number, image_id in enumerate(ids, start=1):
        if not image_id:
            problems.add(EMPTY, f"line {number} of {split}_ids.txt")
    return ids


def caption_lines(ids: Sequence[str], captions: int, k: int) -> dict[str, list[int]]:
    """Return for each image id the numbers of its caption lines, from 1, in the order of the images."""
    one_an_image = len(ids) * k == captions or (len(ids) != captions and len(set(ids)) == len(ids))
    width = k if one_an_image else 1
    lines: dict[str, list[int]] = {}
    for number, image_id in enumerate(ids):
        lines.setdefault(image_id, []).extend(range(number * width + 1, (number + 1) * width + 1))
    return lines


def read_names(folder: Path, image_ids: Iterable[str], problems: Problems) -> dict[str, str]:
    """Return the name of each id's image file, folders in it included, for the ids that have one, in their order."""
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
            problems.add(UNMAPPED, f"id {image_id}" + ("" if name is None else f": {shown(name)} is not a file name"))
    return names


def dense_captions(split: Split, protocol: str) -> list[str] | None:
    """Return the dense caption of each caption, (V * k): "own", the image's, or else its other captions joined;
    "other", the next image's, cyclically; None for "none"."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol is {protocol!r}, but it must be one of {', '.join(PROTOCOLS)}.")
    if protocol == "none":
        return None
    k = split.captions_per_image
    if split.dense is None:
        dense = _join_others(split)
    elif len(split.dense) == len(split.captions):
        dense = list(split.dense)
    else:
        dense = [text for text in split.dense for _ in range(k)]
    if protocol == "own":
        return dense
    if len(split.image_ids) < 2:
        raise ValueError(f"split {split.name} has {len(split.image_ids)} image, but protocol 'other' needs at least 2.")
    return dense[k:] + dense[:k]


def no_dense(split: Split) -> str:
    """Say in a clause, without a full stop, that a split has no dense captions, and where they were looked for."""
    tried = f", neither {split.name}_dense.jsonl nor DATASET_{split.name}.jsonl"
    return f"Split {split.name} of {split.folder} has no dense captions{'' if split.folder.is_file() else tried}"


def find_dense_file(folder: Path, split: str) -> Path | None:
    """Return `{split}_dense.jsonl`, else `{dataset}_{split}.jsonl`."""
    for named in (folder / f"{split}_dense.jsonl", folder / f"{folder.resolve().name}_{split}.jsonl"):
        if named.exists():
            return named
    theirs = sorted(path for path in folder.iterdir() if path.name.endswith(f"_{split}.jsonl"))
    if len(theirs) > 1:
        raise ValueError(", ".join(path.name for path in theirs))
    return next(iter(theirs), None)


def _join_others(split: Split) -> list[str]:
    k = split.captions_per_image
    if k < 2:
        raise ValueError(
            f"split {split.name} has no dense captions, and with {k} caption an image there are 0 others to join: "
            f"write {split.name}_dense.jsonl, or choose protocol 'none'."
        )
    groups = [range(j - j % k, j - j % k + k) for j in range(len(split.captions))]
    return [" ".join(split.captions[i] for i in group if i != j) for j, group in enumerate(groups)]


def _splits_in(folder: Path) -> str:
    names = sorted(path.name.removesuffix("_caps.txt") for path in folder.glob("*_caps.txt"))
    listed = manifest_split(folder)
    return ", ".join(names if listed is None else [*names, listed]) or "no split"


def _check_captions(split: str, captions: Sequence[str], ids: int, k: int, problems: Problems) -> None:
    if not captions:
        problems.add(COUNTS, f"{split}_caps.txt has 0 captions, but at least 1 is needed")
    elif ids and len(captions) not in (ids, ids * k):
        counts = f"{split}_caps.txt has {len(captions)} captions, but {split}_ids.txt has {ids} ids"
        problems.add(COUNTS, f"{counts}, neither one a caption nor one an image")
    for number, caption in enumerate(captions, start=1):
        if not caption:
            problems.add(EMPTY, f"line {number} of {split}_caps.txt")


def _find_files(folder: Path, images: str | Path | None, names: Mapping[str, str], problems: Problems) -> list[Path]:
    """Return the files of these names, in the folder of images or of Flickr30K in it; missing ones are noted."""
    root = folder / IMAGES if images is None else Path(images)
    if not root.is_dir():
        problems.add(MISSING, f"{IMAGES}/ (where the images lie elsewhere: --images FOLDER)")
        return []
    files = list(map(FilesBelow(root).find, names.values()))
    if images is not None and None in files and (root / FLICKR30K).is_dir():
        there = list(map(FilesBelow(root / FLICKR30K).find, names.values()))
        if there.count(None) < files.count(None):
            root, files = root / FLICKR30K, there
    for (image_id, name), file in zip(names.items(), files, strict=True):
        if file is None:
            problems.add(ABSENT.format(f"{IMAGES}/" if images is None else root), f"{name} (id {image_id})")
    return [file for file in files if file is not None]


def _read_dense(folder: Path, split: str, images: int, k: int, problems: Problems) -> tuple[str, ...] | None:
    try:
        path = find_dense_file(folder, split)
    except ValueError as error:
        problems.add(SEVERAL, str(error))
        return None
    if path is None:
        return None
    lines = read_lines(path, problems) or []
    if images and len(lines) not in (images, images * k):
        needed = f"{images} (one an image) or {images * k} (one a caption) are needed"
        problems.add(COUNTS, f"{path.name} has {len(lines)} lines, but {needed}")
    texts = []
    for number, record in parse_objects(lines, DENSE, problems):
        text = record.get("text")
        if is_text(text):
            texts.append(text.strip())
        else:
            problems.add(DENSE, f"line {number}: its text is {shown(text)}")
    return tuple(texts)

"""Read downloaded caption files as splits; the format is detected from the content.

| kind | detected by |
|---|---|
| COCO | JSON with "images" and "annotations", as captions_val2014.json or captions_train2017.json |
| Karpathy | JSON with "images" that have "sentences", as dataset_coco.json; splits are kept, restval goes to train |
| table | CSV (commas, semicolons, tabs or bars) with headings for file and caption, and for split where it has one |
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from seps.common.checks import shown
from seps.common.numbers import amount
from seps.data.caption_rows import WHOLE, Row, read_rows
from seps.data.lookup import FilesBelow
from seps.data.problems import UNREADABLE, Problems

USUAL = 5  # captions an image, in Flickr8k, Flickr30K and MS-COCO
SAME = {"val": "dev", "valid": "dev", "validation": "dev", "minival": "dev", "restval": "train"}
SAME |= {"training": "train", "testing": "test", "train": "train", "dev": "dev", "test": "test", WHOLE: WHOLE}
PLAIN = re.compile(r"[\w-]+")  # what a split may be called: files are named by it
COCO_PHOTO = re.compile(r"(?:COCO_(?:train|val)2014_)?(\d{12}\.jpg)")  # only files of 2014 have the year's prefix

SPLITS = "Splits with an invalid file name"
BOTH = "Images in two splits: keep them in one"
ABSENT = "Image files that are not below {}: put them there, or take their captions out"
AMBIGUOUS = "Image files of which several lie below {}: name them with their folder"
FEW = (
    "Images with fewer captions than {k}: write some, take them out, or take {least} of each with "
    "python -m seps.data.convert --captions-per-image {least}"
)


@dataclass
class Photograph:
    """An image of a caption file: its id, its file's name and its captions, in the file's order."""

    id: str
    file: str
    captions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CaptionFile:
    """The content of a caption file: photographs by split, k captions per image, and notes."""

    splits: dict[str, list[Photograph]]
    captions_per_image: int
    notes: tuple[str, ...]


def read_caption_file(file: Path, problems: Problems, captions_per_image: int | None = None) -> CaptionFile:
    """Read a caption file, its images in the order in which they come; `problems` notes all that is wrong."""
    try:
        rows = read_rows(file, problems)
    except (OSError, ValueError) as error:
        problems.add(UNREADABLE, f"{file.name}: {str(error).removeprefix(f'{file} ')}")
        return CaptionFile({}, captions_per_image or USUAL, ())
    splits, renamed = _grouped(file, rows, problems)
    if not rows and not problems.kinds:
        problems.add(UNREADABLE, f"{file.name} has no caption")
    counts = Counter(len(photo.captions) for photo in chain(*splits.values()))
    k = captions_per_image or (next(iter(counts)) if len(counts) == 1 else min(USUAL, max(counts, default=USUAL)))
    notes = [f"{file.name} calls {old} what is {new} here." for old, new in renamed.items()]
    longer = sum(number for count, number in counts.items() if count > k)
    if longer:
        more, first = amount(k, "caption"), "first" if k == 1 else f"first {k}"
        notes.append(f"{amount(longer, 'image')} of {file.name} with more than {more}: the {first} of each are taken.")
    few = FEW.format(k=k, least=min(counts, default=k))
    for photo in chain(*splits.values()):
        if len(photo.captions) < k:
            problems.add(few, f"{photo.file}: {len(photo.captions)}")
        del photo.captions[k:]
    return CaptionFile(splits, k, tuple(notes))


def split_name(name: str) -> str:
    """Return the name that a split has here: val and validation are dev, restval is train, in capitals or not."""
    return SAME.get(name.strip().lower(), name)


def find_images(photos: Sequence[Photograph], root: Path, problems: Problems) -> list[Path]:
    """Return the files of photographs anywhere below a folder; missing files and duplicates are noted."""
    below, files = FilesBelow(root, anywhere=True), []
    for photo in photos:
        matches, number = below.matches(photo.file), COCO_PHOTO.fullmatch(photo.file.rpartition("/")[2])
        if not matches and number:  # the photograph may have its name of the other year
            names = [f"{prefix}{number[1]}" for prefix in ("", "COCO_train2014_", "COCO_val2014_")]
            matches = [file for name in names for file in below.matches(name)]
        if len(matches) == 1:
            files.append(matches[0])
        else:
            problems.add((AMBIGUOUS if matches else ABSENT).format(root), photo.file)
    return files


def _grouped(file: Path, rows: Sequence[Row], problems: Problems) -> tuple[dict[str, list[Photograph]], dict[str, str]]:
    """Rows as photographs by split, and the splits that are called otherwise here."""
    renamed, homes = dict[str, str](), dict[str, str]()
    splits, refused = dict[str, dict[str, Photograph]](), dict[tuple[str, str], None]()
    for written, image_id, name, caption in rows:
        split = split_name(written)
        if split != written.strip().lower():
            renamed[written] = split
        if not PLAIN.fullmatch(split):
            refused[SPLITS, f"{file.name}: {shown(written)}"] = None
        elif homes.setdefault(image_id, split) != split:
            refused[BOTH, f"{name} in {homes[image_id]} and {split}"] = None
        else:
            photo = splits.setdefault(split, {}).setdefault(image_id, Photograph(image_id, name))
            photo.captions.append(" ".join(caption.split()))
    for kind, problem in refused:
        problems.add(kind, problem)
    return {split: list(photos.values()) for split, photos in splits.items()}, renamed

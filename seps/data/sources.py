"""Caption files as data sets are downloaded, read as splits: which kind a file is, it tells by itself.

| kind | what tells it |
|---|---|
| COCO | JSON with "images" and "annotations", as captions_val2014.json or captions_train2017.json |
| Karpathy | JSON with "images" that have "sentences", as dataset_coco.json; splits are kept, restval goes to train |
| list | JSON list of objects with a file and a caption, or several |
| table | CSV with headings for file and caption, and for split where it has one |
| lines | a file name and a caption a line, see `seps.data.named_captions`: Flickr8k.token.txt, results.csv |

Lists of file names beside a table or lines, as Flickr_8k.trainImages.txt, tell their splits; images that no list names
are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from seps.checks import read_json, read_json_file, shown
from seps.data.lookup import FilesBelow
from seps.data.named_captions import named_captions
from seps.data.problems import UNREADABLE, Problems, read_lines
from seps.data.table import read_table
from seps.numbers import amount

USUAL = 5  # captions an image, in Flickr8k, Flickr30K and MS-COCO
WHOLE = "all"  # the split of a file that names none
UNLISTED = ""  # of images that no list names
SAME = {"val": "dev", "valid": "dev", "validation": "dev", "restval": "train", "minival": "dev"}
PLAIN = re.compile(r"[\w-]+")  # what a split may be called: files are named by it
COCO_NAME = re.compile(r"(?:^|_)(train|val|test|minival)\d*(?:_|$)")
LISTS = {"train": "*trainImages.txt", "dev": "*devImages.txt", "test": "*testImages.txt"}
FILE_HEADINGS = ("image", "image_name", "filename", "file_name", "file", "filepath", "image_path", "path", "photo")
CAPTION_HEADINGS = ("caption", "captions", "comment", "sentence", "text", "raw", "title")

ENTRIES = "Entries without a file name or a caption"
STRAY = "Captions of images that the file does not list"
FEW = "Images with fewer captions than the {} of the others: write some, or take the image out"
SPLITS = "Splits whose name no file can have"
BOTH = "Images in two splits: keep them in one"
ABSENT = "Image files that are not below {}: put them there, or take their captions out"
AMBIGUOUS = "Image files of which several lie below {}: name them with their folder"
KINDS = (
    "it is none of the caption files that are known: COCO's or Karpathy's JSON, a JSON list of objects with a file and "
    "a caption, a CSV with the headings image and caption, or lines of a file name and a caption"
)


@dataclass
class Photograph:
    """An image of a caption file: its id, its file's name and its captions, in the file's order."""

    id: str
    file: str
    captions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CaptionFile:
    """What a caption file holds.

    Attributes:
        kind: COCO, Karpathy, list, table or lines.
        splits: of each split's name its photographs, V of them with k captions each.
        captions_per_image: k.
        notes: sentences for people: what was taken otherwise than it stands.
    """

    kind: str
    splits: dict[str, list[Photograph]]
    captions_per_image: int
    notes: tuple[str, ...]


Row = tuple[str, str, str, str]  # split, id, file, caption


def read_caption_file(file: Path, problems: Problems, captions_per_image: int | None = None) -> CaptionFile:
    """Read a caption file, its images in the order in which they come.

    Args:
        file: of one of the kinds above; problems: notes all that is wrong.
        captions_per_image: k: of more the first k are taken. None: as many as every image has, else 5.
    """
    try:
        kind, rows = _read_json(file, problems) if file.suffix.lower() == ".json" else _read_text(file, problems)
    except (OSError, ValueError) as error:
        problems.add(UNREADABLE, f"{file.name}: {str(error).removeprefix(f'{file} ')}")
        return CaptionFile("", {}, captions_per_image or USUAL, ())
    listed = [row for row in rows if row[0] != UNLISTED]
    splits, renamed = _grouped(file, listed, problems)
    counts = Counter(len(photo.captions) for photos in splits.values() for photo in photos)
    k = captions_per_image or (next(iter(counts)) if len(counts) == 1 else USUAL)
    notes = [f"{file.name} calls {old} what is {new} here." for old, new in renamed.items()]
    unlisted = len({row[1] for row in rows if row[0] == UNLISTED})
    if unlisted:
        notes.append(f"{amount(unlisted, 'image')} of {file.name} in none of the lists of splits beside it: left out.")
    longer = sum(number for count, number in counts.items() if count > k)
    if longer:
        more = f"{amount(longer, 'image')} of {file.name} with more than {k} captions"
        notes.append(f"{more}: the first {k} of each are taken.")
    for photo in (photo for photos in splits.values() for photo in photos):
        if len(photo.captions) < k:
            problems.add(FEW.format(k), f"{photo.file}: {len(photo.captions)}")
        del photo.captions[k:]
    return CaptionFile(kind, splits, k, tuple(notes))


def split_name(name: str) -> str:
    """The name that a split has here: val and validation are dev, restval is train."""
    return SAME.get(name, name)


def find_images(photos: Sequence[Photograph], root: Path, problems: Problems) -> list[Path]:
    """The files of photographs anywhere below a folder; those that are not there, or twice, are noted."""
    below, files = FilesBelow(root, anywhere=True), []
    for photo in photos:
        matches = below.matches(photo.file)
        if len(matches) == 1:
            files.append(matches[0])
        else:
            problems.add((AMBIGUOUS if matches else ABSENT).format(root), photo.file)
    return files


def _grouped(file: Path, rows: Sequence[Row], problems: Problems) -> tuple[dict[str, list[Photograph]], dict[str, str]]:
    """Rows as photographs by split, and the splits that are called otherwise here."""
    renamed, splits = dict[str, str](), dict[str, dict[str, Photograph]]()
    homes = dict[str, str]()
    for written, image_id, name, caption in rows:
        split = split_name(written)
        if split != written:
            renamed[written] = split
        if not PLAIN.fullmatch(split):
            problems.add(SPLITS, f"{file.name}: {shown(written)}")
        elif homes.setdefault(image_id, split) != split:
            problems.add(BOTH, f"{name} in {homes[image_id]} and {split}")
        else:
            photo = splits.setdefault(split, {}).setdefault(image_id, Photograph(image_id, name))
            photo.captions.append(" ".join(caption.split()))
    if not rows and not problems.kinds:
        problems.add(UNREADABLE, f"{file.name} has no caption")
    return {split: list(photos.values()) for split, photos in splits.items()}, renamed


def _read_json(file: Path, problems: Problems) -> tuple[str, list[Row]]:
    content: Any = read_json_file(file)
    images = content.get("images") if isinstance(content, dict) else content
    if not isinstance(images, list):
        raise ValueError(KINDS)
    if isinstance(content, dict) and isinstance(content.get("annotations"), list):
        return "COCO", _coco(file, images, content["annotations"], problems)
    kind = "Karpathy" if isinstance(content, dict) else "list"
    rows = []
    for number, entry in enumerate(images, start=1):
        taken = list(_entry_rows(file, entry if isinstance(entry, dict) else {}))
        rows += taken
        if not taken:
            problems.add(ENTRIES, f"{file.name}, entry {number}: {shown(entry)}")
    return kind, rows


def _coco(file: Path, images: Sequence[Any], annotations: Sequence[Any], problems: Problems) -> list[Row]:
    split = split_of_name(file)
    names = {image.get("id"): image.get("file_name") for image in images if isinstance(image, dict)}
    rows = []
    for number, entry in enumerate(annotations, start=1):
        values = entry if isinstance(entry, dict) else {}
        image_id, caption = values.get("image_id"), values.get("caption")
        name = names.get(image_id) if isinstance(image_id, int | str) else None
        if not isinstance(caption, str) or not caption.strip():
            problems.add(ENTRIES, f"{file.name}, annotation {number}: {shown(caption)}")
        elif not isinstance(name, str) or not name:
            problems.add(STRAY, f"{file.name}, annotation {number}: image_id {shown(image_id)}")
        else:
            rows.append((split, str(image_id), name, caption))
    captioned = {row[1] for row in rows}
    for image_id, name in names.items():
        if str(image_id) not in captioned:
            problems.add(ENTRIES, f"{file.name}, image {shown(image_id)} ({shown(name)}): no caption")
    return rows


def split_of_name(file: Path) -> str:
    """The split that a caption file's name tells, as captions_val2014.json does; "all" where it tells none."""
    match = COCO_NAME.search(file.stem)
    return match[1] if match else WHOLE


def _entry_rows(file: Path, entry: Mapping[str, Any]) -> Iterator[Row]:
    """The captions of an entry of Karpathy's file, or of a list; none where file or captions lack."""
    name = next((entry[key] for key in FILE_HEADINGS if isinstance(entry.get(key), str) and key != "filepath"), None)
    folder = entry.get("filepath")
    sentences = next((entry[key] for key in ("sentences", *CAPTION_HEADINGS) if key in entry), None)
    texts = [text.get("raw") if isinstance(text, dict) else text for text in _listed(sentences)]
    if not name or not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        return
    path = str(PurePosixPath(folder, name)) if isinstance(folder, str) and folder else name
    split = entry.get("split")
    for text in texts:
        yield split if isinstance(split, str) else split_of_name(file), str(entry.get("cocoid", path)), path, str(text)


def _listed(value: Any) -> list[Any]:
    """A list as it is, and as a table's cell has it; anything else as its only entry."""
    if isinstance(value, str) and value.startswith('["'):
        try:
            value = read_json(value, "a cell")
        except ValueError:
            return [value]
    return value if isinstance(value, list) else [value]


def _read_text(file: Path, problems: Problems) -> tuple[str, list[Row]]:
    try:
        headings, cells = read_table(file)
    except ValueError:
        headings, cells = (), []
    known = {name.lower(): name for name in headings}
    name_heading = next((known[name] for name in FILE_HEADINGS if name in known), None)
    caption_heading = next((known[name] for name in CAPTION_HEADINGS if name in known), None)
    if name_heading is None or caption_heading is None:
        return "lines", _read_lines(file, problems)
    parts, rows = _lists_beside(file, problems), []
    for line, row in cells:
        name, texts = row[name_heading], _listed(row[caption_heading])
        if not name or not all(isinstance(text, str) and text.strip() for text in texts):
            problems.add(ENTRIES, f"{file.name}, line {line}: {shown(row[caption_heading])} of {shown(name)}")
            continue
        split = (row[known["split"]] or WHOLE) if "split" in known else parts.get(name, UNLISTED if parts else WHOLE)
        rows += [(split, name, name, text) for text in texts]
    return "table", rows


def _read_lines(file: Path, problems: Problems) -> list[Row]:
    lines = read_lines(file, problems) or []
    named = named_captions(lines)
    if named is None:
        raise ValueError(KINDS)
    parts, rows = _lists_beside(file, problems), []
    for number, (name, caption) in enumerate(zip(named.names, named.captions, strict=True), start=named.first):
        if name and caption:
            rows.append((parts.get(name, UNLISTED if parts else WHOLE), name, name, caption))
        else:
            problems.add(ENTRIES, f"{file.name}, line {number}: {shown(lines[number - 1])}")
    return rows


def _lists_beside(file: Path, problems: Problems) -> dict[str, str]:
    """The split of each file name that the lists beside a caption file have."""
    parts = dict[str, str]()
    for split, pattern in LISTS.items():
        for listing in sorted(file.parent.glob(pattern)):
            parts.update((name, split) for name in read_lines(listing, problems) or () if name)
    return parts

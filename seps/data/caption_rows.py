"""The rows of a caption file, a split, an id, a file name and a caption each, whichever kind it is."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from seps.common.checks import read_json, read_json_file, read_utf8, shown
from seps.data.problems import Problems, is_text
from seps.data.table import first_line, parse_table

WHOLE = "all"  # the split of a file that names none
BETWEEN = ",;\t|"  # the marks that cells of a table may have between them
SPLIT_WORD = re.compile(r"(?<![a-z])(train|val|valid|validation|dev|test|minival)(?:20\d\d)?(?![a-z0-9])")
FILE_HEADINGS = (
    *("image", "image_name", "filename", "file_name", "file", "filepath", "image_path", "path", "photo", "picture"),
    *("img", "img_name", "image_file", "image_filename", "image_file_name", "images"),
)
CAPTION_HEADINGS = (
    *("caption", "captions", "comment", "sentence", "text", "raw", "title"),
    *("comments", "sentences", "description", "caption_text"),
)
PACKED = {  # how files begin that hold a caption file, or are a table of another program
    b"\x1f\x8b": "it is packed with gzip: unpack it with gunzip",
    b"PK\x03\x04": "it is a zip archive, or a table of Excel: unpack it and give a file in it, or save it as CSV",
    b"PAR1": "it is a Parquet table: save it as CSV",
    b"\x89HDF": "it is an HDF5 file: save its captions as CSV",
}

ENTRIES = "Entries without a file name or a caption"
STRAY = "Captions of images that the file does not list"
KINDS = (
    "it is none of the caption files that are known: COCO's or Karpathy's JSON, or a CSV with the headings image and "
    "caption"
)

Row = tuple[str, str, str, str]  # split, id, file, caption


def read_rows(file: Path, problems: Problems) -> list[Row]:
    """Read a caption file's rows, in the file's order; ValueError with a clause for an unknown kind of file."""
    with file.open("rb") as stream:
        head = stream.read(4)
    packed = next((reason for begin, reason in PACKED.items() if head.startswith(begin)), None)
    if packed:
        raise ValueError(packed)
    if file.suffix.lower() == ".json":
        return _json_rows(file, read_json_file(file), problems)
    return _text_rows(file, read_utf8(file.read_bytes()), problems)


def split_of_name(file: Path) -> str:
    """Return the split in a caption file's name, such as captions_val2014.json; "all" for none or two."""
    words = set(SPLIT_WORD.findall(file.stem.lower()))
    return words.pop() if len(words) == 1 else WHOLE


def _json_rows(file: Path, content: Any, problems: Problems) -> list[Row]:
    images = content.get("images") if isinstance(content, dict) else None
    if not isinstance(images, list):
        raise ValueError(KINDS)
    annotations = content.get("annotations")
    if isinstance(annotations, list):
        return _coco(file, images, annotations, problems)
    if images and not any(isinstance(entry, dict) and "sentences" in entry for entry in images):
        raise ValueError("none of its images has captions: give the file with the captions")
    split, rows = split_of_name(file), list[Row]()
    for number, entry in enumerate(images, start=1):
        values = entry if isinstance(entry, dict) else {}
        names = (values.get(key) for key in FILE_HEADINGS if key != "filepath")  # which is a folder
        name, texts = next((name for name in names if isinstance(name, str)), None), _texts(values)
        if name and texts and all(map(is_text, texts)):
            folder, named = values.get("filepath"), values.get("split")
            path = str(PurePosixPath(folder, name)) if is_text(folder) else name
            image_id = str(values.get("cocoid", path))
            rows += [(named if is_text(named) else split, image_id, path, text) for text in texts]
        else:
            problems.add(ENTRIES, f"{file.name}, entry {number}: {shown(texts)} of {shown(name)}")
    return rows


def _coco(file: Path, images: Sequence[Any], annotations: Sequence[Any], problems: Problems) -> list[Row]:
    if annotations and not any(isinstance(entry, dict) and "caption" in entry for entry in annotations):
        raise ValueError("its annotations are no captions: COCO's are in captions_train2017.json and the like")
    split = split_of_name(file)
    entries = [image for image in images if isinstance(image, dict) and isinstance(image.get("id"), int | str)]
    names = {image["id"]: image.get("file_name") for image in entries}
    rows = []
    for number, entry in enumerate(annotations, start=1):
        values = entry if isinstance(entry, dict) else {}
        image_id, caption = values.get("image_id"), values.get("caption")
        name = names.get(image_id) if isinstance(image_id, int | str) else None
        if not is_text(caption):
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


def _texts(entry: Mapping[str, Any]) -> list[Any]:
    """Return the captions of an entry: the raw text or, if missing, the tokens."""

    def text_of(text: Any) -> Any:
        return text.get("raw", " ".join(map(str, text.get("tokens", ())))) if isinstance(text, dict) else text

    return list(map(text_of, _listed(entry.get("sentences"))))


def _listed(value: Any) -> list[Any]:
    """Return a list, also from a table cell; wrap any other value in a list."""
    if isinstance(value, str) and value.startswith('["'):
        try:
            value = read_json(value, "a cell")
        except ValueError:
            return [value]
    return value if isinstance(value, list) else [value]


def _text_rows(file: Path, text: str, problems: Problems) -> list[Row]:
    """The rows of a table with headings for file and caption."""
    head = first_line(text)
    mark = max(BETWEEN, key=head.count)
    headings = [_plain(name) for name in head.split(mark)]
    name_heading = next((name for name in FILE_HEADINGS if name in headings), None)
    caption_heading = next((name for name in CAPTION_HEADINGS if name in headings), None)
    if name_heading is None or caption_heading is None:
        headless = "captions: call one caption" if name_heading else "file names: call one image"
        known = name_heading or caption_heading
        raise ValueError(f"none of its headings, {', '.join(headings)}, is of {headless}" if known else KINDS)
    names, cells = parse_table(text, mark)
    written = {_plain(name): name for name in names}
    whole, rows = split_of_name(file), list[Row]()
    for line, row in cells:
        name, texts = row[written[name_heading]], _listed(row[written[caption_heading]])
        if name and all(map(is_text, texts)):
            split = (row[written["split"]] or WHOLE) if "split" in written else whole
            rows += [(split, name, name, text) for text in texts]
        else:
            problems.add(ENTRIES, f"{file.name}, line {line}: {shown(row[written[caption_heading]])} of {shown(name)}")
    return rows


def _plain(heading: str) -> str:
    """A heading in small letters, with underscores for what is no letter: " Image Name" is image_name."""
    return re.sub(r"\W+", "_", heading.lower()).strip("_")

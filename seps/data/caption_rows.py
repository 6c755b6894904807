"""The rows of a caption file, a split, an id, a file name and a caption each, whichever kind it is.

The table in `seps.data.sources`, which turns the rows into photographs, lists the formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from seps.checks import read_json, read_json_file, read_utf8, shown
from seps.data.named_captions import named_captions
from seps.data.problems import LINE_END, Problems, read_lines
from seps.data.table import first_line, parse_table

WHOLE = "all"  # the split of a file that names none
UNLISTED = ""  # of images that no list names
BETWEEN = ",;\t"  # the marks that cells of a table may have between them
SPLIT_WORD = re.compile(r"(?<![a-z])(train|val|valid|validation|dev|test|minival)(?:20\d\d)?(?![a-z0-9])")
LISTS = {"train": "*trainImages.txt", "dev": "*devImages.txt", "test": "*testImages.txt"}
FILE_HEADINGS = (
    *("image", "image_name", "filename", "file_name", "file", "filepath", "image_path", "path", "photo", "picture"),
    *("img", "img_name", "image_file", "image_filename", "image_file_name", "images"),
)
CAPTION_HEADINGS = (
    *("caption", "captions", "comment", "sentence", "text", "raw", "title"),
    *("comments", "sentences", "description", "caption_text"),
)
NUMBERS = ("comment_number", "caption_number", "number")  # headings of a caption's number
PACKED = {  # how files begin that hold a caption file, or are a table of another program
    b"\x1f\x8b": "it is packed with gzip: unpack it with gunzip",
    b"PK\x03\x04": "it is a zip archive, or a table of Excel: unpack it and give a file in it, or save it as CSV",
    b"PAR1": "it is a Parquet table: save it as CSV",
    b"\x89HDF": "it is an HDF5 file: save its captions as CSV",
}

ENTRIES = "Entries without a file name or a caption"
STRAY = "Captions of images that the file does not list"
TWO_LISTS = "Images in two of the lists of splits: keep them in one"
KINDS = (
    "it is none of the caption files that are known: COCO's or Karpathy's JSON, a JSON list of objects with a file and "
    "a caption, a CSV with the headings image and caption, or lines of a file name and a caption"
)

Row = tuple[str, str, str, str]  # split, id, file, caption


def read_rows(file: Path, problems: Problems) -> tuple[str, list[Row]]:
    """Read a caption file's rows.

    Args:
        file: of one of the kinds; problems: notes entries that lack something.

    Returns:
        The kind, and the rows in the file's order.

    Raises:
        OSError: it cannot be read.
        ValueError: it is of no kind; a clause, which may begin with the file's path.
    """
    with file.open("rb") as stream:
        head = stream.read(4)
    for begin, sentence in PACKED.items():
        if head.startswith(begin):
            raise ValueError(sentence)
    ending = file.suffix.lower()
    if ending == ".json":
        return _json_rows(file, read_json_file(file), problems)
    if ending == ".jsonl":
        lines = LINE_END.split(read_utf8(file.read_bytes()))
        entries = [read_json(line, f"line {number}") for number, line in enumerate(lines, start=1) if line.strip()]
        return _json_rows(file, entries, problems)
    return _text_rows(file, read_utf8(file.read_bytes()), problems)


def split_of_name(file: Path) -> str:
    """Return the split in a caption file's name, such as captions_val2014.json; "all" if it contains none or
    two."""
    words = set(SPLIT_WORD.findall(file.stem.lower()))
    return words.pop() if len(words) == 1 else WHOLE


def _json_rows(file: Path, content: Any, problems: Problems) -> tuple[str, list[Row]]:
    images = content.get("images") if isinstance(content, dict) else content
    if not isinstance(images, list):
        raise ValueError(KINDS)
    annotations = content.get("annotations") if isinstance(content, dict) else None
    if isinstance(annotations, list):
        return "COCO", _coco(file, images, annotations, problems)
    if images and not any(_has_captions(entry) for entry in images):
        raise ValueError("none of its images has captions: give the file with the captions")
    kind = "Karpathy" if isinstance(content, dict) else "list"
    split, rows = split_of_name(file), list[Row]()
    for number, entry in enumerate(images, start=1):
        values = entry if isinstance(entry, dict) else {}
        name, texts = _name(values), _texts(values)
        if name and texts and all(isinstance(text, str) and text.strip() for text in texts):
            rows += _entry_rows(split, name, texts, values)
        else:
            problems.add(ENTRIES, f"{file.name}, entry {number}: {shown(texts)} of {shown(name)}")
    return kind, rows


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


def _has_captions(entry: object) -> bool:
    return isinstance(entry, dict) and any(key in entry for key in ("sentences", *CAPTION_HEADINGS))


def _name(entry: Mapping[str, Any]) -> str | None:
    """The file name of an entry of Karpathy's file, or of a list: "filepath" is a folder."""
    return next((entry[key] for key in FILE_HEADINGS if isinstance(entry.get(key), str) and key != "filepath"), None)


def _texts(entry: Mapping[str, Any]) -> list[Any]:
    """Return the captions of an entry: the raw text or, if missing, the tokens."""
    texts = _listed(next((entry[key] for key in ("sentences", *CAPTION_HEADINGS) if key in entry), None))
    return [
        text.get("raw", " ".join(map(str, text.get("tokens", ())))) if isinstance(text, dict) else text
        for text in texts
    ]


def _entry_rows(split: str, name: str, texts: Sequence[str], entry: Mapping[str, Any]) -> Iterator[Row]:
    """The rows of an entry, in its own split or, where it names none, in the file's."""
    folder, named = entry.get("filepath"), entry.get("split")
    path = str(PurePosixPath(folder, name)) if isinstance(folder, str) and folder else name
    for text in texts:
        yield named if isinstance(named, str) and named else split, str(entry.get("cocoid", path)), path, text


def _listed(value: Any) -> list[Any]:
    """Return a list, also from a table cell; wrap any other value in a list."""
    if isinstance(value, str) and value.startswith('["'):
        try:
            value = read_json(value, "a cell")
        except ValueError:
            return [value]
    return value if isinstance(value, list) else [value]


def _text_rows(file: Path, text: str, problems: Problems) -> tuple[str, list[Row]]:
    """The rows of a table or, where the text has no headings that are known, of lines."""
    head = first_line(text)
    mark = max(BETWEEN, key=head.count)
    headings = [_plain(name) for name in head.split(mark)]
    name_heading = next((name for name in FILE_HEADINGS if name in headings), None)
    caption_heading = next((name for name in CAPTION_HEADINGS if name in headings), None)
    if name_heading is None or caption_heading is None:
        rows = _line_rows(file, text, problems)
        if rows is None:
            headless = "captions: call one caption" if name_heading else "file names: call one image"
            known = name_heading or caption_heading
            raise ValueError(f"none of its headings, {', '.join(headings)}, is of {headless}" if known else KINDS)
        return "lines", rows
    try:
        names, cells = parse_table(text, mark)
    except ValueError:
        in_order = [name for name in headings if name not in NUMBERS] == [name_heading, caption_heading]
        rows = _line_rows(file, text, problems) if in_order else None  # captions with commas, to the line's end
        if rows is None:
            raise
        return "lines", rows
    return "table", _table_rows(file, {_plain(name): name for name in names}, cells, problems)


def _table_rows(
    file: Path,
    headings: Mapping[str, str],
    cells: Sequence[tuple[int, dict[str, str]]],
    problems: Problems,
) -> list[Row]:
    """The rows of a table of these headings, by how they are called in `FILE_HEADINGS` and the like."""
    name_heading, caption_heading = (
        next(headings[name] for name in known if name in headings) for known in (FILE_HEADINGS, CAPTION_HEADINGS)
    )
    splits, rows = _splits(file, problems), list[Row]()
    for line, row in cells:
        name, texts = row[name_heading], _listed(row[caption_heading])
        if name and all(isinstance(text, str) and text.strip() for text in texts):
            split = (row[headings["split"]] or WHOLE) if "split" in headings else splits(name)
            rows += [(split, name, name, text) for text in texts]
        else:
            problems.add(ENTRIES, f"{file.name}, line {line}: {shown(row[caption_heading])} of {shown(name)}")
    return rows


def _plain(heading: str) -> str:
    """A heading in small letters, with underscores for what is no letter: " Image Name" is image_name."""
    return re.sub(r"\W+", "_", heading.lower()).strip("_")


def _line_rows(file: Path, text: str, problems: Problems) -> list[Row] | None:
    """The rows of lines that begin with file names; None where they do not."""
    lines = [line.strip() for line in LINE_END.split(text)]
    named = named_captions(lines if lines[-1] else lines[:-1])
    if named is None:
        return None
    splits, rows = _splits(file, problems), list[Row]()
    for number, (name, caption) in enumerate(zip(named.names, named.captions, strict=True), start=named.first):
        if name and caption:
            rows.append((splits(name), name, name, caption))
        else:
            problems.add(ENTRIES, f"{file.name}, line {number}: {shown(lines[number - 1])}")
    return rows


def _splits(file: Path, problems: Problems) -> Callable[[str], str]:
    """Return the split of a file name: from the split list that contains it, else from the caption file."""
    parts, whole = dict[str, str](), split_of_name(file)
    for split, pattern in LISTS.items():
        for listing in sorted(file.parent.glob(pattern)):
            for name in read_lines(listing, problems) or ():
                if name and parts.setdefault(name, split) != split:
                    problems.add(TWO_LISTS, f"{name} in {parts[name]} and {split}")
    return lambda name: parts.get(name, UNLISTED) if parts else whole

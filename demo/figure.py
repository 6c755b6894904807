"""`python -m demo figure SPEC.json -o fig.pdf`: a figure for a paper from a JSON spec."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.drawing.formats import PICTURES, check_format
from demo.galleries.paths import check_photo_path
from seps.cli import check_output
from seps.numbers import written

if TYPE_CHECKING:
    from PIL import Image
    from torch import Tensor

    from demo.drawing.paper_figure import Panel, PanelRow
    from demo.service.retrieval import RetrievalService
    from seps import Explanation

WIDTHS = {"one column": 3.25, "two columns": 6.875}  # inches, of common templates
NARROWEST, WIDEST = 1.0, 20.0  # inches
SMALLEST, LARGEST = 5.0, 24.0  # points
MAX_ROWS, MAX_COLUMNS, MAX_PANELS = 20, 12, 120  # a row takes a second, a panel a fifth
LONGEST_TEXT = 5_000  # characters
CREDITS = ("below", "file", "none")
KEYS = ("rows", "layers", "captions", "layer", "model", "width", "font", "size", "credits", "note")
ROW_KEYS = ("photo", "gallery", "caption", "dense", "layers", "credit", "note")
ROW_TEXTS = tuple(name for name in ROW_KEYS if name != "layers")
PIECES = re.compile(r"piece:([0-9]{1,4})-([0-9]{1,4})")  # of one word


@dataclass(frozen=True)
class FigureRow:
    """A photograph's row.

    Attributes:
        photo: its file, or its name in a gallery that comes with the app, which is then named.
        caption, dense: if the columns are layers; layers: one per column; credit: author and licence.
    """

    photo: Path | str
    gallery: str = ""
    caption: str = ""
    dense: str = ""
    layers: tuple[str, ...] = ()
    credit: str = ""


@dataclass(frozen=True)
class FigureSpec:
    """The content of a figure.

    Attributes:
        rows: at least one, each with as many layers; captions: the columns where rows have no layers, each drawn with
            `layer`.
        model: as the command line takes it; width: in inches; font: serif or sans; size: in points.
        credits: below the figure, in a file next to it, or none.
    """

    rows: tuple[FigureRow, ...]
    captions: tuple[str, ...]
    layer: str
    model: str
    width: float
    font: str
    size: float
    credits: str


def read_spec(file: Path) -> FigureSpec:
    """Read a spec; photographs are named from its own folder.

    Raises:
        ValueError: no such file, no JSON, an unknown key, a value that cannot be used, or too many rows, columns or
            panels; the message names it.
    """
    from seps.checks import check_choice, check_keys, check_type, read_json_file

    values = read_json_file(file)
    check_type(f"{file.name}", values, dict)
    check_keys(file.name, values, ("rows",), KEYS)
    layers, captions = texts(values, "layers"), texts(values, "captions")
    for name, kind in (("layer", str), ("model", str), ("font", str), ("credits", str), ("note", str), ("rows", list)):
        check_type(name, values.get(name, kind()), kind)
    if not values["rows"]:
        raise ValueError("rows is empty: give at least one photograph.")
    check_count("rows", len(values["rows"]), MAX_ROWS)
    rows = tuple(
        read_row(row, number, file.parent, not captions, layers) for number, row in enumerate(values["rows"], start=1)
    )
    check_columns(rows, captions)
    check_choice("font", values.get("font", "serif"), ("serif", "sans"))
    check_choice("credits", values.get("credits", "below"), CREDITS)
    width = values.get("width", "one column")
    return FigureSpec(
        rows,
        captions,
        values.get("layer", "mask"),
        values.get("model", "photos"),
        number_of("width", WIDTHS.get(width, width) if isinstance(width, str) else width, NARROWEST, WIDEST),
        values.get("font", "serif"),
        number_of("size", values.get("size", 8), SMALLEST, LARGEST),
        values.get("credits", "below"),
    )


def check_columns(rows: Sequence[FigureRow], captions: Sequence[str]) -> None:
    """Raise ValueError for too many panels, rows of different lengths, or both layers and captions."""
    counts = {len(row.layers) for row in rows}
    if bool(captions) == (counts != {0}):
        raise ValueError("The columns are layers or captions: give a list of one of the two, layers or captions.")
    if len(counts) > 1:
        raise ValueError("The rows have different numbers of layers: give each row as many.")
    check_count("panels", len(rows) * max(*counts, len(captions)), MAX_PANELS)


def check_count(what: str, count: int, most: int) -> None:
    """Raise ValueError for more than so many rows, columns or panels."""
    if count > most:
        raise ValueError(f"The figure has {count} {what}, but at most {most} are drawn: make several figures.")


def read_row(value: Any, number: int, folder: Path, has_caption: bool, layers: tuple[str, ...]) -> FigureRow:
    """Read a row of a spec, with default layers; errors as `read_spec`."""
    from seps.checks import check_keys, check_type

    where = f"row {number}"
    check_type(where, value, dict)
    check_keys(where, value, ("photo", "caption") if has_caption else ("photo",), ROW_KEYS)
    for name in ROW_TEXTS:
        check_type(f"{where}: {name}", value.get(name, ""), str)
        if len(value.get(name, "")) > LONGEST_TEXT:
            raise ValueError(
                f"{where}: {name} has {len(value[name])} characters, but at most {LONGEST_TEXT} are drawn."
            )
    photo: Path | str = value["photo"]
    if not value.get("gallery"):
        photo = folder / photo
        try:
            check_photo_path(photo)
        except ValueError as error:
            raise ValueError(" ".join(filter(None, (str(error), value.get("note", ""))))) from error
    given = {name: value.get(name, "") for name in ("gallery", "caption", "dense", "credit")}
    return FigureRow(photo, layers=texts(value, "layers") or layers, **given)


def texts(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts of a spec; empty if left out."""
    given = values.get(name, [])
    if not isinstance(given, list) or not all(isinstance(text, str) and text.strip() for text in given):
        raise ValueError(f'{name} is no list of texts: give one such as ["mask", "word:2"].')
    check_count(f"columns ({name})", len(given), MAX_COLUMNS)
    return tuple(given)


def number_of(name: str, value: Any, low: float, high: float) -> float:
    """Return a number of a spec from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        names = f", or one of {', '.join(map(repr, WIDTHS))}" if name == "width" else ""
        raise ValueError(f"{name} is {value!r}, but a number from {low:g} to {high:g} is needed{names}.")
    return float(value)


def add_figure_command(commands: Any) -> None:
    """Give the program the command."""
    command = commands.add_parser("figure", help="draw a figure for a paper from a JSON file")
    command.add_argument("spec", type=Path, metavar="SPEC", help="what it shows, see assets/guide/figures.md")
    command.add_argument(
        "-o", "--output", type=Path, required=True, help=f"file; its ending says which: {', '.join(PICTURES)}"
    )


def check_figure(options: argparse.Namespace) -> None:
    """Validate the spec without a model; ValueError if invalid."""
    check_output(options.output)
    check_format(options.output.suffix.lstrip(".").lower(), PICTURES)
    if not options.spec.is_file():
        raise ValueError(f"The file {options.spec} does not exist: name a spec, see assets/guide/figures.md.")


def draw_figure(options: argparse.Namespace) -> None:
    """Draw the spec's figure and write it, with a file of credits if requested."""
    from demo.drawing.paper_figure import PRINTED, paper_figure
    from demo.drawing.render import render
    from demo.service.start import open_model

    spec = read_spec(options.spec)
    service = open_model(spec.model)
    rows = [panel_row(service, spec, row) for row in spec.rows]
    sources = list(dict.fromkeys(row.credit for row in spec.rows if row.credit))
    shown = sources if spec.credits == "below" else []
    figure = paper_figure(rows, spec.width, spec.size, spec.font, shown)
    options.output.write_bytes(render(figure, options.output.suffix.lstrip(".").lower(), PRINTED, strict=True))
    print(f"{options.output} is written: {written(spec.width, '.3f')} in wide, {len(rows)} x {len(rows[0].panels)}.")
    if spec.credits == "file" and sources:
        beside = options.output.with_suffix(".credits.txt")
        beside.write_text("\n".join(sources) + "\n", encoding="utf-8")
        print(f"{beside} is written.")


def panel_row(service: RetrievalService, spec: FigureSpec, row: FigureRow) -> PanelRow:
    """Return the panels of a photograph; ValueError for an invalid photograph, caption or layer."""
    from demo.drawing.paper_figure import PanelRow
    from demo.galleries.named import find_named_item
    from demo.galleries.photos import read_photo
    from demo.service.captions import read_caption

    read = read_photo(row.photo) if isinstance(row.photo, Path) else find_named_item(row.gallery, row.photo).read()
    photo = read.image
    if read.note:
        print(read.note, file=sys.stderr)
    patches = service.encode_photos([photo])[0]
    pairs = [(caption, spec.layer) for caption in spec.captions] or [(row.caption, layer) for layer in row.layers]
    readings = {caption: read_caption(service.model, caption).text for caption in dict(pairs)}
    dense = read_caption(service.model, row.dense, dense=True).text if row.dense else None
    records = {text: service.explain_embeddings(patches, photo, text, dense) for text in readings.values()}
    pair = (service, photo, patches, dense)
    panels = [
        panel(*pair, readings[caption], records[readings[caption]], name, caption if spec.captions else "")
        for caption, name in pairs
    ]
    return PanelRow(panels, "" if spec.captions else readings[row.caption])


def panel(
    service: RetrievalService,
    photo: Image.Image,
    patches: Tensor,
    dense: str | None,
    caption: str,
    record: Explanation,
    name: str,
    head: str,
) -> Panel:
    """Return one panel of a layer; `head` is its heading, by default the layer's name."""
    from demo.drawing.paper_figure import Panel
    from demo.record.layers import Layer
    from demo.record.spoken import layer_of_words
    from demo.record.table import TABLE
    from demo.service.measures import find_measure
    from demo.service.measuring import Pair, measure

    if pieces := PIECES.fullmatch(name):
        record, name = joined(record, int(pieces[1]), int(pieces[2])), f"piece:{pieces[1]}"
    layer = Layer.parse(layer_of_words(name, caption, service.model.tokenizer, record))
    if find_measure(layer.name) is not None:
        pair = Pair(service.model, record, patches, lambda: photo, caption, dense, encode=service.encode_in_turn)
        record = measure(layer.name, pair)
    layer.check(record)
    if layer.name == "tokens":
        raise ValueError("All tokens are too many for one panel: choose one, such as token:1.")
    return Panel(photo, record, layer, head or TABLE["name"].get(str(layer)) or layer.values(record).title)


def joined(record: Explanation, first: int, last: int) -> Explanation:
    """Return a record with word pieces `first` (from 1) to `last` joined into piece `first`: its text, and the
    mean of the pieces' maps, as the view Why shows a word. ValueError where the caption has not so many pieces."""
    from demo.record.table import counted

    alignment = record.sparse_alignment
    count = len(alignment.words) - 2  # without [CLS] and [SEP]
    if not 1 <= first <= last <= count:
        raise ValueError(
            f"The caption has {counted(count, 'word piece')}, but pieces {first} to {last} were asked for."
        )
    words, maps = list(alignment.words), alignment.word_maps.copy()
    words[first] = "".join(word.removeprefix("##") for word in words[first : last + 1])
    maps[first] = alignment.word_maps[first : last + 1].mean(axis=0)
    return replace(record, sparse_alignment=replace(alignment, words=tuple(words), word_maps=maps))

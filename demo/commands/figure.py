"""`python -m demo figure SPEC.json -o fig.pdf`: a figure for a paper from a JSON spec."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from demo.commands.output import check_output_kind, kind_of, notify
from demo.drawing.formats import PICTURES
from seps.common.numbers import written

if TYPE_CHECKING:
    from demo.drawing.figure_spec import FigureRow, FigureSpec
    from demo.drawing.paper_figure import PanelRow
    from demo.service.retrieval import RetrievalService
    from seps import Explanation

PIECES = re.compile(r"piece:([0-9]{1,4})-([0-9]{1,4})")  # of one word


def figure(
    spec: Annotated[Path, Argument(help="what it shows, see assets/guide/figures.md")],
    output: Annotated[Path, Option("-o", "--output", help=f"file; its ending says which: {', '.join(PICTURES)}")],
) -> None:
    """Draw a figure for a paper from a JSON file."""
    check_output_kind(output, PICTURES)
    if not spec.is_file():
        raise ValueError(f"The file {spec} does not exist: name a spec, see assets/guide/figures.md.")
    from demo.drawing.figure_spec import read_spec
    from demo.drawing.paper_figure import PRINTED, paper_figure
    from demo.drawing.render import render
    from demo.service.models.start import open_model

    asked = read_spec(spec)
    service = open_model(asked.model)
    rows = [panel_row(service, asked, row) for row in asked.rows]
    sources = list(dict.fromkeys(row.credit for row in asked.rows if row.credit))
    drawn = paper_figure(rows, asked.width, asked.size, asked.font, sources if asked.credits == "below" else [])
    output.write_bytes(render(drawn, kind_of(output), PRINTED, strict=True))
    print(f"{output} is written: {written(asked.width, '.3f')} in wide, {len(rows)} x {len(rows[0].panels)}.")
    if asked.credits == "file" and sources:
        beside = output.with_suffix(".credits.txt")
        beside.write_text("\n".join(sources) + "\n", encoding="utf-8")
        print(f"{beside} is written.")


def panel_row(service: RetrievalService, spec: FigureSpec, row: FigureRow) -> PanelRow:
    """Return the panels of a photograph; ValueError for an invalid photograph, caption or layer."""
    from demo.drawing.paper_figure import Panel, PanelRow
    from demo.galleries.reading.photos import read_photo
    from demo.galleries.sources.named import open_named_gallery
    from demo.record.layers.layers import Layer, layer_of_words
    from demo.record.texts.table import TABLE
    from demo.service.captions import read_caption
    from demo.service.measuring.effects import Pair, measure
    from demo.service.measuring.measures import find_measure

    if row.gallery:
        gallery = open_named_gallery(row.gallery)
        read = gallery.items[gallery.position(row.photo)].read()
    else:
        read = read_photo(Path(row.photo))
    photo = read.image
    if read.note:
        notify(read.note)
    patches = service.encode_photos([photo])[0]
    pairs = [(caption, spec.layer) for caption in spec.captions] or [(row.caption, layer) for layer in row.layers]
    readings = {caption: read_caption(service.model, caption).text for caption in dict(pairs)}
    dense = read_caption(service.model, row.dense, dense=True).text if row.dense else None
    records = {text: service.explain_embeddings(patches, photo, text, dense) for text in readings.values()}
    panels = []
    for caption, name in pairs:
        text = readings[caption]
        record = records[text]
        if pieces := PIECES.fullmatch(name):
            record, name = joined(record, int(pieces[1]), int(pieces[2])), f"piece:{pieces[1]}"
        layer = Layer.parse(layer_of_words(name, text, service.model.tokenizer, record))
        if find_measure(layer.name) is not None:
            given = (service.model, record, patches, read.image.copy, text, dense)
            record = measure(layer.name, Pair(*given, encode=service.encode_in_turn))
        layer.check(record)
        if layer.name == "tokens":
            raise ValueError("All tokens are too many for one panel: choose one, such as token:1.")
        head = caption if spec.captions else TABLE["name"].get(str(layer)) or layer.values(record).title
        panels.append(Panel(photo, record, layer, head))
    return PanelRow(panels, "" if spec.captions else readings[row.caption])


def joined(record: Explanation, first: int, last: int) -> Explanation:
    """Return a record with word pieces `first` (from 1) to `last` joined into piece `first`: its text, and the
    mean of the pieces' maps, as the view Why shows a word. ValueError where the caption has not so many pieces."""
    from demo.record.texts.table import counted

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

"""What stands in a view as a spec that `python -m demo figure` draws, see assets/guide/figures.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from demo.drawing.formats import TYPES, Download, file_name
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.sources.named import NAMES
from demo.record.contrast import Contrast, Part, deciding
from demo.record.photo import get_credit
from demo.record.texts.table import say
from demo.service.retrieval import RetrievalService
from seps.models.shipped import shipped_models

SPEC = "spec"  # the name of the format
WIDTH = "two columns"
Row = dict[str, Any]


def compared_spec(
    service: RetrievalService, indexed: IndexedGallery, index: int, captions: Sequence[str], layer: str
) -> Download:
    """Several captions over one photograph: a column each, under one layer."""
    columns = {"captions": list(captions), "layer": layer}
    return written_spec(service, indexed, [photo_row(service, indexed, index)], columns, index)


def contrast_spec(
    service: RetrievalService,
    indexed: IndexedGallery,
    indices: tuple[int, int],
    contrast: Contrast,
    layer: str,
    dense: str | None = None,
) -> Download:
    """Draw two that stand side by side: a row each, with the map of a word, or of each word that decides beside the
    photo.

    Args:
        indices: of the left and of the right photograph; layer: a word's map, "word:0", or anything else for the
            words that decide; dense: the dense caption that took part.
    """
    part = contrast.word(layer)
    parts = deciding(contrast) if part is None else [part]
    rows = []
    for place, (index, side) in enumerate(zip(indices, (contrast.left, contrast.right), strict=True)):
        maps = [word_layer(part, place) for part in parts]
        row = photo_row(service, indexed, index) | {"caption": side.caption}
        row |= {"dense": dense} if dense else {}
        rows.append(row | {"layers": maps if part is not None else ["photo", *maps]})
    return written_spec(service, indexed, rows, {}, *dict.fromkeys(indices))


def word_layer(part: Part, place: int) -> str:
    """Return a word's map on the left (0) or right side as a spec names it; the photo if its caption lacks the word."""
    pieces = (part.left_pieces, part.right_pieces)[place]
    if not pieces:
        return "photo"
    return f"piece:{pieces[0]}" if len(pieces) == 1 else f"piece:{pieces[0]}-{pieces[-1]}"


def photo_row(service: RetrievalService, indexed: IndexedGallery, index: int) -> Row:
    """Return a row's photograph with its credit, by name, or as a file to put next to the spec."""
    item, name = indexed.gallery.items[index], indexed.gallery.name
    public = service.galleries.get(name)
    credit = {"credit": get_credit(item)} if get_credit(item) else {}
    if name in NAMES and public is not None and public.gallery.items[index] is item:
        return {"gallery": name, "photo": item.key} | credit
    stem, dot, ending = item.key.rpartition(".")
    file = item.key if dot and stem and ending.isalnum() else f"{item.title}.jpg"
    file = file.replace("\\", "/").rpartition("/")[2]
    return {"photo": file, "note": say("file.put_photo", name=file)} | credit


def written_spec(
    service: RetrievalService, indexed: IndexedGallery, rows: Sequence[Row], columns: Row, *indices: int
) -> Download:
    """Return the file."""
    note = {} if service.name in shipped_models() else {"note": say("file.put_model", name=service.name)}
    spec = note | {"model": service.name, "width": WIDTH, "rows": list(rows)} | columns
    titles = " ".join(indexed.gallery.items[index].title for index in indices)
    name = file_name(service.name, titles, "figure", "json")
    return Download(name, json.dumps(spec, ensure_ascii=False, indent=1).encode(), TYPES["json"])

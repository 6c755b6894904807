"""What stands in a view as a spec that `python -m demo figure` draws, see assets/guide/figures.md."""

from collections.abc import Sequence
from typing import Any

from demo.drawing.formats import Download, file_name, json_file
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.sources.named import NAMES
from demo.record.contrast import Contrast, deciding
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
    """Return the spec of several captions over one photograph: a column each, under one layer."""
    columns = {"captions": list(captions), "layer": layer}
    return _written_spec(service, indexed, [_photo_row(service, indexed, index)], columns, index)


def contrast_spec(
    service: RetrievalService,
    indexed: IndexedGallery,
    indices: tuple[int, int],
    contrast: Contrast,
    layer: str,
    dense: str | None = None,
) -> Download:
    """Draw two that stand side by side: a row each, with the map of a word ("word:0"), or for any other layer the photo
    and the map of each word that decides. `indices`: of the left and of the right photograph; `dense`: the dense
    caption that took part."""
    part = contrast.word(layer)
    parts = deciding(contrast) if part is None else [part]
    rows = []
    for place, (index, side) in enumerate(zip(indices, contrast.sides, strict=True)):
        layers = [] if part is not None else ["photo"]
        for pieces in (each.pieces[place] for each in parts):  # the photo where the caption lacks the word
            ends = dict.fromkeys((pieces[0], pieces[-1])) if pieces else ()
            layers.append(f"piece:{'-'.join(map(str, ends))}" if pieces else "photo")
        row = _photo_row(service, indexed, index) | {"caption": side.caption} | ({"dense": dense} if dense else {})
        rows.append(row | {"layers": layers})
    return _written_spec(service, indexed, rows, {}, *dict.fromkeys(indices))


def _photo_row(service: RetrievalService, indexed: IndexedGallery, index: int) -> Row:
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


def _written_spec(
    service: RetrievalService, indexed: IndexedGallery, rows: Sequence[Row], columns: Row, *indices: int
) -> Download:
    note = {} if service.name in shipped_models() else {"note": say("file.put_model", name=service.name)}
    spec = note | {"model": service.name, "width": WIDTH, "rows": list(rows)} | columns
    titles = " ".join(indexed.gallery.items[index].title for index in indices)
    return json_file(file_name(service.name, titles, "figure", "json"), spec)

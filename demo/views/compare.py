"""Compare captions: two to six over the same photograph, side by side, on one shared colour scale."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from demo.drawing.formats import PAGE, PICTURES, Download, check_format, file_name
from demo.drawing.palette import DARK, LIGHT
from demo.galleries.indexes.index import IndexedGallery
from demo.record.layers.layers import Layer
from demo.record.packing import describe_overlap, overlap, packed
from demo.record.photo import get_credit, photo_value
from demo.record.scene import UNIT, objects_value, outlines
from demo.service.retrieval import RetrievalService
from demo.service.threads import drawing
from demo.views.downloads import page_file
from demo.views.figure_spec import SPEC, compared_spec
from demo.views.state import ViewState
from demo.views.viewer import shown_record
from seps import Explanation

FEWEST, MOST = 2, 6


def compared_value(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, captions: Sequence[str]
) -> dict[str, Any]:
    """Return what several captions over one photograph are drawn from."""
    records = compared_records(service, indexed, state, captions)
    known = indexed.gallery.items[state.index].known
    items = [
        {"caption": text, "similarity": record.similarity, "record": packed(record)}
        | ({} if known is None else {"objects": objects_value(known, text)})
        for text, record in zip(captions, records, strict=True)
    ]
    return {
        "photo": photo_value(indexed, state.index),
        "model": service.name,
        "layer": state.layer,
        "items": items,
        "unit": None if known is None else UNIT,
        "overlap": overlap(records),
        "shared": describe_overlap([record.sparse.kept for record in records]),
    }


def compared_records(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, captions: Sequence[str]
) -> list[Explanation]:
    """Return the record of each caption, by the model's own decision, with what the layer measures."""
    alone = [replace(state, caption=text, dense=None, mask="") for text in captions]
    return [shown_record(service, indexed, pair) for pair in alone]


def comparison(
    service: RetrievalService,
    indexed: IndexedGallery,
    state: ViewState,
    captions: Sequence[str],
    kind: str,
    dark: bool = False,
) -> Download:
    """Return the file of several captions over one photograph, drawn as `state` says."""
    if kind == SPEC:
        return compared_spec(service, indexed, state.index, captions, state.layer)
    if kind == PAGE:
        value = compared_value(service, indexed, state, captions) | {"outlined": state.objects, "why": False}
        title = indexed.gallery.items[state.index].title
        return page_file("compare", value, "; ".join(captions), file_name(service.name, title, "compared", PAGE))
    check_format(kind, PICTURES)
    from demo.drawing.overlay import compare_picture  # Matplotlib is imported with the first picture
    from demo.drawing.render import render

    records = compared_records(service, indexed, state, captions)
    item, layer, palette = indexed.gallery.items[state.index], Layer.parse(state.layer), DARK if dark else LIGHT
    objects = [outlines(item.known, text) for text in captions] if item.known is not None and state.objects else []
    look = (layer, service.name, palette, get_credit(item), objects)

    @drawing
    def draw() -> bytes:
        return render(compare_picture(item.photo(), captions, records, *look), kind)

    return Download(file_name(service.name, item.title, f"compare-{state.layer}", kind), draw())

"""The comparison to take away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from demo.drawing.formats import PAGE, Download, file_name
from demo.galleries.index import IndexedGallery
from demo.record.outlines import outlines
from demo.record.photo import get_credit
from demo.screens.chooser import SelectedImage
from demo.screens.compare.view import compared_records, compared_value
from demo.screens.downloads import OPTIONS, connect_layer, page_file, saving, sent
from demo.screens.figure_spec import SPEC, compared_spec
from demo.screens.parts import ViewState, message
from demo.server.detail import Detail
from demo.service.captions import read_typed
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService


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
        value = compared_value(service, indexed, state, captions) | {"formats": [], "why": False, "link": None}
        title = indexed.gallery.items[state.index].title
        return page_file("compare", value, "; ".join(captions), file_name(service.name, title, "compared", PAGE))
    from demo.drawing.files import comparison_file  # Matplotlib is imported with the first picture

    records = compared_records(service, indexed, state, captions)
    item = indexed.gallery.items[state.index]
    objects = [outlines(item.known, text) for text in captions] if item.known is not None and state.objects else []
    return comparison_file(
        item.photo(), captions, records, service.name, item.title, kind, state.layer, dark, get_credit(item), objects
    )


def connect_comparison(
    registry: ModelRegistry, pictures: gr.HTML, status: gr.HTML, saved: gr.HTML, state: gr.State, selected: gr.State
) -> None:
    """Let the comparison's buttons save it."""

    @saving
    def export(state: ViewState, selected: SelectedImage, event: Detail) -> tuple[str, dict[str, Any]]:
        service, indexed = registry.find(state.gallery, selected.session)
        captions = read_typed(service.model, state.caption)
        drawn = replace(state, layer=event.text("layer"), objects=event.flag("objects"))
        file = comparison(service, indexed, drawn, captions, event.text("format"), event.flag("dark"))
        return message(f"Saved as {file.name}."), sent(file)

    pictures.export(export, [state, selected], [status, saved], **OPTIONS)
    connect_layer(pictures, state, ("layer", "objects"))

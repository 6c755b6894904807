"""Downloads: what the views' buttons ask for, saved by the browser without a file on the server."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from demo.drawing.formats import PAGE, Download, Heading, file_name
from demo.galleries.indexes.index import IndexedGallery
from demo.record.counterfactual import decision_numbers, decision_sentence
from demo.record.photo import get_credit
from demo.record.scene import outlines
from demo.record.texts.table import say
from demo.service.retrieval import RetrievalService
from demo.views.state import ViewState
from demo.views.viewer import decision, shown_record, viewer_value


def sent(file: Download) -> dict[str, Any]:
    """Return a file for the browser to save."""
    return {"name": file.name, "type": file.media_type, "base64": b64encode(file.content).decode()}


def explanation(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, kind: str, dark: bool = False
) -> Download:
    """Return the file of one photograph and one caption, drawn as `state` says; ValueError for another kind of file, or
    a page of a decision by hand."""
    from demo.drawing.overlay import explanation_file  # Matplotlib is imported with the first picture

    record, decided = shown_record(service, indexed, state), decision(service, indexed, state)
    item = indexed.gallery.items[state.index]
    if kind == PAGE:
        if decided is not None:
            raise ValueError(
                "A page cannot hold a decision by hand: choose JSON or a picture, or let the model decide."
            )
        looks = {"layer": state.layer, "opacity": state.opacity, "lines": state.lines, "outlined": state.objects}
        value = viewer_value(service, indexed, state, record) | looks | {"model": service.name}
        return page_file("viewer", value, state.caption, file_name(service.name, item.title, state.layer, PAGE))
    note = "" if decided is None else say("whatif.forced", says=decision_sentence(*decided))
    heading = Heading(state.caption, record.similarity, service.name, state.dense, get_credit(item), note)
    numbers = None if decided is None else decision_numbers(*decided)
    objects = outlines(item.known, state.caption) if item.known is not None and state.objects else []
    return explanation_file(
        item.photo(), record, heading, item.title, kind, state.layer, state.opacity, state.lines, dark, objects, numbers
    )


def page_file(component: str, value: Mapping[str, Any], title: str, name: str) -> Download:
    """Return a view as a page that needs no server: what it draws, as `demo.notebook.page.page` takes it."""
    from demo.notebook.page import page  # Matplotlib is imported with the first file

    return Download(name, page(component, dict(value), title).encode())

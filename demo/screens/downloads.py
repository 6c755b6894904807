"""Downloads: what the views' buttons ask for, saved by the browser without a file on the server."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import gradio as gr

from demo.drawing.formats import PAGE, TYPES, Download, Heading, file_name
from demo.galleries.index import IndexedGallery
from demo.record.counterfactual import decision_numbers, decision_sentence
from demo.record.language import ENGLISH, sentences, speaking
from demo.record.outlines import outlines
from demo.record.photo import get_credit, with_new_key
from demo.record.table import say
from demo.screens.cancelling import Cancelled
from demo.screens.chooser import SelectedImage
from demo.screens.parts import DRAWING, ViewState, message, scripted, viewer_value
from demo.screens.viewer import decision, drawn_as, shown_record
from demo.server.detail import Detail
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData

OPTIONS: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"} | DRAWING


def build() -> gr.HTML:
    """Build the component that saves what it is given."""
    return scripted("download", "seps-download", "download", ())


def sent(file: Download) -> dict[str, Any]:
    """Return a file for the browser to save."""
    return with_new_key({"name": file.name, "type": file.media_type, "base64": b64encode(file.content).decode()})


def saving(event: Callable[..., tuple[str, dict[str, Any]]]) -> Callable[..., tuple[str, dict[str, Any]]]:
    """For an event that answers with a message line and a file, which is in English: where a ValueError comes instead,
    or the person has cancelled it, the line says so, and the browser is told that no file will come."""

    @wraps(event)
    def run(*args: Any, **kwargs: Any) -> tuple[str, dict[str, Any]]:
        try:
            with speaking(ENGLISH):
                line, file = event(*args, **kwargs)
            return sentences(line), file
        except ValueError as error:
            return message(str(error), "problem"), with_new_key({"failed": True})
        except Cancelled:
            return message(say("hint.cancelled")), with_new_key({"failed": True})

    return run


def explanation(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, kind: str, dark: bool = False
) -> Download:
    """Return the file of one photograph and one caption, drawn as `state` says; of a scene the objects too where it
    does.

    Raises:
        ValueError: another kind of file, or a page of a decision by hand.
    """
    from demo.drawing.files import explanation_file  # Matplotlib is imported with the first picture

    record, decided = shown_record(service, indexed, state), decision(service, indexed, state)
    item = indexed.gallery.items[state.index]
    if kind == PAGE:
        if decided is not None:
            raise ValueError(
                "A page cannot hold a decision by hand: choose JSON or a picture, or let the model decide."
            )
        value = viewer_value(service, indexed, state, record, "search") | {"formats": ["PNG"], "link": None}
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

    return Download(name, page(component, dict(value), title).encode(), TYPES[PAGE])


def connect_picture(
    registry: ModelRegistry, viewer: gr.HTML, status: gr.HTML, saved: gr.HTML, state: gr.State, session: gr.State
) -> None:
    """Let a viewer's buttons save its picture, and the session remember its layer.

    `session` holds a `SessionData`, or a `SelectedImage`.
    """

    @saving
    def export(state: ViewState, session: SessionData | SelectedImage, event: Detail) -> tuple[str, dict[str, Any]]:
        service, indexed = registry.find(
            state.gallery, session.session if isinstance(session, SelectedImage) else session
        )
        drawn = drawn_as(state, event)
        file = explanation(service, indexed, drawn, event.text("format"), event.flag("dark"))
        return message(f"Saved as {file.name}."), sent(file)

    viewer.export(export, [state, session], [status, saved], **OPTIONS)
    connect_layer(viewer, state, ("layer", "opacity", "lines", "objects", "mask", "budget"))


def connect_layer(view: gr.HTML, state: gr.State, drawn: Sequence[str]) -> None:
    """Let the session remember how pictures are drawn: what of `ViewState` the view's event tells."""

    def remember(state: ViewState, event: Detail) -> ViewState:
        return replace(state, **{name: event.like(name, getattr(state, name)) for name in drawn})

    view.layer(remember, state, state, api_visibility="private", show_progress="hidden", queue=False)

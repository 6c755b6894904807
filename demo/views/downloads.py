"""Downloads: what the views' buttons ask for, saved by the browser without a file on the server."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import gradio as gr

from demo.explain.outline import outlines
from demo.explain.photo import credit_of, with_new_key
from demo.explain.table import say
from demo.explain.whatif import decision_numbers, decision_sentence
from demo.figures.formats import Download, Heading
from demo.figures.rankings import captions_csv, images_csv
from demo.galleries.index import IndexedGallery
from demo.service.captions import read_typed
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.serving.detail import Detail
from demo.views.captions import NO_POOL, Captions
from demo.views.chooser import SelectedImage
from demo.views.compare import compared_records
from demo.views.parts import DRAWING, ViewState, message, scripted
from demo.views.search import Search
from demo.views.whatif import decision, drawn_as, shown_record

OPTIONS: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"} | DRAWING


def build() -> gr.HTML:
    """The component that saves what it is given."""
    return scripted("download", "seps-download", "download", ())


def sent(file: Download) -> dict[str, Any]:
    """A file for the browser to save."""
    return with_new_key({"name": file.name, "type": file.media_type, "base64": b64encode(file.content).decode()})


def saving(event: Callable[..., tuple[str, dict[str, Any]]]) -> Callable[..., tuple[str, dict[str, Any]]]:
    """For an event that answers with a message line and a file: where a ValueError comes instead, it goes to the line,
    and the browser is told that no file will come."""

    @wraps(event)
    def run(*args: Any, **kwargs: Any) -> tuple[str, dict[str, Any]]:
        try:
            return event(*args, **kwargs)
        except ValueError as error:
            return message(str(error), "problem"), with_new_key({"failed": True})

    return run


def explanation(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, kind: str, dark: bool = False
) -> Download:
    """The file of one photograph and one caption, drawn as `state` says; of a scene the objects too where it does."""
    from demo.figures.exports import explanation_file  # Matplotlib is imported with the first picture

    record, decided = shown_record(service, indexed, state), decision(service, indexed, state)
    item = indexed.gallery.items[state.index]
    note = "" if decided is None else say("whatif.forced", says=decision_sentence(*decided))
    heading = Heading(state.caption, record.similarity, service.name, state.dense, credit_of(item), note)
    numbers = None if decided is None else decision_numbers(*decided)
    objects = outlines(item.known, state.caption) if item.known is not None and state.objects else []
    return explanation_file(
        item.photo(), record, heading, item.title, kind, state.layer, state.opacity, state.lines, dark, objects, numbers
    )


def comparison(
    service: RetrievalService,
    indexed: IndexedGallery,
    state: ViewState,
    captions: Sequence[str],
    kind: str,
    dark: bool = False,
) -> Download:
    """The file of several captions over one photograph, drawn as `state` says."""
    from demo.figures.exports import comparison_file  # as above

    records = compared_records(service, indexed, state, captions)
    item = indexed.gallery.items[state.index]
    objects = [outlines(item.known, text) for text in captions] if item.known is not None and state.objects else []
    return comparison_file(
        item.photo(), captions, records, service.name, item.title, kind, state.layer, dark, credit_of(item), objects
    )


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


def connect_rankings(
    registry: ModelRegistry, finding: Search, asking: Captions, saved: gr.HTML, state: gr.State, session: gr.State
) -> None:
    """Let the rankings' buttons save them as CSV."""

    @saving
    def images(session: SessionData, state: ViewState) -> tuple[str, dict[str, Any]]:
        service, indexed = registry.find(state.gallery, session)
        decided = decision(service, indexed, state)
        by_hand = None if decided is None else (state.index, decided[0].record.similarity)
        file = images_csv(service, indexed, state.caption, state.dense, by_hand)
        return message(f"Saved as {file.name}."), sent(file)

    @saving
    def captions(selected: SelectedImage, pool: str, typed: str) -> tuple[str, dict[str, Any]]:
        service, indexed = registry.find(selected.gallery, selected.session)
        file = captions_csv(service, indexed, selected.index, None if pool == NO_POOL else pool, typed)
        return message(f"Saved as {file.name}."), sent(file)

    finding.ranking.export(images, [session, state], [finding.status, saved], **OPTIONS)
    asking.ranking.export(
        captions, [asking.chooser.selected, asking.pool, asking.typed], [asking.status, saved], **OPTIONS
    )

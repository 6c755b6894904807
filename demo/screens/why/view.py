"""Why this one, and not that one: two photographs of a ranking, or two captions of a photograph, word by word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.galleries.index import IndexedGallery
from demo.galleries.openings import get_opening
from demo.galleries.personal import PERSONAL
from demo.screens.chooser import SelectedImage
from demo.screens.downloads import OPTIONS, connect_layer, saving, sent
from demo.screens.examples import carried_over
from demo.screens.link import Link, LinkedView, read_link
from demo.screens.parts import (
    ANSWERING,
    NO_POOL,
    OPENING,
    PROGRESS,
    ViewState,
    caption_box,
    computing,
    errors_as_message,
    gallery_kept,
    message,
    scripted,
    tell_opened,
)
from demo.screens.typed import connect_typed
from demo.screens.why.values import WhyState, first_two, linked_state, state_ranking, why_download, why_value
from demo.server.detail import Detail
from demo.service.captions import cleaned, read_caption, read_typed
from demo.service.ranking import CaptionRanking
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData


@dataclass(frozen=True)
class WhyView:
    """The view's components."""

    gallery: gr.Radio
    caption: gr.Textbox
    other: gr.Textbox
    status: gr.HTML
    pictures: gr.HTML
    state: gr.State

    @property
    def outputs(self) -> list[Any]:
        """What fills the view, as `restore` gives it: the message line first, the state last."""
        return [self.status, self.gallery, self.caption, self.other, self.pictures, self.state]

    def linked(self, registry: ModelRegistry, tab: gr.Tab, session: gr.State) -> LinkedView:
        """Return how links and its tab fill it: the worked example where nothing stands there yet, anew after an
        edit."""

        def enter(session: SessionData, state: WhyState) -> list[Any] | None:
            if not state.caption:
                return start(registry)
            return filled(registry, session, state) if state.gallery in session.edits else None

        def again(
            registry: ModelRegistry, session: SessionData, query: Mapping[str, str], state: WhyState
        ) -> list[Any]:
            return filled(registry, session, state)

        entering = (session, self.state)
        return LinkedView(
            tab, self.outputs, self.pictures, restore, None, enter, entering, kept=(self.state,), again=again
        )


def build(registry: ModelRegistry) -> WhyView:
    """Lay the view out; `connect` gives it its events."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            caption = caption_box("Caption", "why-caption")
            other = caption_box(
                "A second caption of the left photo, or empty",
                "why-other",
                placeholder="Empty: two photos for one caption",
            )
            gallery = gr.Radio(list(registry.names), value=registry.first, label="Photographs", elem_id="why-gallery")
            status = gr.HTML(elem_id="why-said")
        with gr.Column(scale=17, min_width=320, elem_classes="seen"):
            pictures = scripted("why", "seps-why", "why", ("choose", "layer", "export"), value=computing())
    return WhyView(gallery, caption, other, status, pictures, gr.State(WhyState()))


def show(registry: ModelRegistry, session: SessionData | None, state: WhyState) -> tuple[str, dict[str, Any], WhyState]:
    """Set the two that a state names side by side, its captions as typed.

    Returns:
        The message line, the pictures' value, and what is shown now.

    Raises:
        ValueError: a caption that cannot be read, or one photograph where two are needed.
    """
    service, indexed = registry.find(state.gallery, state.session(session))
    reading = read_caption(service.model, state.caption)
    second = read_caption(service.model, state.other) if cleaned(state.other) else None
    other = "" if second is None or second.text == reading.text else second.text
    if not other and len(indexed) < 2:
        raise ValueError("There is one photograph here: write a second caption, or choose another gallery.")
    state = replace(state, caption=reading.text, other=other, dense=None if other else state.dense, problem="")
    if not other and state.against == state.index:
        left, right = first_two(state_ranking(service, indexed, state), state.index)
        state = replace(state, index=left, against=right)
    notes = " ".join(note for note in (reading.note, "" if second is None else second.note) if note)
    return message(notes or indexed.gallery.note), why_value(service, indexed, state), state


def filled(registry: ModelRegistry, session: SessionData | None, state: WhyState) -> list[Any]:
    """Return the values of `WhyView.outputs` for a state."""
    status, value, state = show(registry, session, state)
    return [status, gallery_kept(state.gallery, registry.names), state.caption, state.other, value, state]


def restore(registry: ModelRegistry, link: Link) -> list[Any]:
    """Return the values of `WhyView.outputs` for a link; without a caption, the pair chosen for the gallery."""
    service, indexed = registry.find(link.selected.gallery)
    if link.caption:
        index = link.selected.index if link.has_photo else None
        return filled(registry, None, linked_state(service, indexed, index, link.caption, link.values))
    query = link.values if link.view == "why" else {}
    if query.get("other") or "against" in query:
        raise ValueError("The link's values other and against need a caption to compare with.")
    opening = get_opening(indexed.gallery, "why")
    if opening is None or opening.against is None:
        return filled(registry, None, linked_state(service, indexed, None, link.example, {}))
    state = WhyState(indexed.gallery.name, opening.index, opening.captions[0], against=opening.against)
    return filled(registry, None, state)


def start(registry: ModelRegistry) -> list[Any]:
    """Return the values of `WhyView.outputs` for the worked example."""
    return restore(registry, read_link(registry, {}))


def connect(registry: ModelRegistry, view: WhyView, session: gr.State, saved: gr.HTML, answered: gr.HTML) -> None:
    """Give the view its events; `answered` is from `demo.screens.typed.build`."""
    outputs = [view.status, view.pictures, view.state]

    # The other caption comes from the state: where both boxes are filled anew, one tells of it before the other.
    def typed(name: str) -> Callable[..., tuple[Any, ...] | str]:
        def retyped(text: str, session: SessionData, state: WhyState) -> tuple[Any, ...] | str:
            if not state.caption or cleaned(text) == getattr(state, name):
                return message(state.problem, "problem")
            changed: dict[str, Any] = {name: text, "layer": "mask", "dense": None}  # which belongs to the pair before
            return show(registry, session, replace(state, **changed))

        return retyped

    for box, name in ((view.caption, "caption"), (view.other, "other")):
        connect_typed(box, typed(name), [session, view.state], outputs, answered)

    def other_gallery(
        gallery: str, session: SessionData, state: WhyState, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        try:
            service, indexed = registry.open(gallery, progress.tqdm, session)
            before = registry.of(state.gallery) if state.gallery else service
            caption, _ = carried_over(service, before, indexed, state)
            left, right = first_two(service.rank_images(indexed, caption))
            now = WhyState(gallery, left, caption, against=right)
            return tuple(filled(registry, session, now))
        except ValueError as error:  # the choice goes back to the gallery whose pictures stay in sight
            kept = gallery_kept(state.gallery, registry.names)
            return message(str(error), "problem"), kept, *[gr.skip()] * (len(view.outputs) - 2)

    opened = tell_opened(registry, view.gallery, view.status)
    opened(
        other_gallery,
        [view.gallery, session, view.state],
        view.outputs,
        show_progress_on=view.pictures,
        **OPENING,
    )

    @errors_as_message(len(outputs))
    def choose(session: SessionData, state: WhyState, event: Detail) -> tuple[Any, ...]:
        index = event.whole("index", len(registry.find(state.gallery, state.session(session))[1]))
        right = event.text("side") == "right"
        left, against = (state.index, index) if right else (index, state.against)
        if left == against and not state.other:  # the other one goes where this one was
            left, against = state.against, state.index
        return show(registry, session, replace(state, index=left, against=against))

    view.pictures.choose(choose, [session, view.state], outputs, **ANSWERING)

    @saving
    def export(session: SessionData, state: WhyState, event: Detail) -> tuple[Any, ...]:
        drawn = replace(state, layer=event.text("layer"))
        file = why_download(registry, session, drawn, event.text("format"), event.flag("dark"))
        return message(f"Saved as {file.name}."), sent(file)

    view.pictures.export(export, [session, view.state], [view.status, saved], **OPTIONS)
    connect_layer(view.pictures, view.state, ("layer",))


@dataclass(frozen=True)
class Source:
    """A screen that leads here.

    Attributes:
        asks: the event of its question "Why this order?"; status: its message line; inputs: what it shows.
    """

    asks: Callable[..., Any]
    status: gr.HTML
    inputs: Sequence[gr.components.Component]


def connect_sources(
    registry: ModelRegistry, view: WhyView, photos: Source, captions: Source, compare: Source, tabs: gr.Tabs
) -> None:
    """Let "Why this order?" lead here.

    Args:
        photos: its inputs are the session and its state; captions: the selected image, the pool, the typed captions and
            its state; compare: the selected image and its state.
    """

    def leads(state: WhyState, session: SessionData | None) -> tuple[Any, ...]:
        state = replace(state, uploaded=session if state.gallery in PERSONAL else None)
        return "", gr.Tabs(selected="why"), *filled(registry, session, state)

    count = 2 + len(view.outputs)

    @errors_as_message(count)
    def from_photos(session: SessionData, state: ViewState) -> tuple[Any, ...]:
        service, indexed = registry.find(state.gallery, session)
        ranking = service.rank_images(indexed, state.caption, state.dense)
        chosen = None if state.index == ranking.order[0] else state.index
        left, right = first_two(ranking, against=chosen)
        return leads(WhyState(state.gallery, left, state.caption, state.dense, against=right), session)

    @errors_as_message(count)
    def from_captions(selected: SelectedImage, pool: str, typed: str, state: ViewState) -> tuple[Any, ...]:
        service, indexed = registry.find(selected.gallery, selected.session)
        ranking = service.rank_captions(indexed, selected.index, None if pool == NO_POOL else pool, typed)
        best, other = two_captions(ranking, state.caption)
        return leads(WhyState(selected.gallery, selected.index, best, other=other), selected.session)

    @errors_as_message(count)
    def from_compare(selected: SelectedImage, state: ViewState) -> tuple[Any, ...]:
        service, indexed = registry.find(selected.gallery, selected.session)
        best, other = compared_captions(service, indexed, selected.index, state.caption)
        return leads(WhyState(selected.gallery, selected.index, best, other=other), selected.session)

    for source, answer in ((photos, from_photos), (captions, from_captions), (compare, from_compare)):
        source.asks(answer, list(source.inputs), [source.status, tabs, *view.outputs], **ANSWERING)


def compared_captions(service: RetrievalService, indexed: IndexedGallery, index: int, typed: str) -> tuple[str, str]:
    """Return the two captions, typed one a line, that fit a photograph best; ValueError where all of them are the
    same."""
    texts = list(dict.fromkeys(read_typed(service.model, typed)))
    ranked = sorted(texts, key=lambda text: -service.explain(indexed, index, text).similarity)
    if len(ranked) < 2:
        raise ValueError("These captions are the same: write two different ones.")
    return ranked[0], ranked[1]


def two_captions(ranking: CaptionRanking, chosen: str) -> tuple[str, str]:
    """Return the best caption of a ranking and the one that a person chose, the next best where that is the best
    itself.

    Raises:
        ValueError: there is one caption alone.
    """
    best = ranking.captions[0]
    others = [text for text in ranking.captions if text != best]
    if not others:
        raise ValueError("There is only one caption: type another, or choose a pool of captions.")
    return best, chosen if chosen in others else others[0]

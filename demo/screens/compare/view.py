"""Compare captions: two to six over the same photograph, side by side, on one shared colour scale."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.galleries.index import IndexedGallery
from demo.galleries.openings import get_opening
from demo.record.layer_table import compared_names
from demo.record.mask_overlap import describe_overlap
from demo.record.packing import overlap, packed
from demo.record.photo import photo_value, with_new_key
from demo.record.scene import UNIT, objects_value
from demo.record.unmatched import unmatched_value
from demo.screens import chooser
from demo.screens.chooser import Chooser, SelectedImage
from demo.screens.link import Link, LinkedView, as_linked
from demo.screens.parts import ANSWERING, UNQUEUED, ViewState, computing, errors_as_message, link_to, message, scripted
from demo.screens.typed import connect_typed
from demo.screens.viewer import shown_record
from demo.server.detail import Detail
from demo.service.captions import read_typed
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from seps import Explanation

FEWEST, MOST = 2, 6
STARTING = 3  # captions of a photograph that are set side by side at first


@dataclass(frozen=True)
class Compare:
    """The view's components."""

    chooser: Chooser
    captions: gr.Textbox
    status: gr.HTML
    pictures: gr.HTML

    def linked(self, tab: gr.Tab, state: gr.State) -> LinkedView:
        """Return how links and its tab fill it."""
        outputs = [*self.chooser.restored(self.status), self.captions, self.pictures, state]
        return LinkedView(tab, outputs, self.pictures, restore, state, kept=(self.chooser.selected, state), again=again)


def build(registry: ModelRegistry) -> Compare:
    """Lay the view out."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            selected = chooser.build(registry, "compare")
            captions = gr.Textbox(
                label=f"{FEWEST} to {MOST} captions, one a line", lines=4, max_lines=8, elem_id="compare-captions"
            )
            status = gr.HTML(elem_id="compare-said")
        with gr.Column(scale=17, min_width=320, elem_classes="seen"):
            pictures = scripted(
                "compare", "seps-compare", "compare", ("layer", "export", "why", "measure"), value=computing()
            )
    return Compare(selected, captions, status, pictures)


def show_side_by_side(
    registry: ModelRegistry, selected: SelectedImage, captions: str, state: ViewState
) -> tuple[str, dict[str, Any], ViewState]:
    """Explain every caption over the photograph.

    Returns:
        The message line, the pictures' value, and what is shown now (its caption holds them all, one a line).

    Raises:
        ValueError: fewer than 2 or more than 6 captions, or one that cannot be read.
    """
    service, indexed = registry.find(selected.gallery, selected.session)
    texts = read_typed(service.model, captions)
    if not FEWEST <= len(texts) <= MOST:
        raise ValueError(f"{len(texts)} captions are there, but {FEWEST} to {MOST} can be compared: write one a line.")
    layer = state.layer if state.layer in compared_names() else "mask"
    now = replace(state.of(indexed.gallery.name, selected.index, "\n".join(texts), state.dense), layer=layer)
    return message(""), compared_value(service, indexed, now, texts), now


def compared_value(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, captions: Sequence[str]
) -> dict[str, Any]:
    """Return what several captions over one photograph are drawn from."""
    records = compared_records(service, indexed, state, captions)
    known = indexed.gallery.items[state.index].known
    items = [
        {
            "caption": text,
            "similarity": record.similarity,
            "record": packed(record),
            "unfound": unmatched_value(record, service.unmatched_rule),
        }
        | ({} if known is None else {"objects": objects_value(known, text)})
        for text, record in zip(captions, records, strict=True)
    ]
    return with_new_key(
        {
            "photo": photo_value(indexed, state.index),
            "model": service.name,
            "layer": state.layer,
            "items": items,
            "outlined": state.objects,
            "unit": None if known is None else UNIT,
            "overlap": overlap(records),
            "shared": describe_overlap([record.sparse.kept for record in records]),
            "link": link_to(service, "compare", indexed, state),
        }
    )


def compared_records(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, captions: Sequence[str]
) -> list[Explanation]:
    """Return the record of each caption, by the model's own decision, with what the layer measures."""
    alone = [replace(state, caption=text, dense=None, mask="") for text in captions]
    return [shown_record(service, indexed, pair) for pair in alone]


def own_captions(registry: ModelRegistry, selected: SelectedImage) -> str:
    """Three captions of different things in a photograph, to start with; of its own where no things are known."""
    item = registry.find(selected.gallery, selected.session)[1].gallery.items[selected.index]
    texts = item.phrases if len(item.phrases) >= FEWEST else item.captions
    return "\n".join(texts[:STARTING])


def restore(registry: ModelRegistry, link: Link) -> list[Any]:
    """Return the view's values for a link: message, the chooser's, captions, pictures, state; no pictures where the
    photograph has no captions yet. ValueError for captions of a link that cannot be compared."""
    selected, texts = link.selected, link.caption or (own_captions(registry, link.selected) if link.has_photo else "")
    if not texts:
        selected, texts = opened(registry, selected)
    shown: tuple[Any, ViewState] = None, ViewState(selected.gallery, selected.index)
    with contextlib.nullcontext() if link.caption else contextlib.suppress(ValueError):
        shown = show_side_by_side(registry, selected, texts, link.state)[1:]
    return ["", *chooser.restored_values(registry, selected), texts, *shown]


def opened(registry: ModelRegistry, selected: SelectedImage) -> tuple[SelectedImage, str]:
    """Return the photograph and the captions that the view opens with in a gallery: those chosen for it, else its
    own."""
    opening = get_opening(registry.find(selected.gallery)[1].gallery, "compare")
    if opening is None:
        return selected, own_captions(registry, selected)
    return replace(selected, index=opening.index), "\n".join(opening.captions)


def again(
    registry: ModelRegistry,
    session: SessionData,
    query: Mapping[str, str],
    selected: SelectedImage,
    state: ViewState,
) -> list[Any]:
    """Return the view's values as states had them, see `restore`."""
    status, *shown = show_side_by_side(registry, selected, state.caption, as_linked(state, query))
    return [status, *chooser.restored_values(registry, selected), state.caption, *shown]


def connect(
    registry: ModelRegistry, view: Compare, session: gr.State, tab: gr.Tab, state: gr.State, answered: gr.HTML
) -> None:
    """Give the view its events: a photograph of a gallery brings its own captions, a typed one keeps the photograph.

    `answered` is from `demo.screens.typed.build`.
    """
    outputs = [view.status, view.captions, view.pictures, state]

    def with_captions(selected: SelectedImage, captions: str, state: ViewState) -> tuple[Any, ...]:
        texts = own_captions(registry, selected) or captions
        status, value, now = show_side_by_side(registry, selected, texts, state)
        return status, texts, value, now

    chooser.connect(registry, view.chooser, session, tab, with_captions, [view.captions, state], outputs)

    def retyped(captions: str, selected: SelectedImage, state: ViewState) -> tuple[Any, ...] | str:
        service = registry.of(selected.gallery)
        if "\n".join(read_typed(service.model, captions)) == state.caption:
            return message(state.problem, "problem")
        return show_side_by_side(registry, selected, captions, state)

    shown = [view.status, view.pictures, state]
    connect_typed(view.captions, retyped, [view.chooser.selected, state], shown, answered)

    @errors_as_message(3)
    def measure(selected: SelectedImage, state: ViewState, event: Detail) -> tuple[Any, ...]:
        drawn = replace(state, layer=event.text("layer"), objects=event.flag("objects"))
        return show_side_by_side(registry, selected, state.caption, drawn)

    view.pictures.measure(measure, [view.chooser.selected, state], shown, **UNQUEUED)


def connect_source(
    registry: ModelRegistry,
    view: Compare,
    asks: Callable[..., Any],
    status: gr.HTML,
    inputs: Sequence[gr.State],
    state: gr.State,
    tabs: gr.Tabs,
) -> None:
    """Let the two captions of a video lead here, over the frame that is shown.

    Args:
        asks: the event; status: the message line of its view; inputs: the states of its session and of its pair.
    """
    outputs = [*view.chooser.restored(view.status), view.captions, view.pictures, state]

    @errors_as_message(2 + len(outputs))
    def from_video(session: SessionData, pair: ViewState) -> tuple[Any, ...]:
        selected = SelectedImage(pair.gallery, pair.index, session)
        captions = "\n".join(filter(None, (pair.caption, pair.other)))
        note, *shown = show_side_by_side(registry, selected, captions, ViewState())
        chosen = chooser.restored_values(registry, selected)
        if selected.gallery not in registry.names:  # no gallery of the choice is that of the picture
            chosen = [gr.Radio(value=None), None, selected]
        return "", gr.Tabs(selected="compare"), note, *chosen, captions, *shown

    asks(from_video, list(inputs), [status, tabs, *outputs], **ANSWERING)

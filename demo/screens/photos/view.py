"""Caption to images: a caption ranks a gallery, and the best photograph opens with what the caption kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gradio as gr

from demo.galleries.index import IndexedGallery
from demo.galleries.personal import PERSONAL
from demo.record.photo import with_new_key
from demo.record.unmatched import describe_missed
from demo.screens.chooser import left_out, several_photos
from demo.screens.examples import carried_over, examples_of
from demo.screens.link import Link, LinkedView, as_linked
from demo.screens.parts import (
    ANSWERING,
    OPENING,
    PROGRESS,
    UNQUEUED,
    ViewState,
    caption_box,
    errors_as_message,
    gallery_kept,
    message,
    scripted,
    tell_opened,
)
from demo.screens.photo_list import ranking_value
from demo.screens.photos import camera, sending
from demo.screens.photos.many import LONGEST, Many, names_box
from demo.screens.photos.many import build as build_many
from demo.screens.photos.many import connect as connect_many
from demo.screens.photos.video import followed_value, second_caption
from demo.screens.typed import connect_typed
from demo.screens.viewer import MEASURE_EVENTS, search_value
from demo.screens.viewer import connect as connect_viewer
from demo.server.detail import Detail
from demo.server.uploads import Upload
from demo.service.captions import cleaned
from demo.service.personal import index_uploads
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from seps.progress import Progress

DENSE_NOTE = (
    "In the published protocol every test query carries a dense caption that a multimodal LLM wrote from the query's "
    "own image. Nobody who types a caption has one: scores with and without it are not the same task, so both rankings "
    "are shown."
)

RANKING_EVENTS = ("pick", "export", "why", "all", "second", "film", "compare")  # the last three are of a video


@dataclass(frozen=True)
class PhotosView:
    """The view's components."""

    caption: gr.Textbox
    chips: gr.HTML
    dense: gr.Textbox
    gallery: gr.Radio
    uploads: gr.File
    many: Many
    video: gr.HTML
    lens: gr.HTML
    status: gr.HTML
    ranking: gr.HTML
    viewer: gr.HTML
    start: ViewState

    def linked(self, tab: gr.Tab, state: gr.State) -> LinkedView:
        """Return how links and its tab fill it."""
        outputs = [self.status, self.caption, self.dense, self.gallery, self.ranking, self.viewer, state, self.chips]
        outputs.append(self.many.names)
        return LinkedView(tab, outputs, self.viewer, restore, state, kept=(state,), again=again)


def chips_value(examples: tuple[str, ...]) -> dict[str, Any]:
    """Return what the row of example captions is drawn from."""
    return with_new_key({"items": list(examples)})


def build(registry: ModelRegistry) -> PhotosView:
    """Lay the view out, with the worked example in it from the start; `connect` gives it its events.

    An address that asks for something else does not show it (assets/js/page/first.js).
    """
    captions, note, ranked, shown, start = worked_example(registry)
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            caption = caption_box("Caption", "caption", value=captions[0])
            chips = scripted("chips", "chips", "examples", value=chips_value(captions))
            gallery = gr.Radio(list(registry.names), value=registry.first, label="Photographs", elem_id="gallery")
            with gr.Accordion("Dense caption", open=False, elem_id="dense-box"):
                gr.HTML(f"<p class='hint'>{DENSE_NOTE}</p>")
                dense = caption_box(
                    "Dense caption",
                    "dense",
                    4,
                    20,
                    show_label=False,
                    placeholder="Describe the photograph in 60 to 180 words, or leave this empty.",
                )
            with gr.Accordion("Your photos or video", open=False, elem_id="own-box"):
                uploads = several_photos("uploads")
                video = sending.build()
            camera.build_switch()
            many = build_many(registry, registry.find(registry.first)[1])
            status = gr.HTML(note, elem_id="said")
        with gr.Column(scale=6, min_width=280, elem_classes="found"):
            ranking = scripted("ranking", "ranking", "ranking", RANKING_EVENTS, value=ranked)
        with gr.Column(scale=11, min_width=320, elem_classes="seen"):
            lens = camera.build()
            viewer = scripted(
                "viewer",
                "seps-viewer",
                "viewer",
                ("layer", "export", *MEASURE_EVENTS),
                value=shown,
            )
    return PhotosView(caption, chips, dense, gallery, uploads, many, video, lens, status, ranking, viewer, start)


def worked_example(
    registry: ModelRegistry,
) -> tuple[tuple[str, ...], str, dict[str, Any], dict[str, Any], ViewState]:
    """Return what the page begins with: the first gallery's best photograph for its first example.

    Returns:
        The example captions, the message line, the ranking's value, the viewer's value, and what is shown.
    """
    service, indexed = registry.find(registry.first)
    captions = examples_of(indexed)
    note, ranking, viewer, start = rank_and_show(service, indexed, captions[0], None, ViewState())
    first = {"first": True}
    return captions, note, ranking | first, viewer | first, replace(start, untouched=True)


def rank_and_show(
    service: RetrievalService,
    indexed: IndexedGallery,
    caption: str,
    dense: str | None,
    state: ViewState,
    index: int | None = None,
    progress: Progress = False,
) -> tuple[str, dict[str, Any], dict[str, Any], ViewState]:
    """Rank a gallery and open its best photograph, or the one at `index`; `state` holds which names are ranked, and
    whether all of a large gallery are scored, of which `progress` tells.

    Returns:
        The message line, the ranking's value, the viewer's value, and what is shown now.
    """
    before = state.of(indexed.gallery.name, 0, cleaned(caption), cleaned(dense) or None)
    rank = service.get_cached_ranking if before.exhaustive else service.rank_images
    alone = rank(indexed, caption, None, before.candidates, progress)
    with_dense = rank(indexed, caption, dense, before.candidates, progress, alone) if before.dense else None
    leading = with_dense or alone
    text = None if leading.dense_reading is None else leading.dense_reading.text
    if index is None:
        index = leading.order[0]
    state = state.of(indexed.gallery.name, index, alone.reading.text, text)
    best = service.explain_encoded(indexed, leading.order[0], leading.encoded)
    service.explain_encoded(indexed, index, leading.encoded)  # is remembered, and stands in the viewer's value
    viewer = search_value(service, indexed, state)
    notes = [alone.reading.note, "" if leading.dense_reading is None else leading.dense_reading.note]
    value = ranking_value(indexed, alone, with_dense, index)
    value |= {"why": len(indexed) > 1, "missed": describe_missed(best, service.unmatched_rule)}
    if indexed.gallery.timed:
        value["timeline"] = followed_value(service, indexed, state, leading)
    note = message(" ".join(note for note in notes if note) or indexed.gallery.note)
    return note, value, viewer, state


def standing(registry: ModelRegistry, state: ViewState, problem: str = "") -> str:
    """Return the message line beside a ranking that stays: a problem, else the link's where there is one, and the hint
    of the caption that is shown."""
    try:
        hint = registry.of(state.gallery).read(state.caption).note
    except ValueError:  # nothing is shown yet
        hint = ""
    return message(problem or state.problem, "problem") + message(hint)


def restore(registry: ModelRegistry, link: Link) -> list[Any]:
    """Return the view's values for a link: message, caption, dense caption, gallery, ranking, viewer, state, chips,
    filter."""
    service, indexed = registry.find(link.selected.gallery)
    caption = link.caption or link.example
    index = link.selected.index if link.has_photo else None
    state = replace(link.state, other=second_caption(service, indexed, link.values.get("other", "")))
    note, *shown = rank_and_show(service, indexed, caption, link.dense, state, index)
    chips = chips_value(examples_of(indexed))
    return [note, caption, link.dense, link.selected.gallery, *shown, chips, names_box(indexed)]


def again(registry: ModelRegistry, session: SessionData, query: Mapping[str, str], state: ViewState) -> list[Any]:
    """Return the view's values as a state had them, see `restore`; ValueError where its upload is gone."""
    service, indexed = registry.find(state.gallery, session)
    index = indexed.gallery.find_by_title(query.get("photo", "")) if state.gallery in PERSONAL else state.index
    state = as_linked(state, query)
    note, *shown = rank_and_show(service, indexed, state.caption, state.dense, state, index)
    gallery = gr.Radio([*registry.names, *session.personal], value=state.gallery)
    boxes = chips_value(examples_of(indexed)), names_box(indexed, state.name)
    return [note, state.caption, state.dense or "", gallery, *shown, *boxes]


def connect(
    registry: ModelRegistry, view: PhotosView, session: gr.State, tab: gr.Tab, state: gr.State, answered: gr.HTML
) -> None:
    """Give the view its events; `session` holds a `SessionData`, `state` a `ViewState`, `tab` is the view's, `answered`
    is from `demo.screens.typed.build`.

    Captions come from the state but for the one that changed: a text box in a closed accordion tells nothing.
    """
    outputs = [view.status, view.ranking, view.viewer, state]
    nothing = ("", *[gr.skip()] * (len(outputs) - 1))

    def unchanged(state: ViewState, session: SessionData) -> str:
        personal = session.personal.get(state.gallery)  # what could not be read of it is told still
        note = "" if personal is None else message(left_out(personal))
        return note or standing(registry, state)

    def retyped(caption: str, gallery: str, session: SessionData, state: ViewState) -> tuple[Any, ...] | str:
        service, indexed = registry.find(gallery, session)
        if state.caption and cleaned(caption) == state.caption:
            return unchanged(state, session)
        return rank_and_show(service, indexed, caption, state.dense, state)

    def dense_retyped(dense: str, gallery: str, session: SessionData, state: ViewState) -> tuple[Any, ...] | str:
        if cleaned(dense) == (state.dense or ""):
            return unchanged(state, session)
        return rank_and_show(*registry.find(gallery, session), state.caption, dense, state)

    @errors_as_message(len(outputs))
    def ranked(caption: str, gallery: str, session: SessionData, state: ViewState) -> tuple[Any, ...]:
        return rank_and_show(*registry.find(gallery, session), caption, state.dense, state)

    asking = [view.gallery, session, state]
    connect_typed(view.caption, retyped, asking, outputs, answered, [view.caption.change])
    # At Enter the best photograph opens again, whatever was looked at.
    connect_typed(view.caption, ranked, asking, outputs, answered, [view.caption.submit])
    connect_typed(view.dense, dense_retyped, asking, outputs, answered)

    def renamed(name: str, gallery: str, session: SessionData, state: ViewState) -> tuple[Any, ...] | str:
        service, indexed = registry.find(gallery, session)
        name = " ".join((name or "").split())[:LONGEST]
        if name == state.name or gallery != state.gallery:
            return unchanged(state, session)
        return rank_and_show(service, indexed, state.caption, state.dense, replace(state, name=name))

    connect_typed(view.many.names, renamed, asking, outputs, answered)

    @errors_as_message(len(outputs))
    def score_all(session: SessionData, state: ViewState, progress: gr.Progress = PROGRESS) -> tuple[Any, ...]:
        service, indexed = registry.find(state.gallery, session)
        state = replace(state, exhaustive=True)
        return rank_and_show(service, indexed, state.caption, state.dense, state, progress=progress.tqdm)

    view.ranking.all(score_all, [session, state], outputs, show_progress_on=view.ranking, **OPENING)

    def rank_again(event: Callable[..., Any]) -> None:
        event(ranked, [view.caption, *asking], outputs, **ANSWERING)

    connect_many(registry, view.many, rank_again)

    @errors_as_message(len(outputs))
    def follow(session: SessionData, state: ViewState) -> tuple[Any, ...]:
        if state.gallery not in session.edits:
            return (gr.skip(),) * len(outputs)
        return rank_and_show(*registry.find(state.gallery, session), state.caption, state.dense, state, state.index)

    tab.select(follow, [session, state], outputs, **ANSWERING)

    def other_gallery(
        gallery: str, session: SessionData, state: ViewState, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        try:
            service, indexed = registry.open(gallery, progress.tqdm, session)
            caption, dense = carried_over(service, registry.of(state.gallery), indexed, state)
            answer = rank_and_show(service, indexed, caption, dense, state)
        except ValueError as error:  # the choice goes back to the gallery whose ranking stays in sight
            skipped = [gr.skip()] * (3 + len(outputs))
            return (
                standing(registry, state, str(error)),
                *skipped,
                gallery_kept(state.gallery, [*registry.names, *session.personal]),
            )
        return *answer, caption, dense, chips_value(examples_of(indexed)), names_box(indexed), gr.skip()

    opened = tell_opened(registry, view.gallery, view.status)
    opened(
        other_gallery,
        [view.gallery, session, state],
        [*outputs, view.caption, view.dense, view.chips, view.many.names, view.gallery],
        show_progress_on=[view.ranking, view.viewer, view.chips],
        **OPENING,
    )

    def show_own(session: SessionData, state: ViewState, indexed: IndexedGallery) -> tuple[Any, ...]:
        """Return what a person's own gallery fills, now in their session."""
        service, name = registry.photos, indexed.gallery.name
        caption, dense = carried_over(service, registry.of(state.gallery), indexed, state)
        status, ranking, viewer, now = rank_and_show(service, indexed, caption, dense, replace(state, other=""))
        radio = gr.Radio([*registry.names, *session.personal], value=name)
        boxes = radio, caption, dense, names_box(indexed)
        return message(left_out(indexed)) or status, ranking, viewer, now, session, *boxes

    @errors_as_message(5 + len(outputs))
    def own_photos(
        files: list[Upload] | None, session: SessionData, state: ViewState, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        if not files:
            return *nothing, *[gr.skip()] * 5
        indexed = index_uploads(registry.photos, files, progress.tqdm, session.uploads)
        return show_own(replace(session, uploads=indexed), state, indexed)

    owned = [*outputs, session, view.gallery, view.caption, view.dense, view.many.names]
    view.uploads.upload(
        own_photos,
        [view.uploads, session, state],
        owned,
        show_progress_on=[view.ranking, view.viewer],
        **OPENING,
    )
    sending.connect(registry, view.video, Path(view.uploads.GRADIO_CACHE).resolve(), show_own, session, state, owned)
    camera.connect(registry, view.lens, show_own, session, state, owned)

    @errors_as_message(3)
    def pick(session: SessionData, state: ViewState, event: Detail) -> tuple[Any, ...]:
        service, indexed = registry.find(state.gallery, session)
        index = event.whole("index", len(indexed))
        selected = state.of(state.gallery, index, state.caption, state.dense)
        return "", search_value(service, indexed, selected), selected

    view.ranking.pick(pick, [session, state], [view.status, view.viewer, state], **UNQUEUED)

    @errors_as_message(len(outputs))
    def second(session: SessionData, state: ViewState, event: Detail) -> tuple[Any, ...]:
        service, indexed = registry.find(state.gallery, session)
        state = replace(state, other=second_caption(service, indexed, event.text("caption")))
        return rank_and_show(service, indexed, state.caption, state.dense, state, state.index)

    view.ranking.second(second, [session, state], outputs, **ANSWERING)

    connect_viewer(registry, view.viewer, view.status, session, state)

    @errors_as_message(1 + len(outputs))
    def example(gallery: str, session: SessionData, state: ViewState, event: Detail) -> tuple[Any, ...]:
        caption = event.text("caption")
        status, *answer = rank_and_show(*registry.find(gallery, session), caption, state.dense, state)
        return status, caption, *answer

    view.chips.pick(example, [view.gallery, session, state], [view.status, view.caption, *outputs[1:]], **ANSWERING)

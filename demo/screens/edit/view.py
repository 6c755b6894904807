"""Edit a scene: move, remove or recolour an object or draw another scene, and see ranking and picture follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.drawing.rankings import images_csv
from demo.galleries.annotation import object_name
from demo.galleries.openings import get_opening
from demo.galleries.scenes import SCENES
from demo.record.contrast import Side, changed_shares, contrast
from demo.record.packing import packed
from demo.record.photo import photo_value, strip_value, with_new_key
from demo.record.scene import UNIT, objects_value
from demo.record.table import say
from demo.record.unmatched import describe_missed, unmatched_value
from demo.screens.downloads import OPTIONS, saving, sent
from demo.screens.link import Link, LinkedView
from demo.screens.parts import ANSWERING, ViewState, caption_box, errors_as_message, link_to, message, scripted
from demo.screens.photo_list import ranking_value
from demo.screens.typed import connect_typed
from demo.server.detail import MAX_COUNTED, Detail
from demo.service.captions import cleaned, read_caption
from demo.service.experiment import Experiment, Outcome, experiment, with_changes
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from seps.scenes import KINDS, Scene

CHANGE = ("do", "object", "dx", "dy", "colour", "seed")


@dataclass(frozen=True)
class Editing:
    """What a person works on; lives in the session.

    Attributes:
        index: the scene's in the gallery; caption: as read; selected: the object in hand.
        source: the scene and the caption that were last taken over from the search.
    """

    index: int = 0
    caption: str = ""
    selected: int = 0
    source: tuple[int, str] | None = None


@dataclass(frozen=True)
class EditView:
    """The view's components."""

    caption: gr.Textbox
    strip: gr.HTML
    status: gr.HTML
    scene: gr.HTML
    ranking: gr.HTML
    editing: gr.State

    def linked(self, registry: ModelRegistry, tab: gr.Tab, session: gr.State, searched: gr.State) -> LinkedView:
        """Return how links and its tab fill it: `searched` is the state of the search, whose scene it takes over."""

        def enter(session: SessionData, editing: Editing, searched: ViewState) -> list[Any] | None:
            return entered(registry, session, editing, searched)

        outputs = [self.status, self.caption, self.strip, self.scene, self.ranking, self.editing]
        entering = (session, self.editing, searched)
        return LinkedView(tab, outputs, self.scene, restore, None, enter, entering, kept=(self.editing,), again=again)


def build() -> EditView:
    """Lay the view out."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            caption = caption_box("Caption", "edit-caption")
            strip = scripted("strip", "strip", "edit-strip")
            status = gr.HTML(elem_id="edit-said")
        with gr.Column(scale=12, min_width=320, elem_classes="seen"):
            scene = scripted("edit", "seps-edit", "edit", ("alter", "take", "layer"))
        with gr.Column(scale=5, min_width=260, elem_classes="found"):
            ranking = scripted("ranking", "ranking", "edit-ranking", ("pick", "export"))
    return EditView(caption, strip, status, scene, ranking, gr.State(Editing()))


def show(
    registry: ModelRegistry, session: SessionData, editing: Editing
) -> tuple[str, dict[str, Any], dict[str, Any], Editing]:
    """Return the message line, the scene's value, the ranking's value and the state; ValueError for an unreadable
    caption."""
    service = registry.of(SCENES)
    reading = read_caption(service.model, editing.caption)
    tried = experiment(registry, session, editing.index, reading.text)
    last = len(tried.after.scene.objects) - 1
    editing = replace(editing, caption=reading.text, selected=max(0, min(editing.selected, last)))
    ranking = ranking_value(tried.after.indexed, tried.after.ranking, None, editing.index)
    after = tried.after
    best = service.explain_encoded(after.indexed, after.ranking.order[0], after.ranking.encoded)
    ranking["missed"] = describe_missed(best, service.unmatched_rule)
    return message(reading.note), scene_value(registry, tried, editing), ranking, editing


def scene_value(registry: ModelRegistry, tried: Experiment, editing: Editing) -> dict[str, Any]:
    """Return what the scene is drawn from, before and after."""
    service = registry.of(SCENES)
    state = ViewState(SCENES, editing.index, editing.caption)
    changed = tried.after is not tried.before
    return with_new_key(
        {
            "unit": UNIT,
            "model": service.name,
            "caption": editing.caption,
            "total": len(tried.after.indexed),
            "before": side_value(service, tried.before, editing),
            "after": side_value(service, tried.after, editing) if changed else None,
            "moved": say("mask.moved", gained=tried.gained, lost=tried.lost) if changed else "",
            "shares": share_changes(service, tried) if changed else [],
            "objects": things(tried.after.scene),
            "selected": editing.selected,
            "seed": tried.after.scene.seed,
            "link": link_to(service, "edit", tried.after.indexed, state),
        }
    )


def share_changes(service: RetrievalService, tried: Experiment) -> list[dict[str, Any]]:
    """Return the words whose shares of S(I, T) changed most, see `changed_shares`."""

    def side(outcome: Outcome) -> Side:
        return Side("", "", outcome.record, service.split(outcome.record))

    return changed_shares(contrast(side(tried.before), side(tried.after)))


def side_value(service: RetrievalService, outcome: Outcome, editing: Editing) -> dict[str, Any]:
    """Return the scene before or after: picture, record, rank, true outlines."""
    item = outcome.indexed.gallery.items[editing.index]
    return {
        "photo": photo_value(outcome.indexed, editing.index),
        "record": packed(outcome.record),
        "similarity": outcome.record.similarity,
        "rank": outcome.rank,
        "unfound": unmatched_value(outcome.record, service.unmatched_rule),
        "objects": [] if item.known is None else objects_value(item.known, editing.caption),
    }


def things(scene: Scene) -> list[dict[str, Any]]:
    """Return the objects as the panel lists them, with the colours that each can have."""
    return [
        {
            "number": number,
            "name": object_name(scene, number),
            "colour": thing.colour,
            "colours": list(KINDS[thing.kind].colours),
        }
        for number, thing in enumerate(scene.objects)
    ]


def first_scene(registry: ModelRegistry) -> Editing:
    """Return what the view opens with."""
    opening = get_opening(registry.open(SCENES)[1].gallery, "edit")
    return Editing() if opening is None else Editing(opening.index, opening.captions[0])


def own_caption(registry: ModelRegistry, session: SessionData, index: int) -> str:
    """Return a caption to begin with: the shortest of the scene's own."""
    captions = registry.find(SCENES, session)[1].gallery.items[index].captions
    return min(captions, key=len) if captions else ""


def start(registry: ModelRegistry, session: SessionData, editing: Editing) -> list[Any]:
    """Return the view's values for a scene, a caption of its own where there is none yet: message, caption, strip,
    scene, ranking, state."""
    _, indexed = registry.open(SCENES, session=session)
    caption = editing.caption or own_caption(registry, session, editing.index)
    status, scene, ranking, editing = show(registry, session, replace(editing, caption=caption))
    return [status, editing.caption, strip_value(indexed, editing.index), scene, ranking, editing]


def entered(registry: ModelRegistry, session: SessionData, editing: Editing, state: ViewState) -> list[Any] | None:
    """Return the values with which the view opens: the scene that the search shows where it is another one than it was,
    the one that was chosen for it where there is none yet; None to leave all as it is."""
    source = (state.index, state.caption)
    if state.gallery == SCENES and editing.source != source:
        return start(registry, session, Editing(*source, source=source))
    return None if editing.caption else start(registry, session, first_scene(registry))


def again(registry: ModelRegistry, session: SessionData, query: Mapping[str, str], editing: Editing) -> list[Any]:
    """Return the view's values as a state had them, of the scene as it is edited by now; see `start`."""
    return start(registry, session, editing)


def restore(registry: ModelRegistry, link: Link) -> list[Any]:
    """Return the view's values for a link, see `start`."""
    is_scene = link.selected.gallery == SCENES and bool(link.caption or link.has_photo)
    if link.view == "edit" and link.selected.gallery != SCENES:
        raise ValueError(f"This link edits a photograph of {link.selected.gallery!r}, but only scenes can be edited.")
    editing = Editing(link.selected.index, link.caption) if is_scene else first_scene(registry)
    return start(registry, SessionData(), editing)


def connect(registry: ModelRegistry, view: EditView, session: gr.State, saved: gr.HTML, answered: gr.HTML) -> None:
    """Give the view its events; `answered` is from `demo.screens.typed.build`."""
    outputs = [view.status, view.scene, view.ranking, view.editing]

    @errors_as_message(1 + len(outputs))
    def choose(session: SessionData, editing: Editing, event: Detail) -> tuple[Any, ...]:
        index = event.whole("index", len(registry.open(SCENES)[1]))
        caption = own_caption(registry, session, index)
        return *show(registry, session, replace(editing, index=index, caption=caption, selected=0)), caption

    view.strip.pick(choose, [session, view.editing], [*outputs, view.caption], **ANSWERING)

    @errors_as_message(len(outputs))
    def keep_caption(session: SessionData, editing: Editing, event: Detail) -> tuple[Any, ...]:
        index = event.whole("index", len(registry.open(SCENES)[1]))
        return show(registry, session, replace(editing, index=index, selected=0))

    view.ranking.pick(keep_caption, [session, view.editing], outputs, **ANSWERING)

    def retyped(caption: str, session: SessionData, editing: Editing) -> tuple[Any, ...] | str:
        if cleaned(caption) == editing.caption:
            return ""
        return show(registry, session, replace(editing, caption=caption))

    connect_typed(view.caption, retyped, [session, view.editing], outputs, answered)

    def changed(session: SessionData, editing: Editing, event: Detail) -> tuple[Any, ...]:
        change = event.several(CHANGE)
        if "object" in change:
            editing = replace(editing, selected=event.whole("object", MAX_COUNTED))
        try:
            session = with_changes(registry, session, editing.index, [change])
        except ValueError as error:  # the picture is sent again, so that the page knows that it can go on
            return message(str(error), "problem"), *show(registry, session, editing)[1:], session
        return *show(registry, session, editing), session

    view.scene.alter(changed, [session, view.editing], [*outputs, session], **ANSWERING | {"trigger_mode": "multiple"})

    def take(editing: Editing, event: Detail) -> Editing:
        return replace(editing, selected=event.whole("object", MAX_COUNTED))

    view.scene.take(take, view.editing, view.editing, api_visibility="private", show_progress="hidden", queue=False)

    @saving
    def export(session: SessionData, editing: Editing) -> tuple[str, dict[str, Any]]:
        file = images_csv(*registry.find(SCENES, session), editing.caption, None)
        return message(f"Saved as {file.name}."), sent(file)

    view.ranking.export(export, [session, view.editing], [view.status, saved], **OPTIONS)

"""Edit a scene: move, remove or recolour an object or draw another scene, and see ranking and picture follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.explain.photo import fresh, photo_value, strip_value
from demo.explain.record import packed
from demo.explain.table import say
from demo.explain.value import UNIT, objects_value
from demo.figures.exports import images_csv
from demo.galleries.annotation import object_name
from demo.galleries.scenes import SCENES
from demo.service.benches import Benches, Own
from demo.service.captions import read_caption
from demo.service.experiment import Experiment, Outcome, experiment, with_changes
from demo.views.downloads import OPTIONS, sent
from demo.views.parts import ANSWERING, Shown, link_to, message, scripted, told_below
from demo.views.search import ranking_value
from seps.scenes import KINDS, Scene

CHANGE = ("do", "object", "dx", "dy", "colour", "seed")


@dataclass(frozen=True)
class Editing:
    """What a person works on; lives in the session.

    Attributes:
        place: the scene's; caption: as read; selected: the object in hand.
        source: the scene and the caption that were last taken over from the search.
    """

    place: int = 0
    caption: str = ""
    selected: int = 0
    source: tuple[int, str] | None = None


@dataclass(frozen=True)
class EditView:
    """The view's components."""

    caption: gr.Textbox
    strip: gr.HTML
    said: gr.HTML
    scene: gr.HTML
    ranking: gr.HTML
    editing: gr.State


def build() -> EditView:
    """Lay the view out."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            caption = gr.Textbox(label="Caption", lines=2, max_lines=4, elem_id="edit-caption")
            strip = scripted("strip", "strip", "edit-strip")
            said = gr.HTML(elem_id="edit-said")
        with gr.Column(scale=12, min_width=320, elem_classes="seen"):
            scene = scripted("edit", "seps-edit", "edit", ("alter", "take", "layer"))
        with gr.Column(scale=5, min_width=260, elem_classes="found"):
            ranking = scripted("ranking", "ranking", "edit-ranking", ("pick", "export"))
    return EditView(caption, strip, said, scene, ranking, gr.State(Editing()))


def show(benches: Benches, own: Own, editing: Editing) -> tuple[str, dict[str, Any], dict[str, Any], Editing]:
    """The message line, the scene's value, the ranking's value and the state; ValueError for an unreadable caption."""
    bench = benches.of(SCENES)
    reading = read_caption(bench.model, editing.caption)
    tried = experiment(benches, own, editing.place, reading.text)
    last = len(tried.after.scene.objects) - 1
    editing = replace(editing, caption=reading.text, selected=max(0, min(editing.selected, last)))
    ranking = ranking_value(tried.after.indexed, tried.after.ranking, None, editing.place)
    return message(reading.note), scene_value(benches, tried, editing), ranking, editing


def scene_value(benches: Benches, tried: Experiment, editing: Editing) -> dict[str, Any]:
    """What the scene is drawn from, before and after."""
    bench = benches.of(SCENES)
    shown = Shown(SCENES, editing.place, editing.caption)
    changed = tried.after is not tried.before
    return fresh(
        {
            "unit": UNIT,
            "model": bench.name,
            "caption": editing.caption,
            "total": len(tried.after.indexed),
            "before": side_value(tried.before, editing),
            "after": side_value(tried.after, editing) if changed else None,
            "moved": say("mask.moved", gained=tried.gained, lost=tried.lost) if changed else "",
            "objects": things(tried.after.scene),
            "selected": editing.selected,
            "seed": tried.after.scene.seed,
            "link": link_to(bench, "edit", tried.after.indexed, shown),
        }
    )


def side_value(found: Outcome, editing: Editing) -> dict[str, Any]:
    """The scene before or after: picture, record, rank, true outlines."""
    item = found.indexed.gallery.items[editing.place]
    return {
        "photo": photo_value(found.indexed, editing.place),
        "record": packed(found.record),
        "similarity": found.record.similarity,
        "rank": found.rank,
        "objects": "[]" if item.known is None else objects_value(item.known, editing.caption),
    }


def things(scene: Scene) -> list[dict[str, Any]]:
    """The objects as the panel lists them, with the colours that each can have."""
    return [
        {
            "number": number,
            "name": object_name(scene, number),
            "colour": thing.colour,
            "colours": list(KINDS[thing.kind].colours),
        }
        for number, thing in enumerate(scene.objects)
    ]


def own_caption(benches: Benches, own: Own, place: int) -> str:
    """A caption to begin with: the shortest of the scene's own."""
    captions = benches.find(SCENES, own)[1].gallery.items[place].captions
    return min(captions, key=len) if captions else ""


def start(benches: Benches, own: Own, editing: Editing) -> list[Any]:
    """The view's values for a scene, a caption of its own where there is none yet: message, caption, strip, scene,
    ranking, state."""
    _, indexed = benches.open(SCENES, own=own)
    caption = editing.caption or own_caption(benches, own, editing.place)
    said, scene, ranking, editing = show(benches, own, replace(editing, caption=caption))
    return [said, editing.caption, strip_value(indexed, editing.place), scene, ranking, editing]


def entered(benches: Benches, own: Own, editing: Editing, shown: Shown) -> list[Any] | None:
    """The values with which the view opens: the scene that the search shows where it is another one than it was, the
    first scene where there is none yet; None to leave all as it is."""
    source = (shown.place, shown.caption)
    if shown.gallery == SCENES and editing.source != source:
        return start(benches, own, Editing(*source, source=source))
    return None if editing.caption else start(benches, own, Editing())


def connect(benches: Benches, view: EditView, own: gr.State, saved: gr.HTML) -> None:
    """Give the view its events."""
    outputs = [view.said, view.scene, view.ranking, view.editing]

    @told_below(1 + len(outputs))
    def choose(own: Own, editing: Editing, event: gr.EventData) -> tuple[Any, ...]:
        place = int(event.place)
        caption = own_caption(benches, own, place)
        return *show(benches, own, replace(editing, place=place, caption=caption, selected=0)), caption

    view.strip.pick(choose, [own, view.editing], [*outputs, view.caption], **ANSWERING)

    @told_below(len(outputs))
    def keep_caption(own: Own, editing: Editing, event: gr.EventData) -> tuple[Any, ...]:
        return show(benches, own, replace(editing, place=int(event.place), selected=0))

    view.ranking.pick(keep_caption, [own, view.editing], outputs, **ANSWERING)

    @told_below(len(outputs))
    def retyped(caption: str, own: Own, editing: Editing) -> tuple[Any, ...]:
        if " ".join((caption or "").split()) == editing.caption:  # the page's own doing
            return "", *[gr.skip()] * (len(outputs) - 1)
        return show(benches, own, replace(editing, caption=caption))

    view.caption.change(retyped, [view.caption, own, view.editing], outputs, **ANSWERING)

    def changed(own: Own, editing: Editing, event: gr.EventData) -> tuple[Any, ...]:
        change = {name: getattr(event, name) for name in CHANGE if getattr(event, name, None) is not None}
        editing = replace(editing, selected=int(change.get("object", editing.selected)))
        try:
            own = with_changes(benches, own, editing.place, [change])
        except ValueError as error:  # the picture is sent again, so that the page knows that it can go on
            return message(str(error), "problem"), *show(benches, own, editing)[1:], own
        return *show(benches, own, editing), own

    view.scene.alter(changed, [own, view.editing], [*outputs, own], **ANSWERING | {"trigger_mode": "multiple"})

    def take(editing: Editing, event: gr.EventData) -> Editing:
        return replace(editing, selected=int(event.object))

    view.scene.take(take, view.editing, view.editing, api_visibility="private", show_progress="hidden", queue=False)

    @told_below(2)
    def export(own: Own, editing: Editing) -> tuple[str, dict[str, Any]]:
        file = images_csv(*benches.find(SCENES, own), editing.caption, None)
        return message(f"Saved as {file.name}."), sent(file)

    view.ranking.export(export, [own, view.editing], [view.said, saved], **OPTIONS)

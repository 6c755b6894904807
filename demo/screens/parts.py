"""What several views share: components drawn by our own scripts, and the values that they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from html import escape
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from demo.galleries.index import IndexedGallery
from demo.record.language import sentences
from demo.record.layers import Layer, is_of_pair
from demo.record.packing import packed
from demo.record.photo import photo_value, with_new_key
from demo.record.scene import scene_value
from demo.record.table import say
from demo.record.unmatched import unmatched_value
from demo.server.guard import SHORT
from demo.server.page_value import answering_in_text, page_text
from demo.service.ranking import Candidates
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from seps import Explanation

NO_POOL = "typed ones alone"  # the choice of no captions but those that a person types
RANKED = 24  # photographs of a ranking that are sent to the browser
# Short answers take turns on the computing threads; what takes long, opening a gallery or reading uploads, waits in a
# queue of its own and never blocks them.
# What a person does while an answer is on its way is answered after it, the last of it: by default Gradio drops it.
ANSWERING: dict[str, Any] = {
    "api_visibility": "private",
    "trigger_mode": "always_last",
    "show_progress": "hidden",
    "concurrency_id": SHORT,
    "concurrency_limit": 32,
}
UNQUEUED: dict[str, Any] = {  # what takes the server some milliseconds does not wait in Gradio's queue
    "api_visibility": "private",
    "trigger_mode": "always_last",
    "show_progress": "hidden",
    "queue": False,
}
OPENING: dict[str, Any] = {
    "api_visibility": "private",
    "trigger_mode": "always_last",
    "show_progress": "minimal",
    "concurrency_id": "open",
    "concurrency_limit": 2,
}
# What encodes a picture for every patch waits in a queue of its own.
MEASURING: dict[str, Any] = OPENING | {"concurrency_id": "measure", "concurrency_limit": 1}
# Pictures are drawn two at a time: more of them would only hold more memory, and keep rankings waiting.
DRAWING: dict[str, Any] = {"concurrency_id": "draw", "concurrency_limit": 2}
# A drawing takes seconds: one at a time a person, two for everybody; whoever waits sees their place.
GENERATING: dict[str, Any] = {
    "api_visibility": "private",
    "trigger_mode": "once",
    "show_progress": "minimal",
    "concurrency_id": "generate",
    "concurrency_limit": 2,
}
PROGRESS = gr.Progress()


@dataclass(frozen=True)
class ViewState:
    """The pair that a person looks at; lives in the person's session.

    Attributes:
        gallery: name; index: of the photograph in it; caption, dense: as read.
        layer, opacity, lines: how the picture is drawn; objects: whether a scene's true objects are outlined.
        typed: the captions of a person's own that were ranked with others, one a line.
        problem: what was wrong with the link that led here, to be read until something else is shown.
        mask: a decision by hand, see `demo.service.masks`, or empty for the model's own; budget: of patches in the game
            of keeping that many, 0 where it is not played.
        name: what file names must hold; exhaustive: whether all of a large gallery were scored for this caption.
        untouched: whether it is what the page begins with, and nothing else was shown yet.
        other: a second caption, as read: in Photos of a video, in Why of the left photograph; or empty.
    """

    gallery: str = ""
    index: int = 0
    caption: str = ""
    dense: str | None = None
    layer: str = "mask"
    opacity: float = 0.75
    lines: bool = True
    objects: bool = False
    typed: str = ""
    problem: str = ""
    mask: str = ""
    budget: int = 0
    untouched: bool = False
    name: str = ""
    exhaustive: bool = False
    other: str = ""

    @property
    def candidates(self) -> Candidates:
        """Which photographs are ranked."""
        return Candidates(name=self.name, exhaustive=self.exhaustive)

    def of(self, gallery: str, index: int, caption: str, dense: str | None) -> ViewState:
        """Another pair, drawn the same way; a word, a token or a decision of one pair is not that of another, and what
        takes long to measure is not measured unasked."""
        same = (self.gallery, self.index, self.caption) == (gallery, index, caption)
        layer = "mask" if is_of_pair(self.layer) and not same else self.layer
        mask = self.mask if same and dense == self.dense else ""
        state = replace(self, gallery=gallery, index=index, caption=caption, dense=dense)
        ranked = (self.gallery, self.caption, self.dense) == (gallery, caption, dense)
        name = self.name if self.gallery == gallery else ""
        exhaustive = ranked and self.exhaustive
        return replace(state, layer=layer, mask=mask, problem="", untouched=False, name=name, exhaustive=exhaustive)


def scripted(
    component: str,
    name: str,
    elem_id: str,
    events: tuple[str, ...] = ("pick",),
    value: Any = None,
    **options: Any,
) -> gr.HTML:
    """Build a component that assets/js/app.js draws from its value, anything that is JSON ready, once that is there; it
    fires `events`."""
    fired = ", ".join(f"'{event}'" for event in events)  # Gradio finds the events' names here
    drawn = gr.HTML(
        page_text(value),
        html_template=f'<div class="{name}"></div>',
        js_on_load=f"(window.seps ??= []).push(['{component}', element, props, trigger, watch, [{fired}]]);",
        elem_id=elem_id,
        apply_default_css=False,
        **options,
    )
    return answering_in_text(drawn)


def caption_box(label: str, name: str, rows: int = 2, most: int = 4, **options: Any) -> gr.Textbox:
    """Build a box for one caption in which Enter asks for the answer, and a longer caption takes up to `most` rows;
    Gradio takes Enter for a new line where a box begins with several."""
    look = ["rows-2", "rows-4"][rows > 2] if rows > 1 else "rows-1"
    return gr.Textbox(label=label, lines=1, max_lines=max(rows, most), elem_id=name, elem_classes=look, **options)


def computing() -> dict[str, str]:
    """Return the value of a picture from the start: that it is being computed, until it is filled."""
    return {"waiting": say("hint.computing")}


def opening(gallery: str) -> str:
    """Return the sentence while a gallery is opened that takes seconds."""
    return say("hint.opening", name=gallery)


def tell_opened(registry: ModelRegistry, gallery: gr.Radio, status: gr.HTML) -> Callable[..., Any]:
    """Tell in a view's message line, at once, that the gallery that was chosen is opened, where that takes seconds.

    Returns:
        What gives an event to all that comes of the choice: after that line, which so never follows the answer.
    """

    def tell(name: str) -> Any:
        return message(opening(name)) if registry.is_waited_for(name) else gr.skip()

    return gallery.input(tell, gallery, status, **UNQUEUED).then


def errors_as_message(outputs: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For an event whose first output is a message line: a ValueError goes there, and all else stays as it is."""

    def wrap(event: Callable[..., tuple[Any, ...]]) -> Callable[..., Any]:
        @wraps(event)
        def run(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
            try:
                return event(*args, **kwargs)
            except ValueError as error:
                return (message(str(error), "problem"), *[gr.skip()] * (outputs - 1))

        return run

    return wrap


def gallery_kept(name: str, names: Sequence[str]) -> Any:
    """Return the choice of galleries as it was, after one that could not be opened: `name`, or none where it is no
    choice."""
    return gr.Radio(value=name if name in names else None)


def message(text: str, kind: str = "note") -> str:
    """Return a line for the person: a note, or what was wrong and what to do."""
    if not text:
        return ""
    role = ' role="alert"' if kind == "problem" else ""
    return f'<p class="message {kind}"{role}>{escape(sentences(text))}</p>'


def fold(*lines: str) -> str:
    """Numbers that a reader may unfold, as HTML; nothing where there are none. See assets/js/base/fold.js."""
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    return (
        f"<details class='seps-fold'><summary>{escape(say('fold.numbers'))}</summary>{paragraphs}</details>"
        if paragraphs
        else ""
    )


def viewer_value(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, record: Explanation, view: str
) -> dict[str, Any]:
    """Return the viewer's value: photograph, record, how to draw it, what is true of a scene, and the link that leads
    here."""
    known = indexed.gallery.items[state.index].known
    value = {
        "photo": photo_value(indexed, state.index),
        "model": service.name,
        "caption": state.caption,
        "dense_caption": state.dense,
        "similarity": record.similarity,
        "record": packed(record),
        "unfound": unmatched_value(record, service.unmatched_rule),
        "layer": fitting(state.layer, record),
        "opacity": state.opacity,
        "lines": state.lines,
        "outlined": state.objects,
        "scene": None if known is None else scene_value(record, known, state.caption, service.model.tokenizer),
        "link": link_to(service, view, indexed, state),
    }
    return with_new_key(value)


def fitting(layer: str, record: Explanation) -> str:
    """Return the layer where the record has it, else the decision mask."""
    try:
        Layer.parse(layer).check(record)
    except ValueError:
        return "mask"
    return layer


def link_to(service: RetrievalService, view: str, indexed: IndexedGallery, state: ViewState) -> str | None:
    """Return the query that reproduces a view but for its layer; None for what is a person's own, which is not kept."""
    item, public = indexed.gallery.items[state.index], service.galleries.get(indexed.gallery.name)
    if public is None or public.gallery.items[state.index] is not item:
        return None
    values = {
        "view": view,
        "model": service.name,
        "gallery": indexed.gallery.name,
        "photo": item.key,
    }
    values |= {"caption": state.caption} | ({"dense": state.dense} if state.dense else {})
    values |= {"other": state.other} if view == "search" and indexed.gallery.timed and state.other else {}
    return "?" + urlencode(values)

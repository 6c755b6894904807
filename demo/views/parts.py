"""What several views share: components drawn by our own scripts, and the values that they are given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from html import escape
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from demo.explain.layers import Layer
from demo.explain.photo import fresh, photo_value
from demo.explain.record import packed
from demo.explain.value import scene_value
from demo.galleries.index import IndexedGallery
from demo.service.workbench import Workbench
from seps import Explanation

RANKED = 24  # photographs of a ranking that are sent to the browser
# Short answers take turns on the computing threads; what takes long, opening a gallery or reading uploads, waits in a
# queue of its own and never blocks them.
# What a person does while an answer is on its way is answered after it, the last of it: by default Gradio drops it.
ANSWERING: dict[str, Any] = {
    "api_visibility": "private",
    "trigger_mode": "always_last",
    "show_progress": "hidden",
    "concurrency_id": "answer",
    "concurrency_limit": 32,
}
AT_ONCE: dict[str, Any] = {  # what takes the server some milliseconds does not wait in Gradio's queue
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
PROGRESS = gr.Progress()


@dataclass(frozen=True)
class Shown:
    """The pair that a person looks at; lives in the person's session.

    Attributes:
        gallery: name; place: the photograph in it; caption, dense: as read.
        layer, opacity, lines: how the picture is drawn; objects: whether a scene's true objects are outlined.
        problem: what was wrong with the link that led here, to be read until something else is shown.
    """

    gallery: str = ""
    place: int = 0
    caption: str = ""
    dense: str | None = None
    layer: str = "mask"
    opacity: float = 0.75
    lines: bool = True
    objects: bool = False
    problem: str = ""

    def of(self, gallery: str, place: int, caption: str, dense: str | None) -> Shown:
        """Another pair, drawn the same way; a word or a token of one pair is not that of another."""
        numbered = self.layer.startswith(("word:", "token:"))
        same = (self.gallery, self.place, self.caption) == (gallery, place, caption)
        layer = "mask" if numbered and not same else self.layer
        return replace(self, gallery=gallery, place=place, caption=caption, dense=dense, layer=layer, problem="")


def scripted(component: str, name: str, elem_id: str, events: tuple[str, ...] = ("pick",), **options: Any) -> gr.HTML:
    """A component that assets/js/app.js draws from its value, once that is there; it fires `events`."""
    fired = ", ".join(f"'{event}'" for event in events)  # Gradio finds the events' names here
    return gr.HTML(
        html_template=f'<div class="{name}"></div>',
        js_on_load=f"(window.seps ??= []).push(['{component}', element, props, trigger, watch, [{fired}]]);",
        elem_id=elem_id,
        apply_default_css=False,
        **options,
    )


def told_below(outputs: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
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


def message(text: str, kind: str = "note") -> str:
    """A line for the person: a note, or what was wrong and what to do."""
    if not text:
        return ""
    role = ' role="alert"' if kind == "problem" else ""
    return f'<p class="message {kind}"{role}>{escape(text)}</p>'


def viewer_value(
    bench: Workbench, indexed: IndexedGallery, shown: Shown, record: Explanation, view: str
) -> dict[str, Any]:
    """The viewer's value: photograph, record, how to draw it, what is true of a scene, and the link that leads here."""
    known = indexed.gallery.items[shown.place].known
    value = {
        "photo": photo_value(indexed, shown.place),
        "model": bench.name,
        "caption": shown.caption,
        "dense_caption": shown.dense,
        "similarity": record.similarity,
        "record": packed(record),
        "layer": fitting(shown.layer, record),
        "opacity": shown.opacity,
        "lines": shown.lines,
        "outlined": shown.objects,
        "scene": None if known is None else scene_value(record, known, shown.caption, bench.model.tokenizer),
        "link": link_to(bench, view, indexed, shown),
    }
    return fresh(value)


def fitting(layer: str, record: Explanation) -> str:
    """The layer where the record has it, else the decision mask."""
    try:
        Layer.parse(layer).check(record)
    except ValueError:
        return "mask"
    return layer


def link_to(bench: Workbench, view: str, indexed: IndexedGallery, shown: Shown) -> str | None:
    """The query that reproduces a view but for its layer; None for what is a person's own, which is not kept."""
    item, public = indexed.gallery.items[shown.place], bench.galleries.get(indexed.gallery.name)
    if public is None or public.gallery.items[shown.place] is not item:
        return None
    values = {
        "view": view,
        "model": bench.name,
        "gallery": indexed.gallery.name,
        "photo": item.key,
    }
    values |= {"caption": shown.caption} | ({"dense": shown.dense} if shown.dense else {})
    return "?" + urlencode(values)

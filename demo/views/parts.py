"""What several views share: components drawn by our own scripts, and the values that they are given."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from html import escape
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from demo.galleries.gallery import GalleryItem
from demo.galleries.index import IndexedGallery
from demo.layers import Layer
from demo.photos import data_url
from demo.record import packed
from demo.scenes.value import scene_value
from demo.workbench import Workbench
from seps import Explanation

PHOTO_SIZE = 900  # longest side of the photograph under a picture, in pixels
RANKED = 24  # photographs of a ranking that are sent to the browser
# Short answers share the processor by twos; what takes long, opening a gallery or reading uploads, never blocks them.
# What a person does while an answer is on its way is answered after it, the last of it: by default Gradio drops it.
ANSWERING: dict[str, Any] = {
    "api_visibility": "private",
    "trigger_mode": "always_last",
    "show_progress": "hidden",
    "concurrency_id": "answer",
    "concurrency_limit": 2,
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
_numbers = itertools.count()


@dataclass(frozen=True)
class Shown:
    """The pair that a person looks at; lives in the person's session.

    Attributes:
        gallery: name; place: the photograph in it; caption, dense: as read.
        layer, opacity, lines: how the picture is drawn; objects: whether a scene's true objects are outlined.
    """

    gallery: str = ""
    place: int = 0
    caption: str = ""
    dense: str | None = None
    layer: str = "mask"
    opacity: float = 0.75
    lines: bool = True
    objects: bool = False

    def of(self, gallery: str, place: int, caption: str, dense: str | None) -> Shown:
        """Another pair, drawn the same way; a word or a token of one pair is not that of another."""
        numbered = self.layer.startswith(("word:", "token:"))
        same = (self.gallery, self.place, self.caption) == (gallery, place, caption)
        layer = "mask" if numbered and not same else self.layer
        return replace(self, gallery=gallery, place=place, caption=caption, dense=dense, layer=layer)


def scripted(mount: str, name: str, elem_id: str, events: tuple[str, ...] = ("pick",), **options: Any) -> gr.HTML:
    """A component that `window.<mount>` draws from its value, and that fires `events`."""
    fired = ", ".join(f"'{event}'" for event in events)  # Gradio finds the events' names here
    return gr.HTML(
        html_template=f'<div class="{name}"></div>',
        js_on_load=f"window.{mount}(element, props, trigger, watch, [{fired}]);",
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


@lru_cache(maxsize=256)
def _photo_source(item: GalleryItem) -> tuple[str, int, int]:
    photo = item.photo()
    return data_url(photo, PHOTO_SIZE), photo.width, photo.height


def photo_value(indexed: IndexedGallery, place: int) -> dict[str, Any]:
    """The photograph as the viewer takes it."""
    item = indexed.gallery.items[place]
    source, width, height = _photo_source(item)
    values = {"src": source, "width": width, "height": height, "title": item.title}
    return values | {
        "credit": item.credit,
        "link": item.link,
        "licence": item.licence,
        "licence_link": item.licence_link,
    }


def credit_of(item: GalleryItem) -> str:
    """Whose the photograph is, and its licence."""
    return ", ".join(part for part in (item.credit, item.licence) if part)


def viewer_value(
    bench: Workbench, indexed: IndexedGallery, shown: Shown, record: Explanation, view: str
) -> dict[str, Any]:
    """The viewer's value: photograph, record, how to draw it, what is true of a scene, and the link that leads here."""
    known = indexed.gallery.items[shown.place].known
    return {
        "key": next(_numbers),
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


def strip_value(indexed: IndexedGallery, selected: int | None) -> dict[str, Any]:
    """A strip of a gallery's photographs."""
    items = [
        {"place": place, "title": item.title, "thumb": indexed.thumbnails[place]}
        for place, item in enumerate(indexed.gallery.items)
    ]
    return {"key": next(_numbers), "items": items, "selected": selected}


def fresh(value: dict[str, Any]) -> dict[str, Any]:
    """The value under a new number, so that the browser sees that it is another one."""
    return {"key": next(_numbers)} | value

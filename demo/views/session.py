"""Opening the page: a link brings its view back, without one there is a worked example."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.layers import Layer
from demo.views import captions, compare, lesson, search
from demo.views.captions import Captions
from demo.views.chooser import Chosen
from demo.views.compare import Compare
from demo.views.lesson import LessonView
from demo.views.parts import OPENING, Shown, message, strip_value
from demo.views.search import FIRST_CAPTION, Search
from demo.workbench import Workbench

VIEWS = ("search", "captions", "compare", "lesson", "about")
LONGEST = 4000  # characters of a link's value that are read


def connect(
    bench: Workbench,
    page: gr.Blocks,
    tabs: gr.Tabs,
    views: tuple[Search, Captions, Compare, LessonView],
    states: tuple[gr.State, gr.State, gr.State],
) -> None:
    """Fill the page when it loads, from the address."""
    find, ask, side, walk = views
    outputs = [
        *[tabs, find.said, find.caption, find.dense, find.gallery, find.ranking, find.viewer, states[0]],
        *[ask.said, ask.chooser.gallery, ask.chooser.strip, ask.chooser.chosen, ask.ranking, ask.viewer, states[1]],
        *[side.said, side.chooser.gallery, side.chooser.strip, side.chooser.chosen, side.captions],
        *[side.pictures, states[2]],
        *[walk.said, walk.chooser.gallery, walk.chooser.strip, walk.chooser.chosen, walk.caption, walk.dense],
        *[walk.walk, walk.told],
    ]

    def load(request: gr.Request) -> tuple[Any, ...]:
        wanted = {name: str(value)[:LONGEST] for name, value in dict(request.query_params).items()}
        return tuple(fill(bench, wanted))

    page.load(load, None, outputs, **OPENING | {"show_progress": "hidden"})


def fill(bench: Workbench, wanted: dict[str, str]) -> list[Any]:
    """The values of every view for a link's query; what a link has wrong is said, and the example stands instead."""
    view = wanted.get("view", "search")
    said = ""
    chosen, caption, dense, layer = Chosen(bench.first, 0), "", "", "mask"
    try:
        if view not in VIEWS:
            raise ValueError(f"This link leads to the view {view!r}, but there are: {', '.join(VIEWS)}.")
        if wanted.get("model", bench.name) != bench.name:
            raise ValueError(f"This link is for the model {wanted['model']!r}, but {bench.name!r} is the one here.")
        gallery = bench.open(wanted.get("gallery", bench.first)).gallery
        chosen = Chosen(gallery.name, gallery.position(wanted["photo"]) if "photo" in wanted else 0)
        layer = str(Layer.parse(wanted.get("layer", "mask")))
        caption, dense = wanted.get("caption", ""), wanted.get("dense", "")
    except ValueError as error:
        said, view = message(str(error), "problem"), "search"
    shown = Shown(chosen.gallery, chosen.place, caption, dense or None, layer)
    indexed = bench.find(chosen.gallery)
    linked = bool(caption)
    try:
        first = caption if view == "search" and linked else FIRST_CAPTION
        place = chosen.place if view == "search" and "photo" in wanted and linked else None
        found = search.rank_and_show(bench, indexed, first, dense, shown, place)
    except ValueError as error:
        said, first, dense = message(str(error), "problem"), FIRST_CAPTION, ""
        found = search.rank_and_show(bench, indexed, first, None, Shown())
    if not linked:
        chosen = Chosen(chosen.gallery, found[3].place)
    named = caption if view == "captions" and linked else None
    pool = chosen.gallery if indexed.gallery.items[chosen.place].captions else "examples"
    texts = caption if view == "compare" and linked else compare.own_captions(bench, chosen)
    strip = strip_value(indexed, chosen.place)
    return [
        *[gr.Tabs(selected=view), said or found[0], first, dense, chosen.gallery, *found[1:]],
        *["", chosen.gallery, strip, chosen, *captions.rank_and_show(bench, chosen, pool, "", shown, named)[1:]],
        *["", chosen.gallery, strip, chosen, texts, *compared(bench, chosen, texts, shown)],
        *walked(bench, wanted if view == "lesson" else {}, chosen, strip, caption or first, dense),
    ]


def walked(
    bench: Workbench, wanted: dict[str, str], chosen: Chosen, strip: dict[str, Any], caption: str, dense: str | None
) -> list[Any]:
    """The lesson's values; without a dense caption in the link it takes the photograph's own."""
    long_text = wanted.get("dense", "") if "caption" in wanted else dense or lesson.own_caption(bench, chosen)[1]
    said = ""
    try:
        told = lesson.from_link(bench, wanted, chosen, caption, long_text)
        shown = lesson.show(bench, told)
    except ValueError as error:
        said = message(str(error), "problem")
        shown = lesson.show(bench, lesson.from_link(bench, {}, chosen, FIRST_CAPTION, ""))
    _, value, told = shown
    value |= {"talk": wanted.get("talk") == "1"}
    return [said, chosen.gallery, strip, chosen, told.caption, told.dense, value, told]


def compared(bench: Workbench, chosen: Chosen, texts: str, shown: Shown) -> tuple[Any, Shown]:
    """The comparison's value and state, nothing where the photograph has no captions yet."""
    try:
        return compare.show_side_by_side(bench, chosen, texts, shown)[1:]
    except ValueError:
        return None, Shown(chosen.gallery, chosen.place)

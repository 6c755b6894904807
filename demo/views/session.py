"""Opening the page: a link brings its view back, without one there is a worked example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import gradio as gr

from demo.captions import read_caption
from demo.layers import Layer
from demo.views import captions, compare, lesson, search
from demo.views.captions import Captions
from demo.views.chooser import Chooser, Chosen
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
    tab: Mapping[str, gr.Tab],
    views: tuple[Search, Captions, Compare, LessonView],
    states: tuple[gr.State, gr.State, gr.State],
) -> None:
    """Fill the page from the address when it loads; a view that is not in sight is filled when its tab is opened."""
    find, ask, side, walk = views
    outputs: dict[str, list[Any]] = {
        "search": [find.said, find.caption, find.dense, find.gallery, find.ranking, find.viewer, states[0]],
        "captions": [*chosen_by(ask.said, ask.chooser), ask.ranking, ask.viewer, states[1]],
        "compare": [*chosen_by(side.said, side.chooser), side.captions, side.pictures, states[2]],
        "lesson": [*chosen_by(walk.said, walk.chooser), walk.caption, walk.dense, walk.walk, walk.told],
    }
    filled = gr.State(())
    quietly = OPENING | {"show_progress": "hidden"}

    def load(request: gr.Request) -> tuple[Any, ...]:
        wanted = {name: str(value)[:LONGEST] for name, value in dict(request.query_params).items()}
        view, values = fill(bench, wanted)
        given = [values.get(name) or [gr.skip()] * len(places) for name, places in outputs.items()]
        return gr.Tabs(selected=view), (view, *values), *chain(*given)

    page.load(load, None, [tabs, filled, *chain(*outputs.values())], **quietly)

    def opener(name: str) -> Callable[[tuple[str, ...]], tuple[Any, ...]]:
        def opened(filled: tuple[str, ...]) -> tuple[Any, ...]:
            if not filled or name in filled:  # a tab also opens while the page loads, which fills it
                return filled, *[gr.skip()] * len(outputs[name])
            return (*filled, name), *fill(bench, {}, name)[1][name]

        return opened

    for name, places in outputs.items():
        tab[name].select(opener(name), filled, [filled, *places], **quietly)


def chosen_by(said: gr.HTML, chooser: Chooser) -> list[Any]:
    """The components that every view with a chooser begins with."""
    return [said, chooser.gallery, chooser.strip, chooser.chosen]


def fill(bench: Workbench, wanted: dict[str, str], only: str | None = None) -> tuple[str, dict[str, list[Any]]]:
    """What a link's query leads to; what it has wrong is said, and the worked example stands instead.

    Args:
        wanted: the query.
        only: the view to fill; where left out, the one that the link leads to.

    Returns:
        The view in sight, and the values of its components by its name.
    """
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
        if caption and view != "compare":
            read_caption(bench.model, caption)
    except ValueError as error:
        said, view, caption, dense = message(str(error), "problem"), "search", "", ""
    indexed = bench.find(chosen.gallery)
    if not caption:
        chosen = Chosen(chosen.gallery, bench.rank_images(indexed, FIRST_CAPTION).order[0])
    shown = Shown(chosen.gallery, chosen.place, caption, dense or None, layer)
    strip = [chosen.gallery, strip_value(indexed, chosen.place), chosen]
    name = only or view
    values: list[Any] = []
    if name == "search":
        place = chosen.place if "photo" in wanted and caption else None
        note, *found = search.rank_and_show(bench, indexed, caption or FIRST_CAPTION, dense, shown, place)
        values = [said or note, caption or FIRST_CAPTION, dense, chosen.gallery, *found]
    elif name == "captions":
        pool = chosen.gallery if indexed.gallery.items[chosen.place].captions else "examples"
        note, *found = captions.rank_and_show(bench, chosen, pool, "", shown, caption or None)
        values = [said or note, *strip, *found]
    elif name == "compare":
        texts = caption or compare.own_captions(bench, chosen)
        values = [said, *strip, texts, *compared(bench, chosen, texts, shown)]
    elif name == "lesson":
        note, *found = walked(bench, wanted if view == "lesson" else {}, chosen, caption or FIRST_CAPTION, dense)
        values = [said or note, *strip, *found]
    return view, {name: values} if values else {}


def walked(bench: Workbench, wanted: dict[str, str], chosen: Chosen, caption: str, dense: str | None) -> list[Any]:
    """The lesson's message, captions, value and state; without a dense caption in the link, the photograph's own."""
    long_text = dense or "" if "caption" in wanted else lesson.own_caption(bench, chosen)[1]
    said = ""
    try:
        told = lesson.from_link(bench, wanted, chosen, caption, long_text)
        shown = lesson.show(bench, told)
    except ValueError as error:
        said = message(str(error), "problem")
        shown = lesson.show(bench, lesson.from_link(bench, {}, chosen, FIRST_CAPTION, ""))
    _, value, told = shown
    return [said, told.caption, told.dense, value | {"talk": wanted.get("talk") == "1"}, told]


def compared(bench: Workbench, chosen: Chosen, texts: str, shown: Shown) -> tuple[Any, Shown]:
    """The comparison's value and state, nothing where the photograph has no captions yet."""
    try:
        return compare.show_side_by_side(bench, chosen, texts, shown)[1:]
    except ValueError:
        return None, Shown(chosen.gallery, chosen.place)

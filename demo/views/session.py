"""Opening the page: a link brings its view back, without one there is a worked example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import gradio as gr

from demo.explain.layers import Layer
from demo.explain.photo import strip_value
from demo.galleries.scenes import SCENES
from demo.service.benches import Benches, Found, Own
from demo.service.captions import read_caption
from demo.views import captions, compare, edit, lesson, search
from demo.views.captions import Captions
from demo.views.chooser import Chooser, Chosen
from demo.views.compare import Compare
from demo.views.edit import Editing, EditView
from demo.views.lesson import LessonView, Told
from demo.views.parts import AT_ONCE, OPENING, PROGRESS, Shown, message
from demo.views.search import FIRST_CAPTION, Search
from seps.progress import Progress

USED = ("search", "captions", "compare", "lesson")  # the views whose state tells whether they have been used
VIEWS = ("search", "captions", "compare", "edit", "lesson", "about")
LONGEST = 4000  # characters of a link's value that are read


def connect(
    benches: Benches,
    page: gr.Blocks,
    tabs: gr.Tabs,
    tab: Mapping[str, gr.Tab],
    views: tuple[Search, Captions, Compare, LessonView, EditView | None],
    states: tuple[gr.State, gr.State, gr.State],
    own: gr.State,
) -> None:
    """Fill the page from the address when it loads; a view that is not in sight is filled when its tab is opened."""
    find, ask, side, walk, change = views
    outputs: dict[str, list[Any]] = {
        "search": [
            *(find.said, find.caption, find.dense, find.gallery, find.ranking, find.viewer, states[0]),
            find.chips,
        ],
        "captions": [*chosen_by(ask.said, ask.chooser), ask.ranking, ask.viewer, states[1], ask.pool],
        "compare": [*chosen_by(side.said, side.chooser), side.captions, side.pictures, states[2]],
        "lesson": [*chosen_by(walk.said, walk.chooser), walk.caption, walk.dense, walk.walk, walk.told],
    }
    if change is not None:
        outputs["edit"] = [change.said, change.caption, change.strip, change.scene, change.ranking, change.editing]
    pictures = {"search": find.viewer, "captions": ask.viewer, "compare": side.pictures, "lesson": walk.walk}
    if change is not None:
        pictures["edit"] = change.scene
    filled = gr.State(())
    awaited = gr.State({})  # the query whose gallery is not open yet
    quietly = OPENING | {"show_progress": "hidden"}
    everything = [tabs, filled, awaited, *chain(*outputs.values())]

    def all_views(values: Mapping[str, list[Any]]) -> Iterator[Any]:
        return chain(*(values.get(name) or [gr.skip()] * len(places) for name, places in outputs.items()))

    # What fills a view is computed first and put in its place by an event of its own, which sees whether the person
    # has used the view meanwhile: what they did stays.
    loaded = gr.State(None)

    def load(request: gr.Request) -> tuple[str, dict[str, list[Any]], dict[str, str]]:
        wanted = {name: str(value)[:LONGEST] for name, value in dict(request.query_params).items()}
        view, gallery = wanted.get("view", "search"), gallery_of(benches, wanted)
        if view in outputs and benches.is_waited_for(gallery):
            return view, {view: waiting(gallery, outputs[view], pictures[view])}, wanted
        return *fill(benches, wanted), {}

    def place_loaded(
        loaded: tuple[str, dict[str, list[Any]], dict[str, str]], caption: str, *used: Shown | Told
    ) -> tuple[Any, ...]:
        view, values, wanted = loaded
        typed = view == "search" and not wanted and caption != FIRST_CAPTION
        left = {name: found for name, found in values.items() if not (typed or is_used(name, used))}
        return None, gr.Tabs(selected=view), (view, *values), wanted, *all_views(left)

    in_use = [states[0], states[1], states[2], walk.told]

    def is_used(name: str, used: Sequence[Shown | Told]) -> bool:
        return name in USED and bool(used[USED.index(name)].caption)

    # In the queue: what is awaited changes, which Gradio does not notice outside of it.
    page.load(load, None, loaded, **quietly).then(
        place_loaded, [loaded, find.caption, *in_use], [loaded, *everything], **quietly
    )

    def late(wanted: dict[str, str], filled: tuple[str, ...], progress: gr.Progress = PROGRESS) -> tuple[Any, ...]:
        if not wanted:
            return (gr.skip(),) * len(everything)
        view, values = fill(benches, wanted, progress=progress.tqdm)
        asked = wanted.get("view", "search")
        if view != asked:  # what was waited for cannot be had: the sentence and the worked example stand there instead
            problem = next(value.problem for value in values[view] if isinstance(value, Shown))
            view, values = asked, instead(benches, asked, problem, outputs, pictures)
        if view in filled:  # as it waited: the person may have opened other tabs meanwhile, which have been filled
            return gr.skip(), gr.skip(), {}, *all_views(values)
        return gr.Tabs(selected=view), (*filled, view), {}, *all_views(values)

    awaited.change(late, [awaited, filled], everything, show_progress_on=list(pictures.values()), **OPENING)

    def opener(name: str) -> Callable[[tuple[str, ...]], tuple[Any, ...]]:
        def opened(filled: tuple[str, ...]) -> tuple[Any, ...]:
            if not filled or name in filled:  # a tab also opens while the page loads, which fills it
                return filled, None
            return (*filled, name), fill(benches, {}, name)[1][name]

        return opened

    def placer(name: str) -> Callable[..., tuple[Any, ...]]:
        def place(found: list[Any] | None, *used: Shown | Told) -> tuple[Any, ...]:
            return None, *([gr.skip()] * len(outputs[name]) if found is None or is_used(name, used) else found)

        return place

    def enter(
        filled: tuple[str, ...], wanted: dict[str, str], own: Own, editing: Editing, shown: Shown
    ) -> tuple[Any, ...]:
        count = len(outputs["edit"])
        if not filled or wanted:  # the page loads, or waits, and is filled then
            return gr.skip(), *[gr.skip()] * count
        if benches.is_waited_for(SCENES):
            return {"view": "edit"}, *waiting(SCENES, outputs["edit"], pictures["edit"])
        return gr.skip(), *(edit.entered(benches, own, editing, shown) or [gr.skip()] * count)

    for name, places in outputs.items():
        if name != "edit":
            found = gr.State(None)
            opening = tab[name].select(opener(name), filled, [filled, found], **quietly)
            opening.then(placer(name), [found, *in_use], [found, *places], **AT_ONCE)
        elif change is not None:
            tab[name].select(enter, [filled, awaited, own, change.editing, states[0]], [awaited, *places], **quietly)


def chosen_by(said: gr.HTML, chooser: Chooser) -> list[Any]:
    """The components that every view with a chooser begins with."""
    return [said, chooser.gallery, chooser.strip, chooser.chosen]


def gallery_of(benches: Benches, wanted: Mapping[str, str]) -> str:
    """The gallery that a link's query leads to, right or not."""
    return SCENES if wanted.get("view") == "edit" else wanted.get("gallery", benches.first)


def waiting(gallery: str, places: Sequence[Any], picture: gr.HTML) -> list[Any]:
    """The values of a view's `places` while its gallery is opened: the picture says so, and all else is as it is."""
    text = f"Opening the gallery {gallery}. The first time, the model reads its pictures, which takes some seconds."
    return [{"waiting": text} if place is picture else gr.skip() for place in places]


def instead(
    benches: Benches, view: str, problem: str, outputs: Mapping[str, list[Any]], pictures: Mapping[str, gr.HTML]
) -> dict[str, list[Any]]:
    """The values of a view that waited in vain: the worked example below the problem, where the view can show it."""
    try:
        return {view: below(problem, fill(benches, {}, view)[1][view])}
    except ValueError:  # its only gallery is the one that cannot be had
        values = [None if place is pictures[view] else gr.skip() for place in outputs[view]]
        return {view: below(problem, values)}


def below(problem: str, values: Sequence[Any]) -> list[Any]:
    """A view's values under a problem of the link, which stays until the person does something; "" changes nothing."""
    if not problem:
        return list(values)
    kept = (replace(value, problem=problem) if isinstance(value, Shown | Told) else value for value in values[1:])
    return [message(problem, "problem"), *kept]


def fill(
    benches: Benches, wanted: Mapping[str, str], only: str | None = None, progress: Progress = False
) -> tuple[str, dict[str, list[Any]]]:
    """What a link's query leads to; what it has wrong is said, and the worked example stands instead.

    Args:
        wanted: the query.
        only: the view to fill; where left out, the one that the link leads to.
        progress: as in `ScoringEngine`, of a gallery that is opened now.

    Returns:
        The view in sight, and the values of its components by its name.
    """
    view = wanted.get("view", "search")
    problem = ""
    chosen, caption, dense, layer = Chosen(benches.first, 0), "", "", "mask"
    try:
        if view not in VIEWS:
            raise ValueError(f"This link leads to the view {view!r}, but there are: {', '.join(VIEWS)}.")
        if view == "edit":
            if SCENES not in benches.names:
                raise ValueError("This link leads to the scenes, which are not here.")
            benches.open(SCENES, progress)
        bench, indexed = linked(benches, wanted, progress)
        gallery = indexed.gallery
        chosen = Chosen(gallery.name, gallery.position(wanted["photo"]) if "photo" in wanted else 0)
        layer = str(Layer.parse(wanted.get("layer", "mask")))
        caption, dense = wanted.get("caption", ""), wanted.get("dense", "")
        if caption and view != "compare":
            read_caption(bench.model, caption)
    except ValueError as error:
        problem, view, caption, dense = str(error), "search", "", ""
    bench, indexed = benches.find(chosen.gallery)
    examples = search.examples_of(indexed)
    if not caption:
        chosen = Chosen(chosen.gallery, bench.rank_images(indexed, examples[0]).order[0])
    shown = Shown(chosen.gallery, chosen.place, caption, dense or None, layer)
    strip = [chosen.gallery, strip_value(indexed, chosen.place), chosen]
    name = only or view
    values: list[Any] = []
    if name == "search":
        place = chosen.place if "photo" in wanted and caption else None
        note, *found = search.rank_and_show(bench, indexed, caption or examples[0], dense, shown, place)
        chips = search.chips_value(examples)
        values = [note, caption or examples[0], dense, chosen.gallery, *found, chips]
    elif name == "captions":
        offered = captions.pools(benches, chosen)
        note, *found = captions.rank_and_show(benches, chosen, offered["value"], "", shown, caption or None)
        values = [note, *strip, *found, gr.Radio(**offered)]
    elif name == "compare":
        texts = caption or compare.own_captions(benches, chosen)
        values = ["", *strip, texts, *compared(benches, chosen, texts, shown)]
    elif name == "edit":
        here = chosen.gallery == SCENES and bool(caption)
        start = edit.Editing(chosen.place, caption) if here else edit.Editing()
        values = edit.start(benches, Own(), start)
    elif name == "lesson":
        told = wanted if view == "lesson" else {}
        note, *found = walked(benches, told, chosen, caption or examples[0], dense)
        values = [note, *strip, *found]
    return view, {name: below(problem, values)} if values else {}


def linked(benches: Benches, wanted: Mapping[str, str], progress: Progress = False) -> Found:
    """The gallery of a link with its bench; ValueError where there is none, or another model than the link says."""
    gallery = wanted.get("gallery", benches.first)
    model = wanted.get("model")
    if model is not None and model not in benches.models:
        raise ValueError(f"This link is for the model {model!r}, but there are: {', '.join(benches.models)}.")
    bench, indexed = benches.open(gallery, progress)
    if model not in (None, bench.name):
        raise ValueError(
            f"This link is for the model {model!r}, but the gallery {gallery!r} belongs to the model {bench.name!r}."
        )
    return bench, indexed


def walked(benches: Benches, wanted: Mapping[str, str], chosen: Chosen, caption: str, dense: str | None) -> list[Any]:
    """The lesson's message, captions, value and state; without a dense caption in the link, the photograph's own."""
    long_text = dense or "" if "caption" in wanted else lesson.own_caption(benches, chosen)[1]
    said = ""
    try:
        told = lesson.from_link(benches, wanted, chosen, caption, long_text)
        shown = lesson.show(benches, told)
    except ValueError as error:
        said = message(str(error), "problem")
        example = search.examples_of(benches.find(chosen.gallery)[1])[0]
        shown = lesson.show(benches, lesson.from_link(benches, {}, chosen, example, ""))
    _, value, told = shown
    return [said, told.caption, told.dense, value | {"talk": wanted.get("talk") == "1"}, told]


def compared(benches: Benches, chosen: Chosen, texts: str, shown: Shown) -> tuple[Any, Shown]:
    """The comparison's value and state, nothing where the photograph has no captions yet."""
    try:
        return compare.show_side_by_side(benches, chosen, texts, shown)[1:]
    except ValueError:
        return None, Shown(chosen.gallery, chosen.place)

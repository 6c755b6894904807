"""Opening the page: a link brings its view back, without one there is a worked example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr

from demo.record.layers import Layer
from demo.screens import trail
from demo.screens.captions import view as captions
from demo.screens.compare import view as compare
from demo.screens.edit import view as edit
from demo.screens.generate import view as generate
from demo.screens.judge import view as judge
from demo.screens.lesson import view as lesson
from demo.screens.lesson.view import LessonState
from demo.screens.link import Link, LinkedView, read_link, read_query, waited_for, wrong_link
from demo.screens.losses import view as losses
from demo.screens.parts import ANSWERING, OPENING, PROGRESS, UNQUEUED, ViewState, message, scripted
from demo.screens.photos import view as photos
from demo.screens.why import view as why
from demo.service.registry import ModelRegistry
from seps.progress import Progress

RESTORE: Mapping[str, Callable[[ModelRegistry, Link], list[Any]]] = {
    "search": photos.restore,
    "captions": captions.restore,
    "compare": compare.restore,
    "why": why.restore,
    "edit": edit.restore,
    "judge": judge.restore,
    "generate": generate.restore,
    "lesson": lesson.restore,
    "losses": losses.restore,
}
QUIETLY = ANSWERING  # not in the queue of galleries that are opened: what fills a view never waits behind them
NOTHING: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "trigger_mode": "multiple"}
Values = dict[str, list[Any]]  # of a view's components, by its name
IN_LESSON = ("losses", "paper")  # views with a tab of the lesson's
LAYERED = ("search", "captions", "compare", "why")  # views that draw the layer of a link
LOOKS = {"__theme", "embed"}  # what an address says of the page and not of what is shown (assets/js/page/embed.js)
FIRST = "search"  # the view that is in sight from the start
# An event waits until what the person has done is answered (assets/js/page/acts.js).
SETTLED = """async (...inputs) => {
    await window.seps?.settled?.();
    return inputs;
}"""
# The query that the page was opened with: by now the address may be that of what the page shows from the start.
OPENED = "() => [window.seps?.opened ?? location.search]"
# As SETTLED; the first input is the view in sight, the second what stands in the box of Photos by now.
IN_SIGHT = """async (_, caption, ...others) => {
    await window.seps?.settled?.();
    const chosen = [...document.querySelectorAll("#views [role=tab][aria-selected=true]")];
    const here = chosen.filter((one) => one.offsetParent).map((one) => one.dataset.tabId).at(-1) ?? "";
    const typed = document.querySelector("#caption textarea")?.value ?? caption;
    return [here === "walk" ? "lesson" : here, typed, ...others];
}"""


@dataclass(frozen=True)
class Loaded:
    """What fills a view: the view, values of components by view, and the query that it waits for, empty where it does
    not wait."""

    view: str
    values: Values
    query: dict[str, str] = field(default_factory=dict)


def connect(
    registry: ModelRegistry,
    page: gr.Blocks,
    tabs: Sequence[gr.Tabs],
    views: Mapping[str, LinkedView],
    caption_box: gr.Textbox,
    session: gr.State,
) -> None:
    """Fill the page from the address when it loads, where that asks for more than the worked example; a view that is
    not in sight is filled when its tab is opened.

    What fills a view is computed first and put in its place by an event of its own, which sees whether the person has
    used the view meanwhile: what they did stays, and so does the tab that they chose. `tabs` are the page's and
    the lesson's; `caption_box` is the search's, where a person types first; `session` holds a `SessionData`.
    """
    lost = scripted("lost", "seps-lost", "lost-answers", ("ask",))
    lost.ask(lambda: None, **NOTHING)
    filled = gr.State(())
    awaited = {name: gr.State({}) for name in views}  # the query whose gallery is not open yet
    here = gr.Textbox(visible=False)  # the view in sight, as the browser tells it
    asked = gr.Textbox(visible=False)  # the query, likewise
    users = {name: view.used for name, view in views.items() if view.used is not None}
    in_use = list(users.values())
    first_caption = caption_box.value

    def all_views(values: Mapping[str, list[Any]]) -> Iterator[Any]:
        return chain(*(values.get(name) or unchanged(view) for name, view in views.items()))

    def is_used(name: str, states: Sequence[ViewState | LessonState]) -> bool:
        shown = [state for user, state in zip(users, states, strict=True) if user == name and state.caption]
        return any(not (isinstance(state, ViewState) and state.untouched) for state in shown)

    def load(asked: str) -> Loaded:
        query = read_query(dict(parse_qsl(asked.lstrip("?"), keep_blank_values=True)))
        if not set(query) - LOOKS:
            return Loaded(FIRST, {})  # the worked example stands there already
        view, text = query.get("view", FIRST), waited_for(registry, query)
        if view in views and text:
            return Loaded(view, {view: waiting(text, views[view])}, query)
        return Loaded(*fill(registry, query))

    def open_early(here: str, caption: str, filled: tuple[str, ...]) -> Loaded | None:
        """Return the worked example of a view whose tab was opened while the page loaded, which told its tab
        nothing."""
        if here not in views or here in filled:
            return None
        text = waited_for(registry, {"view": here})
        if text:
            return Loaded(here, {here: waiting(text, views[here])}, {"view": here})
        return Loaded(here, fill(registry, {}, here)[1])

    def place_loaded(
        here: str,
        caption: str,
        loaded: Loaded | None,
        filled: tuple[str, ...],
        *used: ViewState | LessonState,
    ) -> tuple[Any, ...]:
        if loaded is None:
            return (gr.skip(),) * (2 + len(tabs) + len(awaited) + len(list(all_views({}))))
        typed = loaded.view == FIRST and not loaded.query and caption != first_caption
        left = {name: restored for name, restored in loaded.values.items() if not (typed or is_used(name, used))}
        queries = (loaded.query if name == loaded.view else gr.skip() for name in awaited)
        return (
            None,
            *selected_tabs(loaded.view, here),
            (*filled, loaded.view, *loaded.values),
            *queries,
            *all_views(left),
        )

    loaded = gr.State(None)
    inputs = [here, caption_box, loaded, filled, *in_use]
    outputs = [loaded, *tabs, filled, *awaited.values(), *chain(*(view.outputs for view in views.values()))]
    # In the queue: what is awaited changes, which Gradio does not notice outside of it.
    begun = page.load(load, asked, loaded, js=OPENED, **QUIETLY)
    placed = begun.then(place_loaded, inputs, outputs, js=IN_SIGHT, **QUIETLY)
    early = placed.then(open_early, [here, caption_box, filled], loaded, js=IN_SIGHT, **QUIETLY)
    early.then(place_loaded, inputs, outputs, js=IN_SIGHT, **QUIETLY)

    def filled_late(name: str, view: LinkedView) -> None:
        """Fill a view that waits, once its gallery is open, wherever the person is meanwhile."""

        def late(query: dict[str, str], progress: gr.Progress = PROGRESS) -> tuple[Any, ...]:
            if not query:
                return gr.skip(), *unchanged(view)
            view_name, values = fill(registry, query, progress=progress.tqdm)
            if view_name == name:
                return {}, *values[name]
            # What was waited for cannot be had: the sentence and the worked example stand there instead.
            return {}, *instead(registry, name, problem_of(values[view_name]), view)

        awaited[name].change(
            late, awaited[name], [awaited[name], *view.outputs], show_progress_on=view.picture, **OPENING
        )

    def first_opening(name: str, view: LinkedView) -> None:
        """Show the worked example when a tab is opened for the first time."""

        def open_tab(filled: tuple[str, ...]) -> tuple[Any, ...]:
            if not filled or name in filled:  # a tab also opens while the page loads, which fills it
                return gr.skip(), None
            return (*filled, name), fill(registry, {}, name)[1][name]

        def place(values: list[Any] | None, *used: ViewState | LessonState) -> tuple[Any, ...]:
            return None, *(unchanged(view) if values is None or is_used(name, used) else values)

        opening_values = gr.State(None)
        opening = view.tab.select(open_tab, filled, [filled, opening_values], **QUIETLY)
        opening.then(place, [opening_values, *in_use], [opening_values, *view.outputs], js=SETTLED, **UNQUEUED)

    def every_opening(name: str, view: LinkedView, values: Callable[..., list[Any] | None]) -> None:
        """Ask the view what it shows whenever its tab is opened."""

        def enter(filled: tuple[str, ...], query: dict[str, str], *inputs: Any) -> tuple[Any, ...]:
            if not filled or query:  # the page loads, or the view waits, and is filled then
                return gr.skip(), *unchanged(view)
            text = waited_for(registry, {"view": name})
            if text:
                return {"view": name}, *waiting(text, view)
            return gr.skip(), *(values(*inputs) or unchanged(view))

        view.tab.select(enter, [filled, awaited[name], *view.inputs], [awaited[name], *view.outputs], **QUIETLY)

    def fill_again(name: str, query: Mapping[str, str]) -> list[Any]:
        try:
            view, values = fill(registry, query)
            return values[name] if view == name else instead(registry, name, problem_of(values[view]), views[name])
        except (KeyError, ValueError) as error:
            return instead(registry, name, str(error), views[name])

    trail.connect(registry, views, session, fill_again)
    for name, view in views.items():
        filled_late(name, view)
        if view.enter is None:
            first_opening(name, view)
        else:
            every_opening(name, view, view.enter)


def selected_tabs(view: str, here: str) -> tuple[Any, Any]:
    """Return what shows a view when the page has loaded: values of the page's tabs and of the lesson's. Unchanged where
    the person has chosen a tab meanwhile, as `here` tells, or where the view is in sight from the start."""
    if view == FIRST or here not in ("", FIRST):
        return gr.skip(), gr.skip()
    if view in IN_LESSON:
        return gr.Tabs(selected="lesson"), gr.Tabs(selected=view)
    return gr.Tabs(selected=view), gr.skip()


def unchanged(view: LinkedView) -> list[Any]:
    """Return the values that leave a view as it is."""
    return [gr.skip()] * len(view.outputs)


def waiting(text: str, view: LinkedView) -> list[Any]:
    """Return the values of a view while it waits: the picture says for what, and all else is as it is."""
    return [{"waiting": text} if output is view.picture else gr.skip() for output in view.outputs]


def problem_of(values: Sequence[Any]) -> str:
    """Return what was wrong with the link that filled a view with its values."""
    return next(value.problem for value in values if isinstance(value, ViewState))


def instead(registry: ModelRegistry, name: str, problem: str, view: LinkedView) -> list[Any]:
    """Return the values of a view that waited in vain: the worked example below the problem, where the view can show
    it."""
    try:
        return below(problem, fill(registry, {}, name)[1][name])
    except ValueError:  # its only gallery is the one that cannot be had
        return below(problem, [None if output is view.picture else gr.skip() for output in view.outputs])


def below(problem: str, values: Sequence[Any]) -> list[Any]:
    """Return a view's values under a problem of the link, which stays until the person does something; "" changes
    nothing."""
    if not problem:
        return list(values)
    kept = (
        replace(value, problem=problem) if isinstance(value, ViewState | LessonState) else value for value in values
    )
    return [message(problem, "problem"), *list(kept)[1:]]


def fill(
    registry: ModelRegistry, query: Mapping[str, str], only: str | None = None, progress: Progress = False
) -> tuple[str, Values]:
    """Return what a link's query leads to; what it has wrong is said, and the worked example stands instead.

    Args:
        query: names and values.
        only: the view to fill; where left out, the one that the link leads to.
        progress: as in `ScoringEngine`, of a gallery that is opened now.

    Returns:
        The view in sight, and the values of its components by its name.
    """
    link = read_link(registry, query, progress)
    try:
        return link.view, restored(registry, link, only or link.view)
    except ValueError as error:  # what a view alone can tell of a link
        if link.problem or not query:
            raise
        link = wrong_link(registry, query, str(error), progress)
        return link.view, restored(registry, link, only or link.view)


def restored(registry: ModelRegistry, link: Link, name: str) -> Values:
    """Return a view's values for a link, below what is wrong with it; none where a link fills nothing of the view."""
    if name not in RESTORE:
        return {}
    values = RESTORE[name](registry, link)
    return {name: below(link.problem or lacking(link, name, values), values)}


def lacking(link: Link, name: str, values: Sequence[Any]) -> str:
    """Return a sentence where a view's picture cannot be drawn by the layer that a link names; empty where it is, where
    that is measured when it is asked for, and where there is no picture yet."""
    shown = [value["layer"] for value in values if isinstance(value, dict) and "layer" in value]
    if name not in LAYERED or not shown or link.layer in shown or Layer.parse(link.layer).row.measure is not None:
        return ""
    return f"The layer {link.layer!r} of this link is not to be had here: the decision mask is shown."

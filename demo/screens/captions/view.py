"""Image to captions: a photograph ranks captions, right and wrong ones marked where the truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from demo.galleries.index import IndexedGallery
from demo.galleries.openings import get_opening
from demo.record.photo import with_new_key
from demo.record.table import listed, say
from demo.screens import chooser
from demo.screens.chooser import Chooser, SelectedImage
from demo.screens.link import Link, LinkedView, as_linked
from demo.screens.parts import (
    MEASURING,
    NO_POOL,
    OPENING,
    PROGRESS,
    UNQUEUED,
    ViewState,
    computing,
    errors_as_message,
    message,
    scripted,
    tell_opened,
    viewer_value,
)
from demo.screens.typed import connect_typed
from demo.screens.viewer import MEASURE_EVENTS, drawn_as, is_of, measures_value, quick_record, shown_record
from demo.server.detail import Detail
from demo.service.ranking import CaptionRanking
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData

LISTED = 30  # captions of a ranking that are sent to the browser
LONGEST = 4000  # characters of typed captions that a link holds


@dataclass(frozen=True)
class Captions:
    """The view's components."""

    chooser: Chooser
    pool: gr.Radio
    typed: gr.Textbox
    status: gr.HTML
    ranking: gr.HTML
    viewer: gr.HTML

    def linked(self, tab: gr.Tab, state: gr.State) -> LinkedView:
        """Return how links and its tab fill it."""
        outputs = [*self.chooser.restored(self.status), self.ranking, self.viewer, state, self.pool, self.typed]
        return LinkedView(tab, outputs, self.viewer, restore, state, kept=(self.chooser.selected, state), again=again)


def build(registry: ModelRegistry) -> Captions:
    """Lay the view out."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            selected = chooser.build(registry, "captions")
            pool = gr.Radio(
                **pools(registry, SelectedImage(registry.first, 0)), label="Captions to rank", elem_id="captions-pool"
            )
            typed = gr.Textbox(
                label="Your captions, one a line",
                lines=2,
                max_lines=6,
                placeholder="a cat asleep on a sofa",
                elem_id="captions-typed",
            )
            status = gr.HTML(elem_id="captions-said")
        with gr.Column(scale=6, min_width=280, elem_classes="found"):
            ranking = scripted("captions", "captions", "captions-ranking", ("pick", "export", "why"))
        with gr.Column(scale=11, min_width=320, elem_classes="seen"):
            viewer = scripted(
                "viewer", "seps-viewer", "captions-viewer", ("layer", "export", *MEASURE_EVENTS), value=computing()
            )
    return Captions(selected, pool, typed, status, ranking, viewer)


def pools(registry: ModelRegistry, selected: SelectedImage, pool: str | None = None) -> dict[str, Any]:
    """Whose captions can be ranked for a photograph, those of its model's galleries, and what is ranked: `pool` where
    it is one of these, else the captions of the photograph's own gallery, or of the first that has some."""
    service, indexed = registry.find(selected.gallery, selected.session)
    names = [*service.names, NO_POOL]
    if pool not in names:
        captioned = [name for name, galleries in service.galleries.items() if galleries.gallery.items[0].captions]
        has_own = bool(indexed.gallery.items[selected.index].captions)
        pool = selected.gallery if has_own else captioned[0] if captioned else NO_POOL
    return {"choices": names, "value": pool}


def rank_and_show(
    registry: ModelRegistry,
    selected: SelectedImage,
    pool: str,
    typed: str,
    state: ViewState,
    caption: str | None = None,
) -> tuple[str, dict[str, Any], dict[str, Any], ViewState]:
    """Rank captions for a photograph and open the best, or the one named.

    Returns:
        The message line, the list's value, the viewer's value, and what is shown now.
    """
    service, indexed = registry.find(selected.gallery, selected.session)
    ranking = service.rank_captions(indexed, selected.index, None if pool == NO_POOL else pool, typed)
    state = state.of(indexed.gallery.name, selected.index, caption or ranking.captions[0], None)
    state = replace(state, typed=typed, mask="", budget=0)
    return message(""), ranking_value(ranking, state.caption), picture_value(service, indexed, state, pool), state


def picture_value(
    service: RetrievalService, indexed: IndexedGallery, state: ViewState, pool: str, typed: str | None = None
) -> dict[str, Any]:
    """Return the viewer's value: what one caption kept, with what can be measured."""
    value = viewer_value(service, indexed, state, quick_record(service, indexed, state), "captions")
    value |= measures_value(service, indexed, state)
    return with_pool(value, pool, state.typed if typed is None else typed)


def with_pool(value: dict[str, Any], pool: str, typed: str) -> dict[str, Any]:
    """Return the viewer's value with a link that also names whose captions are ranked, and what was typed."""
    if value["link"] is None:
        return value
    ranked = {"pool": pool} | ({"typed": typed} if typed.strip() and len(typed) <= LONGEST else {})
    return value | {"link": f"{value['link']}&{urlencode(ranked)}"}


def ranking_value(ranking: CaptionRanking, selected: str) -> dict[str, Any]:
    """Return what the list of captions is drawn from."""
    marks = {True: "right", False: "wrong", None: "typed"}
    rows = [
        {
            "rank": rank,
            "caption": caption,
            "score": score,
            "mark": marks[correct] if ranking.has_truth or correct is None else None,
        }
        for rank, (caption, score, correct) in enumerate(
            zip(ranking.captions, ranking.scores, ranking.correct, strict=True), start=1
        )
    ]
    total = len(rows)
    key = "captions.ranked_best" if total > LISTED else "captions.ranked"
    return with_new_key(
        {
            "note": say(key, total=total, milliseconds=1000 * ranking.seconds, count=LISTED),
            "selected": selected,
            "recall": recall_line(ranking),
            "rows": rows[:LISTED],
            "why": len(set(ranking.captions)) > 1,
        }
    )


def recall_line(ranking: CaptionRanking) -> str:
    """Return whether R@1, R@5 and R@10 hit, in words."""
    if not ranking.has_truth:
        return say("captions.no_truth")
    hits = listed((say("captions.hit" if hit else "captions.miss", k=k) for k, hit in ranking.hits().items()), "clause")
    return say("captions.recall", hits=hits, best=1 + ranking.correct.index(True))


def restore(registry: ModelRegistry, link: Link) -> list[Any]:
    """Return the view's values for a link: message, the chooser's, list, viewer, state, pools, typed captions."""
    query = link.values if link.view == "captions" else {}
    _, indexed = registry.find(link.selected.gallery)
    opening = None if link.caption or link.has_photo else get_opening(indexed.gallery, "captions")
    selected = link.selected if opening is None else replace(link.selected, index=opening.index)
    offered = pools(registry, selected, query.get("pool"))
    pool, typed = offered["value"], query.get("typed", "")
    if query.get("pool", pool) != pool:
        names = ", ".join(offered["choices"])
        raise ValueError(f"pool is {query['pool']!r} in this link, but it must be one of {names}.")
    if pool != NO_POOL:
        registry.open(pool)
    note, *shown = rank_and_show(registry, selected, pool, typed, link.state, link.caption or None)
    return [note, *chooser.restored_values(registry, selected), *shown, gr.Radio(**offered), typed]


def again(
    registry: ModelRegistry,
    session: SessionData,
    query: Mapping[str, str],
    selected: SelectedImage,
    state: ViewState,
) -> list[Any]:
    """Return the view's values as states had them, see `restore`."""
    offered = pools(registry, selected, query.get("pool"))
    state = as_linked(state, query)
    note, *shown = rank_and_show(registry, selected, offered["value"], state.typed, state, state.caption)
    return [note, *chooser.restored_values(registry, selected), *shown, gr.Radio(**offered), state.typed]


def connect(
    registry: ModelRegistry, view: Captions, session: gr.State, tab: gr.Tab, state: gr.State, answered: gr.HTML
) -> None:
    """Give the view its events; `answered` is from `demo.screens.typed.build`."""
    outputs = [view.status, view.ranking, view.viewer, state]

    def show(selected: SelectedImage, pool: str, typed: str, state: ViewState) -> tuple[Any, ...]:
        return rank_and_show(registry, selected, pool, typed, state)

    def other_photo(selected: SelectedImage, pool: str, typed: str, state: ViewState) -> tuple[Any, ...]:
        offered = pools(registry, selected, pool)
        return *show(selected, offered["value"], typed, state), gr.Radio(**offered)

    @errors_as_message(1 + len(outputs))
    def other_pool(
        selected: SelectedImage, pool: str, typed: str, state: ViewState, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        try:
            if pool != NO_POOL:
                registry.open(pool, progress.tqdm)
        except ValueError as error:  # no old ranking stays beside the new choice
            pool = pools(registry, selected)["value"]
            _, *answer = show(selected, pool, typed, state)
            return message(str(error), "problem"), *answer, pool
        return *show(selected, pool, typed, state), gr.skip()

    inputs = [view.chooser.selected, view.pool, view.typed, state]
    chooser.connect(registry, view.chooser, session, tab, other_photo, inputs[1:], [*outputs, view.pool])
    stale = [view.ranking, view.viewer]
    opened = tell_opened(registry, view.pool, view.status)
    opened(other_pool, inputs, [*outputs, view.pool], show_progress_on=stale, **OPENING)

    def retyped(typed: str, selected: SelectedImage, pool: str, state: ViewState) -> tuple[Any, ...] | str:
        if typed == state.typed:
            return message(state.problem, "problem")
        return show(selected, pool, typed, state)

    connect_typed(view.typed, retyped, [view.chooser.selected, view.pool, state], outputs, answered)

    @errors_as_message(3)
    def pick(
        selected: SelectedImage, pool: str, typed: str, state: ViewState, event: Detail
    ) -> tuple[str, dict[str, Any], ViewState]:
        service, indexed = registry.find(selected.gallery, selected.session)
        now = state.of(indexed.gallery.name, selected.index, event.text("caption"), None)
        return "", picture_value(service, indexed, now, pool, typed), now

    view.ranking.pick(pick, inputs, [view.status, view.viewer, state], **UNQUEUED)

    def pictured(selected: SelectedImage, pool: str, typed: str, state: ViewState) -> tuple[dict[str, Any], ViewState]:
        service, indexed = registry.find(selected.gallery, selected.session)
        return picture_value(service, indexed, state, pool, typed), state

    @errors_as_message(3)
    def measure(selected: SelectedImage, pool: str, typed: str, state: ViewState, event: Detail) -> tuple[Any, ...]:
        return message(""), *pictured(selected, pool, typed, drawn_as(state, event))

    @errors_as_message(2)
    def measure_slowly(
        selected: SelectedImage, state: ViewState, event: Detail, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        drawn = drawn_as(state, event)
        shown_record(*registry.find(state.gallery, selected.session), drawn, progress.tqdm)
        return message(""), drawn

    def place_measured(
        selected: SelectedImage, pool: str, typed: str, state: ViewState, drawn: ViewState | None
    ) -> tuple[Any, ...]:
        if not is_of(drawn, state):
            return gr.skip(), gr.skip()
        return pictured(selected, pool, typed, replace(state, layer=drawn.layer))

    view.viewer.measure(measure, inputs, [view.status, view.viewer, state], **UNQUEUED)
    measured = gr.State(None)  # the view that was measured, which another one may have followed meanwhile
    slowly = view.viewer.measure_slowly(
        measure_slowly,
        [view.chooser.selected, state],
        [view.status, measured],
        show_progress_on=view.status,
        **MEASURING,
    )
    slowly.then(place_measured, [*inputs, measured], [view.viewer, state], **UNQUEUED)

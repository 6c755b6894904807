"""Image to captions: a photograph ranks captions, right and wrong ones marked where the truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.explain.photo import fresh
from demo.service.benches import Benches
from demo.service.workbench import CaptionRanking
from demo.views import chooser
from demo.views.chooser import Chooser, Chosen
from demo.views.parts import ANSWERING, AT_ONCE, OPENING, PROGRESS, Shown, message, scripted, told_below, viewer_value

LISTED = 30  # captions of a ranking that are sent to the browser
NO_POOL = "typed ones alone"


@dataclass(frozen=True)
class Captions:
    """The view's components."""

    chooser: Chooser
    pool: gr.Radio
    typed: gr.Textbox
    said: gr.HTML
    ranking: gr.HTML
    viewer: gr.HTML


def build(benches: Benches) -> Captions:
    """Lay the view out."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            chosen = chooser.build(benches, "captions")
            pool = gr.Radio(**pools(benches, Chosen("examples", 0)), label="Captions to rank", elem_id="captions-pool")
            typed = gr.Textbox(
                label="Your captions, one a line",
                lines=2,
                max_lines=6,
                placeholder="a cat asleep on a sofa",
                elem_id="captions-typed",
            )
            said = gr.HTML(elem_id="captions-said")
        with gr.Column(scale=6, min_width=280, elem_classes="found"):
            ranking = scripted("captions", "captions", "captions-ranking", ("pick", "export"))
        with gr.Column(scale=11, min_width=320, elem_classes="seen"):
            viewer = scripted("viewer", "seps-viewer", "captions-viewer", ("layer", "export"))
    return Captions(chosen, pool, typed, said, ranking, viewer)


def pools(benches: Benches, chosen: Chosen, pool: str | None = None) -> dict[str, Any]:
    """Whose captions can be ranked for a photograph, those of its model's galleries, and what is ranked: `pool` where
    it is one of these, else the captions of the photograph's own gallery, or of the first that has some."""
    bench, indexed = benches.find(chosen.gallery, chosen.own)
    names = [*bench.names, NO_POOL]
    if pool not in names:
        captioned = [name for name, one in bench.galleries.items() if one.gallery.items[0].captions]
        has_own = bool(indexed.gallery.items[chosen.place].captions)
        pool = chosen.gallery if has_own else captioned[0] if captioned else NO_POOL
    return {"choices": names, "value": pool}


def rank_and_show(
    benches: Benches, chosen: Chosen, pool: str, typed: str, shown: Shown, caption: str | None = None
) -> tuple[str, dict[str, Any], dict[str, Any], Shown]:
    """Rank captions for a photograph and open the best, or the one named.

    Returns:
        The message line, the list's value, the viewer's value, and what is shown now.
    """
    bench, indexed = benches.find(chosen.gallery, chosen.own)
    ranking = bench.rank_captions(indexed, chosen.place, None if pool == NO_POOL else pool, typed)
    shown = shown.of(indexed.gallery.name, chosen.place, caption or ranking.captions[0], None)
    record = bench.explain(indexed, chosen.place, shown.caption)
    value = viewer_value(bench, indexed, shown, record, "captions")
    return message(""), ranking_value(ranking, shown.caption), value, shown


def ranking_value(ranking: CaptionRanking, selected: str) -> dict[str, Any]:
    """What the list of captions is drawn from."""
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
    shown = f", the best {LISTED} shown" if total > LISTED else ""
    return fresh(
        {
            "note": f"{total} captions ranked in {1000 * ranking.seconds:.0f} ms{shown}",
            "selected": selected,
            "recall": recall_line(ranking),
            "rows": rows[:LISTED],
        }
    )


def recall_line(ranking: CaptionRanking) -> str:
    """Whether R@1, R@5 and R@10 hit, in words."""
    if not ranking.has_truth:
        return "None of these captions is known to belong to this photo, so recall is not counted."
    hits = ", ".join(f"R@{k} {'hit' if hit else 'miss'}" for k, hit in ranking.hits().items())
    best = 1 + ranking.correct.index(True)
    return f"{hits}. The first caption written for this photo is at rank {best}."


def connect(benches: Benches, view: Captions, own: gr.State, tab: gr.Tab, shown: gr.State) -> None:
    """Give the view its events."""
    outputs = [view.said, view.ranking, view.viewer, shown]

    def show(chosen: Chosen, pool: str, typed: str, shown: Shown) -> tuple[Any, ...]:
        return rank_and_show(benches, chosen, pool, typed, shown)

    def other_photo(chosen: Chosen, pool: str, typed: str, shown: Shown) -> tuple[Any, ...]:
        offered = pools(benches, chosen, pool)
        return *show(chosen, offered["value"], typed, shown), gr.Radio(**offered)

    @told_below(len(outputs))
    def other_pool(
        chosen: Chosen, pool: str, typed: str, shown: Shown, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        if pool != NO_POOL:
            benches.open(pool, progress.tqdm)
        return show(chosen, pool, typed, shown)

    inputs = [view.chooser.chosen, view.pool, view.typed, shown]
    chooser.connect(benches, view.chooser, own, tab, other_photo, inputs[1:], [*outputs, view.pool])
    view.pool.input(other_pool, inputs, outputs, show_progress_on=view.said, **OPENING)
    view.typed.change(told_below(len(outputs))(show), inputs, outputs, **ANSWERING)

    @told_below(3)
    def pick(chosen: Chosen, shown: Shown, event: gr.EventData) -> tuple[str, dict[str, Any], Shown]:
        bench, indexed = benches.find(chosen.gallery, chosen.own)
        now = shown.of(indexed.gallery.name, chosen.place, str(event.caption), None)
        record = bench.explain(indexed, chosen.place, now.caption)
        return "", viewer_value(bench, indexed, now, record, "captions"), now

    view.ranking.pick(pick, [view.chooser.chosen, shown], [view.said, view.viewer, shown], **AT_ONCE)

"""Compare captions: two to six over the same photograph, side by side, on one shared colour scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.explain.photo import fresh, photo_value
from demo.explain.record import overlap, packed
from demo.explain.value import UNIT, objects_value
from demo.service.benches import Benches
from demo.service.captions import read_typed
from demo.views import chooser
from demo.views.chooser import Chooser, Chosen
from demo.views.parts import ANSWERING, Shown, link_to, message, scripted, told_below

FEWEST, MOST = 2, 6


@dataclass(frozen=True)
class Compare:
    """The view's components."""

    chooser: Chooser
    captions: gr.Textbox
    said: gr.HTML
    pictures: gr.HTML


def build(benches: Benches) -> Compare:
    """Lay the view out."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            chosen = chooser.build(benches, "compare")
            captions = gr.Textbox(
                label=f"{FEWEST} to {MOST} captions, one a line", lines=4, max_lines=8, elem_id="compare-captions"
            )
            said = gr.HTML(elem_id="compare-said")
        with gr.Column(scale=17, min_width=320, elem_classes="seen"):
            pictures = scripted("compare", "seps-compare", "compare", ("layer", "export"))
    return Compare(chosen, captions, said, pictures)


def show_side_by_side(
    benches: Benches, chosen: Chosen, captions: str, shown: Shown
) -> tuple[str, dict[str, Any], Shown]:
    """Explain every caption over the photograph.

    Returns:
        The message line, the pictures' value, and what is shown now (its caption holds them all, one a line).

    Raises:
        ValueError: fewer than 2 or more than 6 captions, or one that cannot be read.
    """
    bench, indexed = benches.find(chosen.gallery, chosen.own)
    texts = read_typed(bench.model, captions)
    if not FEWEST <= len(texts) <= MOST:
        raise ValueError(f"{len(texts)} captions are there, but {FEWEST} to {MOST} can be compared: write one a line.")
    records = [bench.explain(indexed, chosen.place, text) for text in texts]
    layer = shown.layer if shown.layer in ("mask", "score", "s_st") else "mask"
    now = replace(shown.of(indexed.gallery.name, chosen.place, "\n".join(texts), shown.dense), layer=layer)
    known = indexed.gallery.items[chosen.place].known
    items = [
        {"caption": text, "similarity": record.similarity, "record": packed(record)}
        | ({} if known is None else {"objects": objects_value(known, text)})
        for text, record in zip(texts, records, strict=True)
    ]
    value = fresh(
        {
            "photo": photo_value(indexed, chosen.place),
            "model": bench.name,
            "layer": layer,
            "items": items,
            "outlined": shown.objects,
            "unit": None if known is None else UNIT,
            "overlap": overlap(records),
            "link": link_to(bench, "compare", indexed, now),
        }
    )
    return message(""), value, now


def own_captions(benches: Benches, chosen: Chosen) -> str:
    """Three of the captions that a photograph of a gallery has, to start with."""
    item = benches.find(chosen.gallery, chosen.own)[1].gallery.items[chosen.place]
    return "\n".join(item.captions[:3])


def connect(benches: Benches, view: Compare, own: gr.State, tab: gr.Tab, shown: gr.State) -> None:
    """Give the view its events: a photograph of a gallery brings its own captions, a typed one keeps the photograph."""
    outputs = [view.said, view.captions, view.pictures, shown]

    def with_captions(chosen: Chosen, captions: str, shown: Shown) -> tuple[Any, ...]:
        texts = own_captions(benches, chosen) or captions
        said, value, now = show_side_by_side(benches, chosen, texts, shown)
        return said, texts, value, now

    chooser.connect(benches, view.chooser, own, tab, with_captions, [view.captions, shown], outputs)

    @told_below(3)
    def retyped(chosen: Chosen, captions: str, shown: Shown) -> tuple[Any, ...]:
        bench = benches.of(chosen.gallery)
        if "\n".join(read_typed(bench.model, captions)) == shown.caption:  # the page's own doing
            return message(shown.problem, "problem"), gr.skip(), gr.skip()
        return show_side_by_side(benches, chosen, captions, shown)

    view.captions.change(
        retyped,
        [view.chooser.chosen, view.captions, shown],
        [view.said, view.pictures, shown],
        **ANSWERING,
    )

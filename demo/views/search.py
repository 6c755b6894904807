"""Caption to images: a caption ranks a gallery, and the best photograph opens with what the caption kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.captions import read_caption
from demo.galleries.index import IndexedGallery
from demo.views.chooser import index_uploads, left_out
from demo.views.parts import (
    ANSWERING,
    OPENING,
    PROGRESS,
    RANKED,
    Shown,
    fresh,
    message,
    scripted,
    told_below,
    viewer_value,
)
from demo.workbench import ImageRanking, Workbench

FIRST_CAPTION = "a tabby cat with green eyes"
EXAMPLES = (
    FIRST_CAPTION,
    "a motorcycle parked indoors",
    "an orange flower",
    "a woman in an orange spacesuit",
    "a rocket on its launch pad",
)
DENSE_NOTE = (
    "In the published protocol every test query carries a dense caption that a multimodal LLM wrote from the query's "
    "own image. Nobody who types a caption has one: scores with and without it are not the same task, so both rankings "
    "are shown."
)


@dataclass(frozen=True)
class Search:
    """The view's components."""

    caption: gr.Textbox
    chips: gr.HTML
    dense: gr.Textbox
    gallery: gr.Radio
    uploads: gr.File
    said: gr.HTML
    ranking: gr.HTML
    viewer: gr.HTML


def build(bench: Workbench) -> Search:
    """Lay the view out; `connect` gives it its events."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            caption = gr.Textbox(FIRST_CAPTION, label="Caption", lines=2, max_lines=4, elem_id="caption")
            chips = scripted("SepsLists.chips", "chips", "examples", value={"items": list(EXAMPLES)})
            gallery = gr.Radio(list(bench.names), value=bench.first, label="Photographs", elem_id="gallery")
            with gr.Accordion("Dense caption", open=False, elem_id="dense-box"):
                gr.HTML(f"<p class='hint'>{DENSE_NOTE}</p>")
                dense = gr.Textbox(
                    label="Dense caption",
                    show_label=False,
                    lines=4,
                    placeholder="Describe the photograph in 60 to 180 words, or leave this empty.",
                    elem_id="dense",
                )
            with gr.Accordion("Photos of your own", open=False, elem_id="own-box"):
                uploads = gr.File(
                    label="For this session alone, up to 100",
                    file_count="multiple",
                    file_types=["image"],
                    height=120,
                    elem_id="uploads",
                )
            said = gr.HTML(elem_id="said")
        with gr.Column(scale=6, min_width=280, elem_classes="found"):
            ranking = scripted("SepsLists.ranking", "ranking", "ranking", ("pick", "export"))
        with gr.Column(scale=11, min_width=320, elem_classes="seen"):
            viewer = scripted("SepsPage.viewer", "seps-viewer", "viewer", ("layer", "export"))
    return Search(caption, chips, dense, gallery, uploads, said, ranking, viewer)


def rank_and_show(
    bench: Workbench,
    indexed: IndexedGallery,
    caption: str,
    dense: str | None,
    shown: Shown,
    place: int | None = None,
) -> tuple[str, dict[str, Any], dict[str, Any], Shown]:
    """Rank a gallery and open its best photograph, or the one at `place`.

    Returns:
        The message line, the ranking's value, the viewer's value, and what is shown now.
    """
    alone = bench.rank_images(indexed, caption)
    with_dense = bench.rank_images(indexed, caption, dense) if (dense or "").strip() else None
    leading = with_dense or alone
    text = None if leading.dense_reading is None else leading.dense_reading.text
    if place is None:
        place = leading.order[0]
    shown = shown.of(indexed.gallery.name, place, alone.reading.text, text)
    record = bench.explain(indexed, place, shown.caption, shown.dense)
    notes = [alone.reading.note, "" if leading.dense_reading is None else leading.dense_reading.note]
    value = ranking_value(indexed, alone, with_dense, place)
    note = message(" ".join(note for note in notes if note) or indexed.gallery.note)
    return note, value, viewer_value(bench, indexed, shown, record, "search"), shown


def ranking_value(
    indexed: IndexedGallery, alone: ImageRanking, with_dense: ImageRanking | None, selected: int
) -> dict[str, Any]:
    """What the list of photographs is drawn from."""
    seconds = alone.seconds + (with_dense.seconds if with_dense else 0.0)
    total = len(alone.order)
    shown = f", the best {RANKED} shown" if total > RANKED else ""
    lists = [("Caption alone" if with_dense else "", alone)] + (
        [("With dense caption", with_dense)] if with_dense else []
    )
    return fresh(
        {
            "note": f"{total} photographs ranked in {1000 * seconds:.0f} ms{shown}",
            "selected": selected,
            "lists": [{"title": title, "items": _items(indexed, ranking)} for title, ranking in lists if ranking],
        }
    )


def _items(indexed: IndexedGallery, ranking: ImageRanking) -> list[dict[str, Any]]:
    pairs = list(zip(ranking.order, ranking.scores, strict=True))[:RANKED]
    return [
        {
            "place": place,
            "rank": rank,
            "title": indexed.gallery.items[place].title,
            "thumb": indexed.thumbnails[place],
            "score": score,
        }
        for rank, (place, score) in enumerate(pairs, start=1)
    ]


def connect(bench: Workbench, view: Search, own: gr.State, shown: gr.State) -> None:
    """Give the view its events; `own` holds a person's own gallery, `shown` a `Shown`.

    Captions come from the state but for the one that changed: a text box in a closed accordion tells nothing.
    """
    outputs = [view.said, view.ranking, view.viewer, shown]
    nothing = ("", *[gr.skip()] * (len(outputs) - 1))

    @told_below(len(outputs))
    def retyped(caption: str, gallery: str, own: IndexedGallery | None, shown: Shown) -> tuple[Any, ...]:
        if read_caption(bench.model, caption).text == shown.caption:  # the page's own doing
            return nothing
        return rank_and_show(bench, bench.find(gallery, own), caption, shown.dense, shown)

    @told_below(len(outputs))
    def dense_retyped(dense: str, gallery: str, own: IndexedGallery | None, shown: Shown) -> tuple[Any, ...]:
        if " ".join((dense or "").split()) == (shown.dense or ""):
            return nothing
        return rank_and_show(bench, bench.find(gallery, own), shown.caption, dense, shown)

    for box, answer in ((view.caption, retyped), (view.dense, dense_retyped)):
        box.change(answer, [box, view.gallery, own, shown], outputs, trigger_mode="always_last", **ANSWERING)

    @told_below(len(outputs))
    def other_gallery(
        gallery: str, own: IndexedGallery | None, shown: Shown, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        indexed = own if own and gallery == own.gallery.name else bench.open(gallery, progress.tqdm)
        return rank_and_show(bench, indexed, shown.caption, shown.dense, shown)

    view.gallery.input(other_gallery, [view.gallery, own, shown], outputs, show_progress_on=view.said, **OPENING)

    @told_below(2 + len(outputs))
    def own_photos(files: list[str] | None, shown: Shown, progress: gr.Progress = PROGRESS) -> tuple[Any, ...]:
        if not files:
            return *nothing, gr.skip(), gr.skip()
        indexed = index_uploads(bench, files, progress.tqdm)
        said, ranking, viewer, now = rank_and_show(bench, indexed, shown.caption, shown.dense, shown)
        radio = gr.Radio([*bench.names, indexed.gallery.name], value=indexed.gallery.name)
        return message(left_out(indexed)) or said, ranking, viewer, now, indexed, radio

    view.uploads.upload(
        own_photos, [view.uploads, shown], [*outputs, own, view.gallery], show_progress_on=view.said, **OPENING
    )

    @told_below(3)
    def pick(own: IndexedGallery | None, shown: Shown, event: gr.EventData) -> tuple[Any, ...]:
        indexed = bench.find(shown.gallery, own)
        chosen = shown.of(shown.gallery, int(event.place), shown.caption, shown.dense)
        record = bench.explain(indexed, chosen.place, chosen.caption, chosen.dense)
        return "", viewer_value(bench, indexed, chosen, record, "search"), chosen

    view.ranking.pick(pick, [own, shown], [view.said, view.viewer, shown], **ANSWERING)

    @told_below(1 + len(outputs))
    def example(gallery: str, own: IndexedGallery | None, shown: Shown, event: gr.EventData) -> tuple[Any, ...]:
        caption = str(event.caption)
        said, *answer = rank_and_show(bench, bench.find(gallery, own), caption, shown.dense, shown)
        return said, caption, *answer

    view.chips.pick(example, [view.gallery, own, shown], [view.said, view.caption, *outputs[1:]], **ANSWERING)

"""Caption to images: a caption ranks a gallery, and the best photograph opens with what the caption kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.explain.photo import fresh
from demo.galleries.folder import MOST_UPLOADS, UPLOADS
from demo.galleries.index import IndexedGallery
from demo.service.benches import Benches, Own
from demo.service.captions import read_caption
from demo.service.workbench import ImageRanking, Workbench
from demo.serving.uploads import Upload, takes_uploads
from demo.views.chooser import index_uploads, left_out
from demo.views.parts import (
    ANSWERING,
    AT_ONCE,
    OPENING,
    PROGRESS,
    RANKED,
    Shown,
    message,
    scripted,
    told_below,
    viewer_value,
)

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


def examples_of(indexed: IndexedGallery) -> tuple[str, ...]:
    """Captions to begin with: those written for the first scenes, or the page's own for photographs."""
    scenes = [item for item in indexed.gallery.items if item.known is not None and item.captions]
    return tuple(min(item.captions, key=len) for item in scenes[: len(EXAMPLES)]) or EXAMPLES


def chips_value(examples: tuple[str, ...]) -> dict[str, Any]:
    """What the row of example captions is drawn from."""
    return fresh({"items": list(examples)})


def build(benches: Benches) -> Search:
    """Lay the view out; `connect` gives it its events."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            caption = gr.Textbox(FIRST_CAPTION, label="Caption", lines=2, max_lines=4, elem_id="caption")
            chips = scripted("chips", "chips", "examples", value=chips_value(EXAMPLES))
            gallery = gr.Radio(list(benches.names), value=benches.first, label="Photographs", elem_id="gallery")
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
                uploads = takes_uploads(
                    gr.File(
                        label=f"For this session alone, up to {MOST_UPLOADS}",
                        file_count="multiple",
                        file_types=["image"],
                        height=120,
                        elem_id="uploads",
                    ),
                    several=True,
                )
            said = gr.HTML(elem_id="said")
        with gr.Column(scale=6, min_width=280, elem_classes="found"):
            ranking = scripted("ranking", "ranking", "ranking", ("pick", "export"))
        with gr.Column(scale=11, min_width=320, elem_classes="seen"):
            viewer = scripted("viewer", "seps-viewer", "viewer", ("layer", "export"))
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
            "note": f"{total} {indexed.gallery.noun} ranked in {1000 * seconds:.0f} ms{shown}",
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


def carried_over(bench: Workbench, before: Workbench, indexed: IndexedGallery, shown: Shown) -> tuple[str, str]:
    """The captions to go on with in another gallery: the same ones where its model is that of `before` or reads every
    word of them, else the gallery's first example and no dense caption."""
    try:
        if bench is before or not read_caption(bench.model, shown.caption).note:
            return shown.caption, shown.dense or ""
    except ValueError:
        pass
    return examples_of(indexed)[0], ""


def connect(benches: Benches, view: Search, own: gr.State, tab: gr.Tab, shown: gr.State) -> None:
    """Give the view its events; `own` holds an `Own`, `shown` a `Shown`, `tab` is the view's.

    Captions come from the state but for the one that changed: a text box in a closed accordion tells nothing.
    """
    outputs = [view.said, view.ranking, view.viewer, shown]
    nothing = ("", *[gr.skip()] * (len(outputs) - 1))

    def unchanged(shown: Shown) -> tuple[Any, ...]:
        return message(shown.problem, "problem"), *nothing[1:]

    @told_below(len(outputs))
    def retyped(caption: str, gallery: str, own: Own, shown: Shown) -> tuple[Any, ...]:
        bench, indexed = benches.find(gallery, own)
        if read_caption(bench.model, caption).text == shown.caption:  # the page's own doing
            return unchanged(shown)
        return rank_and_show(bench, indexed, caption, shown.dense, shown)

    @told_below(len(outputs))
    def dense_retyped(dense: str, gallery: str, own: Own, shown: Shown) -> tuple[Any, ...]:
        if " ".join((dense or "").split()) == (shown.dense or ""):
            return unchanged(shown)
        return rank_and_show(*benches.find(gallery, own), shown.caption, dense, shown)

    for box, answer in ((view.caption, retyped), (view.dense, dense_retyped)):
        box.change(answer, [box, view.gallery, own, shown], outputs, **ANSWERING)

    @told_below(len(outputs))
    def follow(own: Own, shown: Shown) -> tuple[Any, ...]:
        if shown.gallery not in own.edits:
            return (gr.skip(),) * len(outputs)
        return rank_and_show(*benches.find(shown.gallery, own), shown.caption, shown.dense, shown, shown.place)

    tab.select(follow, [own, shown], outputs, **ANSWERING)

    @told_below(3 + len(outputs))
    def other_gallery(gallery: str, own: Own, shown: Shown, progress: gr.Progress = PROGRESS) -> tuple[Any, ...]:
        bench, indexed = benches.open(gallery, progress.tqdm, own)
        caption, dense = carried_over(bench, benches.of(shown.gallery), indexed, shown)
        answer = rank_and_show(bench, indexed, caption, dense, shown)
        return *answer, caption, dense, chips_value(examples_of(indexed))

    view.gallery.input(
        other_gallery,
        [view.gallery, own, shown],
        [*outputs, view.caption, view.dense, view.chips],
        show_progress_on=view.said,
        **OPENING,
    )

    @told_below(4 + len(outputs))
    def own_photos(
        files: list[Upload] | None, own: Own, shown: Shown, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        if not files:
            return *nothing, *[gr.skip()] * 4
        bench, indexed = benches.photos, index_uploads(benches.photos, files, progress.tqdm)
        caption, dense = carried_over(bench, benches.of(shown.gallery), indexed, shown)
        said, ranking, viewer, now = rank_and_show(bench, indexed, caption, dense, shown)
        radio = gr.Radio([*benches.names, UPLOADS], value=UPLOADS)
        said = message(left_out(indexed)) or said
        return said, ranking, viewer, now, replace(own, uploads=indexed), radio, caption, dense

    view.uploads.upload(
        own_photos,
        [view.uploads, own, shown],
        [*outputs, own, view.gallery, view.caption, view.dense],
        show_progress_on=view.said,
        **OPENING,
    )

    @told_below(3)
    def pick(own: Own, shown: Shown, event: gr.EventData) -> tuple[Any, ...]:
        bench, indexed = benches.find(shown.gallery, own)
        chosen = shown.of(shown.gallery, int(event.place), shown.caption, shown.dense)
        record = bench.explain(indexed, chosen.place, chosen.caption, chosen.dense)
        return "", viewer_value(bench, indexed, chosen, record, "search"), chosen

    view.ranking.pick(pick, [own, shown], [view.said, view.viewer, shown], **AT_ONCE)

    @told_below(1 + len(outputs))
    def example(gallery: str, own: Own, shown: Shown, event: gr.EventData) -> tuple[Any, ...]:
        caption = str(event.caption)
        said, *answer = rank_and_show(*benches.find(gallery, own), caption, shown.dense, shown)
        return said, caption, *answer

    view.chips.pick(example, [view.gallery, own, shown], [view.said, view.caption, *outputs[1:]], **ANSWERING)

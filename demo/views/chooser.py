"""Choosing a photograph: from a gallery, or one's own by upload, paste or camera."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.explain.photo import strip_value
from demo.galleries.folder import uploads_gallery
from demo.galleries.index import IndexedGallery, index_gallery
from demo.service.benches import Benches, Own
from demo.service.workbench import Workbench
from demo.serving.uploads import Upload, takes_uploads
from demo.views.parts import ANSWERING, OPENING, PROGRESS, message, scripted, told_below


@dataclass(frozen=True)
class Chosen:
    """A photograph in a gallery; `own` holds what was the person's own when it was chosen."""

    gallery: str
    place: int
    own: Own | None = None

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly."""
        return 0 if self.own is None else self.own.nbytes


@dataclass(frozen=True)
class Chooser:
    """The components, and the state: a `Chosen`."""

    gallery: gr.Radio
    strip: gr.HTML
    upload: gr.Image
    chosen: gr.State


def build(benches: Benches, name: str) -> Chooser:
    """Lay the chooser out; `name` tells the views' choosers apart."""
    first = benches.first
    gallery = gr.Radio(list(benches.names), value=first, label="Photograph", elem_id=f"{name}-gallery")
    strip = scripted("strip", "strip", f"{name}-strip", value=strip_value(benches.find(first)[1], 0))
    with gr.Accordion("A photo of your own", open=False, elem_id=f"{name}-own"):
        upload = takes_uploads(
            gr.Image(
                type="filepath",
                sources=["upload", "clipboard", "webcam"],
                show_label=False,
                height=170,
                elem_id=f"{name}-upload",
                buttons=[],
            )
        )
    return Chooser(gallery, strip, upload, gr.State(Chosen(first, 0)))


def connect(
    benches: Benches,
    chooser: Chooser,
    own: gr.State,
    tab: gr.Tab,
    show: Callable[..., tuple[Any, ...]],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
) -> None:
    """Call `show(chosen, *inputs)` whenever another photograph is chosen, or the view is opened after an edit.

    Args:
        own: what is the person's own, an `Own`; tab: the view's.
        show: gives the values of `outputs`, of which the first is a message line.
    """
    first, *others = outputs
    count = 3 + len(others)

    @told_below(count)
    def choose_gallery(gallery: str, own: Own, progress: gr.Progress = PROGRESS, *values: Any) -> tuple[Any, ...]:
        _, indexed = benches.open(gallery, progress.tqdm, own)
        chosen = Chosen(gallery, 0, own)
        said, *shown = show(chosen, *values)
        return said or message(indexed.gallery.note), chosen, strip_value(indexed, 0), *shown

    @told_below(count - 1)
    def choose_photo(gallery: str, own: Own, event: gr.EventData, *values: Any) -> tuple[Any, ...]:
        chosen = Chosen(gallery, int(event.place), own)
        said, *shown = show(chosen, *values)
        return said, chosen, *shown

    @told_below(count)
    def choose_own(upload: Upload | None, *values: Any) -> tuple[Any, ...]:
        if upload is None:
            return "", *[gr.skip()] * (count - 1)
        indexed = index_uploads(benches.photos, [upload])
        chosen = Chosen(indexed.gallery.name, 0, Own(indexed))
        said, *shown = show(chosen, *values)
        return said or message(left_out(indexed)), chosen, gr.skip(), *shown

    @told_below(count)
    def follow(chosen: Chosen, own: Own, *values: Any) -> tuple[Any, ...]:
        if chosen.gallery not in own.edits or chosen.own is own:
            return (gr.skip(),) * count
        now = replace(chosen, own=own)
        said, *shown = show(now, *values)
        return said, now, strip_value(benches.find(now.gallery, own)[1], now.place), *shown

    places = [first, chooser.chosen, chooser.strip, *others]
    tab.select(follow, [chooser.chosen, own, *inputs], places, **OPENING | {"show_progress": "hidden"})
    chooser.gallery.input(
        choose_gallery,
        [chooser.gallery, own, *inputs],
        places,
        show_progress_on=first,
        **OPENING,
    )
    chooser.strip.pick(choose_photo, [chooser.gallery, own, *inputs], [first, chooser.chosen, *others], **ANSWERING)
    chooser.upload.input(
        choose_own,
        [chooser.upload, *inputs],
        places,
        show_progress_on=first,
        **OPENING,
    )


def index_uploads(bench: Workbench, uploads: Sequence[Upload], progress: Any = False) -> IndexedGallery:
    """Index a person's photographs, in memory alone.

    Raises:
        ValueError: none can be read, or there are too many.
    """
    files = [(upload.name, upload.content) for upload in uploads]
    return index_gallery(
        bench.model, uploads_gallery(files), None, progress, bench.encode_uploads or bench.encode_photos
    )


def left_out(indexed: IndexedGallery) -> str:
    """A sentence about the files that were left out, or the gallery's own note."""
    skipped = indexed.gallery.skipped
    if not skipped:
        return indexed.gallery.note
    more = f" And {len(skipped) - 3} more." if len(skipped) > 3 else ""
    return f"{len(skipped)} left out: {' '.join(skipped[:3])}{more}"

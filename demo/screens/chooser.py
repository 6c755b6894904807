"""Choosing a photograph: from a gallery, or one's own by upload, paste or camera."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.galleries.folder import MAX_UPLOADS
from demo.galleries.index import IndexedGallery
from demo.record.photo import LONGEST_STRIP, strip_value
from demo.screens.parts import (
    ANSWERING,
    OPENING,
    PROGRESS,
    errors_as_message,
    gallery_kept,
    message,
    scripted,
    tell_opened,
)
from demo.server.detail import Detail
from demo.server.uploads import Upload, takes_uploads
from demo.service.personal import index_uploads
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData


@dataclass(frozen=True)
class SelectedImage:
    """A photograph in a gallery; `session` holds what was the person's own when it was chosen."""

    gallery: str
    index: int
    session: SessionData | None = None

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly."""
        return 0 if self.session is None else self.session.nbytes


@dataclass(frozen=True)
class Chooser:
    """The components, and the state: a `SelectedImage`."""

    gallery: gr.Radio
    strip: gr.HTML
    upload: gr.Image
    selected: gr.State

    def restored(self, status: gr.HTML) -> list[Any]:
        """Return the components that every view with a chooser begins with, as `restored_values` fills them."""
        return [status, self.gallery, self.strip, self.selected]


def build(registry: ModelRegistry, name: str) -> Chooser:
    """Lay the chooser out; `name` tells the views' choosers apart."""
    first = registry.first
    gallery = gr.Radio(list(registry.names), value=first, label="Photograph", elem_id=f"{name}-gallery")
    strip = scripted("strip", "strip", f"{name}-strip", value=strip_value(registry.find(first)[1], 0))
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
    return Chooser(gallery, strip, upload, gr.State(SelectedImage(first, 0)))


def several_photos(name: str) -> Any:
    """Return where photographs of one's own are uploaded; a `gr.File` that hands over a list of `Upload`s."""
    return takes_uploads(
        gr.File(
            label=f"For this session alone, up to {MAX_UPLOADS}",
            file_count="multiple",
            file_types=["image"],
            height=120,
            elem_id=name,
        ),
        several=True,
    )


def restored_values(registry: ModelRegistry, selected: SelectedImage) -> list[Any]:
    """Return the gallery's name, its strip and the state, with a photograph selected; of one's own, the state alone."""
    if selected.gallery not in registry.names:
        return [gr.skip(), gr.skip(), selected]
    indexed = registry.find(selected.gallery, selected.session)[1]
    return [selected.gallery, strip_value(indexed, selected.index), selected]


def connect(
    registry: ModelRegistry,
    chooser: Chooser,
    session: gr.State,
    tab: gr.Tab,
    show: Callable[..., tuple[Any, ...]],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
) -> None:
    """Call `show(selected, *inputs)` whenever another photograph is chosen, or the view is opened after an edit.

    Args:
        session: holds a `SessionData`; tab: the view's.
        show: gives the values of `outputs`, of which the first is a message line.
    """
    first, *others = outputs
    count = 3 + len(others)

    def choose_gallery(
        gallery: str,
        session: SessionData,
        before: SelectedImage,
        progress: gr.Progress = PROGRESS,
        *values: Any,
    ) -> tuple[Any, ...]:
        try:
            _, indexed = registry.open(gallery, progress.tqdm, session)
            selected = SelectedImage(gallery, 0, session)
            status, *answer = show(selected, *values)
        except ValueError as error:  # the choice goes back to the gallery whose picture stays in sight
            kept = gallery_kept(before.gallery, registry.names)
            return message(str(error), "problem"), *[gr.skip()] * (count - 1), kept
        return status or message(indexed.gallery.note), selected, strip_value(indexed, 0), *answer, gr.skip()

    @errors_as_message(count)
    def choose_photo(gallery: str, session: SessionData, event: Detail, *values: Any) -> tuple[Any, ...]:
        indexed = registry.open(gallery, session=session)[1]
        selected = SelectedImage(gallery, event.whole("index", len(indexed)), session)
        status, *answer = show(selected, *values)
        # The strip of a large gallery moves on, so that every photograph can be reached.
        strip = strip_value(indexed, selected.index) if len(indexed) > LONGEST_STRIP else gr.skip()
        return status, selected, strip, *answer

    @errors_as_message(count)
    def choose_own(upload: Upload | None, *values: Any) -> tuple[Any, ...]:
        if upload is None:
            return "", *[gr.skip()] * (count - 1)
        indexed = index_uploads(registry.photos, [upload])
        selected = SelectedImage(indexed.gallery.name, 0, SessionData(indexed))
        status, *answer = show(selected, *values)
        return status or message(left_out(indexed)), selected, gr.skip(), *answer

    @errors_as_message(count)
    def follow(selected: SelectedImage, session: SessionData, *values: Any) -> tuple[Any, ...]:
        if selected.gallery not in session.edits or selected.session is session:
            return (gr.skip(),) * count
        now = replace(selected, session=session)
        status, *answer = show(now, *values)
        return status, now, strip_value(registry.find(now.gallery, session)[1], now.index), *answer

    outputs = [first, chooser.selected, chooser.strip, *others]
    stale = [output for output in outputs[1:] if isinstance(output, gr.HTML)]  # what another gallery's pictures replace
    tab.select(follow, [chooser.selected, session, *inputs], outputs, **OPENING | {"show_progress": "hidden"})
    opened = tell_opened(registry, chooser.gallery, first)
    opened(
        choose_gallery,
        [chooser.gallery, session, chooser.selected, *inputs],
        [*outputs, chooser.gallery],
        show_progress_on=stale,
        **OPENING,
    )
    chooser.strip.pick(
        choose_photo,
        [chooser.gallery, session, *inputs],
        [first, chooser.selected, chooser.strip, *others],
        **ANSWERING,
    )
    chooser.upload.input(
        choose_own,
        [chooser.upload, *inputs],
        outputs,
        show_progress_on=stale,
        **OPENING,
    )


def left_out(indexed: IndexedGallery) -> str:
    """Return a sentence about the files that were left out, or the gallery's own note."""
    skipped = indexed.gallery.skipped
    if not skipped:
        return indexed.gallery.note
    more = f" And {len(skipped) - 3} more." if len(skipped) > 3 else ""
    return f"{len(skipped)} left out: {' '.join(skipped[:3])}{more}"

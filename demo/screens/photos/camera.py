"""The camera in Photos: what the caption keeps of each frame that the page sends, and a frozen frame to work on.

A frame comes in an event, is decoded as uploads are, and goes with the answer: nothing of it is written or kept, but
the one that a person freezes, which stays with the session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gradio as gr
import numpy as np

from demo.galleries.index import GalleryInMemory
from demo.record.language import sentences
from demo.record.packing import pack_array
from demo.record.photo import with_new_key
from demo.record.table import say
from demo.screens.parts import ANSWERING, UNQUEUED, ViewState, errors_as_message, message, scripted
from demo.server.detail import Detail
from demo.service.captions import read_caption
from demo.service.masks import mask_text
from demo.service.personal import explain_frame, index_frame
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData

NAME = "camera.jpg"


def build_switch() -> gr.HTML:
    """Build what turns the camera on and off."""
    return scripted("camera", "seps-video", "camera", (), value={})


def build() -> gr.HTML:
    """Build where the camera's frames are shown, in the place of the viewer while it is on."""
    return scripted("lens", "seps-lens", "lens", ("look", "freeze"), value={})


def look_value(service: RetrievalService, content: bytes, caption: str) -> dict[str, Any]:
    """Return what a caption keeps of a frame.

    Args:
        content: a photograph in one of the formats of uploads; caption: as read or typed.

    Returns:
        `mask`, the text of the decision; `words` and `maps`, (L, N), where each met the frame; S(I, T) and the grid.

    Raises:
        ValueError: a frame that cannot be decoded, or a caption that cannot be read.
    """
    record = explain_frame(service, NAME, content, read_caption(service.model, caption).text)
    return with_new_key(
        {
            "grid": list(record.grid),
            "mask": mask_text(record.sparse.kept),
            "words": list(record.sparse_alignment.words),
            "maps": pack_array(np.asarray(record.sparse_alignment.word_maps)),
            "similarity": record.similarity,
            "model": service.name,
        }
    )


def frozen_note(registry: ModelRegistry, gallery: str) -> str:
    """Return what is told of a frame that was seen with a gallery's model, and is read by another; else empty."""
    before, now = registry.of(gallery).name, registry.photos.name
    return "" if before == now else say("camera.other_model", before=before, now=now)


def connect(
    registry: ModelRegistry,
    lens: gr.HTML,
    show: Callable[[SessionData, ViewState, GalleryInMemory], tuple[Any, ...]],
    session: gr.State,
    state: gr.State,
    outputs: list[Any],
) -> None:
    """Let frames be looked at and frozen; arguments as `sending.connect`."""

    def look(state: ViewState, event: Detail) -> dict[str, Any]:
        try:
            return look_value(registry.of(state.gallery), event.picture("frame"), state.caption)
        except ValueError as error:
            return with_new_key({"problem": sentences(str(error))})

    lens.look(look, state, lens, **UNQUEUED)

    @errors_as_message(len(outputs))
    def freeze(session: SessionData, state: ViewState, event: Detail) -> tuple[Any, ...]:
        indexed = index_frame(registry.photos, NAME, event.picture("frame"), say("camera.switch"))
        status, *shown = show(replace(session, camera=indexed), state, indexed)
        return message(frozen_note(registry, state.gallery)) or status, *shown

    lens.freeze(freeze, [session, state], outputs, **ANSWERING)

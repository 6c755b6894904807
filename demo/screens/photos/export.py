"""The ranking of photographs to take away, as CSV, and the timeline of a video as a film or numbers."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.drawing.rankings import images_csv
from demo.screens.downloads import OPTIONS, saving, sent
from demo.screens.parts import ViewState, message
from demo.screens.photos.video import film_download
from demo.screens.photos.view import PhotosView
from demo.screens.viewer import decision
from demo.server.detail import Detail
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData


def connect_ranking(
    registry: ModelRegistry, view: PhotosView, saved: gr.HTML, state: gr.State, session: gr.State
) -> None:
    """Let the ranking's button save it."""

    @saving
    def images(session: SessionData, state: ViewState) -> tuple[str, dict[str, Any]]:
        service, indexed = registry.find(state.gallery, session)
        decided = decision(service, indexed, state)
        by_hand = None if decided is None else (state.index, decided[0].record.similarity)
        file = images_csv(service, indexed, state.caption, state.dense, by_hand, state.candidates)
        return message(f"Saved as {file.name}."), sent(file)

    view.ranking.export(images, [session, state], [view.status, saved], **OPTIONS)

    @saving
    def film(session: SessionData, state: ViewState, event: Detail) -> tuple[str, dict[str, Any]]:
        file = film_download(*registry.find(state.gallery, session), state, event.text("format"))
        return message(f"Saved as {file.name}."), sent(file)

    view.ranking.film(film, [session, state], [view.status, saved], **OPTIONS)

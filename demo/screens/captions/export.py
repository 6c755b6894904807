"""The ranking of captions to take away, as CSV."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.drawing.rankings import captions_csv
from demo.screens.captions.view import Captions
from demo.screens.chooser import SelectedImage
from demo.screens.downloads import OPTIONS, saving, sent
from demo.screens.parts import NO_POOL, message
from demo.service.registry import ModelRegistry


def connect_ranking(registry: ModelRegistry, view: Captions, saved: gr.HTML) -> None:
    """Let the ranking's button save it."""

    @saving
    def captions(selected: SelectedImage, pool: str, typed: str) -> tuple[str, dict[str, Any]]:
        service, indexed = registry.find(selected.gallery, selected.session)
        file = captions_csv(service, indexed, selected.index, None if pool == NO_POOL else pool, typed)
        return message(f"Saved as {file.name}."), sent(file)

    inputs = [view.chooser.selected, view.pool, view.typed]
    view.ranking.export(captions, inputs, [view.status, saved], **OPTIONS)

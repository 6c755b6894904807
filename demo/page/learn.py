"""The actions of Learn, which answer with the values that its modules draw."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr

from demo.page.pictures import addressed_photo
from demo.page.places import at
from demo.page.queues import PROGRESS
from demo.record.settings import evaluation_knobs, read_knobs
from demo.record.table import say
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from demo.views.lesson.state import LessonState
from demo.views.lesson.state import show as lesson_shown
from demo.views.lesson.steps import STEPS
from demo.views.losses.claims import claims_value, run_claim
from demo.views.losses.page import guide_page, task_guide
from demo.views.losses.page import shown as losses_shown
from demo.views.paper.page import page as paper_page
from demo.views.state import SelectedImage

MAX_KNOBS = 2000  # characters


class LearnActions:
    """What Learn asks for; `registry` as for `PageActions`."""

    _registry: ModelRegistry

    def lesson(
        self,
        session: SessionData,
        gallery: str,
        index: float,
        caption: str,
        dense: str = "",
        knobs: str = "",
        step: float = 1,
        mask: str = "",
    ) -> dict[str, Any]:
        """Walk through the method on one photograph under settings, a JSON object of those that are not usual."""
        service, indexed = self._registry.find(gallery, session)
        place = at(index, len(indexed))
        settings = read_knobs(read_object(knobs), evaluation_knobs(service.model))
        number = 1 + at(step - 1, STEPS)
        state = LessonState(SelectedImage(gallery, place, session), caption, dense, settings, number, mask=mask)
        _, value, _ = lesson_shown(self._registry, state)
        return value | {"photo": addressed_photo(service, indexed, place), "formats": []}

    def losses(self, margin: float = 0.2, mining: str = "all", mask_ids: bool = True) -> dict[str, Any]:
        """Return the losses on a batch under settings."""
        return losses_shown(self._registry.photos, margin, mining, mask_ids)

    def claims(self, claim: str = "", progress: gr.Progress = PROGRESS) -> dict[str, Any]:
        """Return the claims; the one that is named is measured on the live model."""
        if not claim:
            return claims_value()
        progress(0, desc=say("app.measuring"))
        return claims_value({claim: run_claim(self._registry.photos, claim)})

    def guide(self) -> dict[str, Any]:
        """Return the training guide's advice, as HTML that this app has written, and which loss fits which task."""
        return {"html": guide_page(), "tasks": task_guide()}

    def paper(self) -> dict[str, Any]:
        """Return where the paper and its released code differ, as HTML that this app has written."""
        return {"html": paper_page(self._registry.photos)}


def read_object(text: str) -> dict[str, Any]:
    """Return a JSON object; ValueError for anything else."""
    if len(text) > MAX_KNOBS:
        raise ValueError(say("page.no_object"))
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ValueError(say("page.no_object")) from error
    if not isinstance(value, dict):
        raise ValueError(say("page.no_object"))
    return value

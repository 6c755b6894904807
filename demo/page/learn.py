"""The actions of Learn, which answer with the values that its modules draw."""

import json
from typing import Any

import gradio as gr

from demo.page.pictures import addressed_photo
from demo.page.questions import Walked, at
from demo.page.table import PROGRESS
from demo.record.settings import evaluation_knobs, read_knobs
from demo.record.texts.table import say
from demo.service.models.registry import ModelRegistry
from demo.views.lesson.steps import STEPS
from demo.views.lesson.walk import WalkRequest, walk_value
from demo.views.losses.claims import claims_value, run_claim
from demo.views.losses.page import guide_page, task_guide
from demo.views.losses.values import playground_value
from demo.views.paper.values import page as paper_page

MAX_KNOBS = 2000  # characters


class LearnActions:
    """Actions of Learn; `registry` as for `PageActions`."""

    _registry: ModelRegistry

    def lesson(self, walked: Walked, step: float = 1) -> dict[str, Any]:
        """Walk through the method on one photograph; step: 1 to 9, the one to show."""
        request = walk_request(self._registry, walked)
        value = walk_value(request, 1 + at(step - 1, STEPS))
        return value | {"photo": addressed_photo(request.service, request.indexed, request.index)}

    def losses(self, margin: float = 0.2, mining: str = "all", mask_ids: bool = True) -> dict[str, Any]:
        """Return the losses on a batch under settings."""
        return playground_value(self._registry.photos, margin, mining, mask_ids)

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


def walk_request(registry: ModelRegistry, walked: Walked) -> WalkRequest:
    """Return the lesson request of a call."""
    service, indexed, index = walked.find(registry)
    knobs = read_knobs(read_object(walked.knobs), evaluation_knobs(service.model))
    return WalkRequest(service, indexed, index, walked.caption, walked.dense or None, knobs, walked.mask)


def read_object(text: str) -> dict[str, Any]:
    """Return a JSON object; ValueError for anything else."""
    try:
        value = json.loads(text or "{}") if len(text) <= MAX_KNOBS else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ValueError(say("page.no_object"))
    return value

"""The lesson: the method's nine steps on any photograph and caption of the app, knobs that recompute, and files."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from demo.record.settings import Knobs, evaluation_knobs, idle_choices
from demo.service.registry import ModelRegistry
from demo.views.lesson.walk import WalkRequest, walk_value
from demo.views.state import SelectedImage, ViewState, link_to


@dataclass(frozen=True)
class LessonState:
    """Where a person is in the lesson; lives in the session.

    Attributes:
        selected: the photograph; caption, dense: as typed; knobs: the pass; step: 1 to 9.
        mask: the decision by hand of the last step, see `demo.service.masks`, or empty for the model's own.
        problem: what was wrong with the link that led here, to be read until a caption is typed.
    """

    selected: SelectedImage
    caption: str
    dense: str
    knobs: Knobs
    step: int = 1
    problem: str = ""
    mask: str = ""

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly."""
        return self.selected.nbytes


def show(registry: ModelRegistry, state: LessonState) -> tuple[str, dict[str, Any], LessonState]:
    """Return the message line, the walk's value and the state; ValueError for what cannot be walked through."""
    value = walk_value(walk_request(registry, state), state.step)
    return "", value | {"link": link(registry, state), "idle": idle_choices()}, state


def walk_request(registry: ModelRegistry, state: LessonState) -> WalkRequest:
    """Return what a state walks through."""
    service, indexed = registry.find(state.selected.gallery, state.selected.session)
    return WalkRequest(
        service, indexed, state.selected.index, state.caption, state.dense or None, state.knobs, state.mask
    )


def link(registry: ModelRegistry, state: LessonState) -> str | None:
    """Return the query that leads to this example with these knobs and decision; the browser adds the step."""
    service, indexed = registry.find(state.selected.gallery, state.selected.session)
    pair = ViewState(state.selected.gallery, state.selected.index, state.caption, state.dense or None)
    query = link_to(service, "lesson", indexed, pair)
    usual = asdict(evaluation_knobs(service.model))
    moved = {name: value for name, value in asdict(state.knobs).items() if value != usual[name]}
    values = {linked_name(name): value for name, value in moved.items()} | ({"mask": state.mask} if state.mask else {})
    return None if query is None else query + ("&" + urlencode(values) if values else "")


def linked_name(knob: str) -> str:
    """Return the name of a knob in a link, where "dense" is the text of the dense caption."""
    return "use_dense" if knob == "dense" else knob

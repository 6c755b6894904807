"""The lesson: the method's nine steps on any photograph and caption of the app, knobs that recompute, and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from demo.record.settings import Knobs, evaluation_knobs, idle_choices, read_knobs
from demo.screens import chooser
from demo.screens.cancelling import Cancellations
from demo.screens.chooser import Chooser, SelectedImage
from demo.screens.downloads import OPTIONS, saving, sent
from demo.screens.lesson.files import lesson_file
from demo.screens.lesson.steps import STEPS
from demo.screens.lesson.walk import WalkRequest, walk_value
from demo.screens.link import Link, LinkedView
from demo.screens.parts import (
    ANSWERING,
    PROGRESS,
    UNQUEUED,
    ViewState,
    caption_box,
    computing,
    errors_as_message,
    link_to,
    message,
    scripted,
)
from demo.screens.typed import connect_typed
from demo.server.detail import Detail
from demo.service.masks import read_mask
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData

MAX_EXPORTS = 10**6  # of a page


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


@dataclass(frozen=True)
class LessonView:
    """The view's components."""

    chooser: Chooser
    caption: gr.Textbox
    dense: gr.Textbox
    status: gr.HTML
    walk: gr.HTML
    saving: gr.HTML
    state: gr.State

    def linked(self, tab: gr.Tab) -> LinkedView:
        """Return how links and its tab fill it."""
        outputs = [*self.chooser.restored(self.status), self.caption, self.dense, self.walk, self.state]
        return LinkedView(tab, outputs, self.walk, restore, self.state, kept=(self.state,), again=again)


def build(registry: ModelRegistry) -> LessonView:
    """Lay the view out."""
    box = gr.Accordion("The example: photograph and caption", open=False, elem_id="lesson-example")
    with box, gr.Row(elem_classes="ask"):
        with gr.Column(min_width=260):
            selected = chooser.build(registry, "lesson")
        with gr.Column(min_width=260):
            caption = caption_box("Caption", "lesson-caption", 1)
            dense = caption_box("Dense caption, or empty", "lesson-dense", 4, 6)
    status = gr.HTML(elem_id="lesson-said")
    shown = scripted(
        "lesson", "seps-lesson", "lesson", ("step", "knobs", "paint", "export", "cancel"), value=computing()
    )
    files_line = gr.HTML(elem_id="lesson-saving")  # in sight of the buttons that save, which stand below the walk
    start = LessonState(SelectedImage(registry.first, 0), "", "", evaluation_knobs(registry.of(registry.first).model))
    return LessonView(selected, caption, dense, status, shown, files_line, gr.State(start))


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


def from_link(
    registry: ModelRegistry, linked: Mapping[str, str], selected: SelectedImage, caption: str, dense: str
) -> LessonState:
    """Return the state that a link's query describes; ValueError for a knob, a step or a mask that does not exist."""
    model = registry.of(selected.gallery).model
    usual = evaluation_knobs(model)
    values: dict[str, Any] = {}
    for field in fields(Knobs):
        name = linked_name(field.name)
        if name in linked:
            kind = type(getattr(usual, field.name))
            text = linked[name]
            try:
                values[field.name] = text == "True" if kind is bool else kind(text)
            except ValueError as error:
                raise ValueError(f"{name} is {text!r} in this link, but a number is needed.") from error
    step = linked.get("step", "1")
    if step not in {str(number) for number in range(1, STEPS + 1)}:
        raise ValueError(f"There is no step {step!r}: the lesson has steps 1 to {STEPS}.")
    mask = linked.get("mask", "")
    read_mask(mask, model.cross_net.num_patches)
    return LessonState(selected, caption, dense, read_knobs(values, usual), int(step), mask=mask)


def restore(registry: ModelRegistry, link: Link) -> list[Any]:
    """Return the view's values for a link: message, the chooser's, caption, dense caption, walk, state.

    Without a caption in the link, the photograph's own dense caption comes along.
    """
    query = link.values if link.view == "lesson" else {}
    own_text, own_dense = own_caption(registry, link.selected)
    caption = link.caption or (link.has_photo and own_text) or link.example
    dense = link.dense if link.dense or "caption" in query else own_dense
    status = ""
    try:
        shown = show(registry, from_link(registry, query, link.selected, caption, dense))
    except ValueError as error:
        status = message(str(error), "problem")
        state = from_link(registry, {}, link.selected, link.example, "")
        shown = show(registry, replace(state, problem=str(error)))
    _, value, state = shown
    value |= {"talk": query.get("talk") == "1"}
    return [status, *chooser.restored_values(registry, link.selected), state.caption, state.dense, value, state]


def again(registry: ModelRegistry, session: SessionData, query: Mapping[str, str], state: LessonState) -> list[Any]:
    """Return the view's values as a state had them, see `restore`."""
    status, value, state = show(registry, state)
    return [status, *chooser.restored_values(registry, state.selected), state.caption, state.dense, value, state]


def own_caption(registry: ModelRegistry, selected: SelectedImage) -> tuple[str, str]:
    """Return a caption and a dense caption that a photograph of a gallery has, to start with; else empty ones."""
    item = registry.find(selected.gallery, selected.session)[1].gallery.items[selected.index]
    return (item.captions[0] if item.captions else "", item.dense or "")


def with_photo(registry: ModelRegistry, state: LessonState, selected: SelectedImage) -> LessonState:
    """Another photograph with a caption of its own, where it has one; settings stay where the model does."""
    caption, dense = own_caption(registry, selected)
    before, service = registry.of(state.selected.gallery), registry.of(selected.gallery)
    knobs = state.knobs if service is before else evaluation_knobs(service.model)
    caption = caption or state.caption
    return replace(state, selected=selected, caption=caption, dense=dense, knobs=knobs, problem="", mask="")


def recomputed(
    registry: ModelRegistry, state: LessonState, values: Mapping[str, Any]
) -> tuple[str, dict[str, Any], LessonState]:
    """As `show`, under other knobs; the walk's value repeats them as `asked`, which tells the browser whether a person
    has moved one since. Where the model does not allow them, the problem is told and the knobs go back."""
    try:
        status, value, state = show(registry, replace(state, knobs=read_knobs(values, state.knobs)))
    except ValueError as error:
        _, value, state = show(registry, state)
        status = message(str(error), "problem")
    return status, value | {"asked": dict(values)}, state


def connect(
    registry: ModelRegistry, view: LessonView, session: gr.State, tab: gr.Tab, saved: gr.HTML, answered: gr.HTML
) -> None:
    """Give the view its events; `answered` is from `demo.screens.typed.build`."""
    outputs = [view.status, view.walk, view.state]

    def other_photo(selected: SelectedImage, state: LessonState) -> tuple[Any, ...]:
        status, value, now = show(registry, with_photo(registry, state, selected))
        return status, now.caption, now.dense, value, now

    changed = [view.status, view.caption, view.dense, view.walk, view.state]
    chooser.connect(registry, view.chooser, session, tab, other_photo, [view.state], changed)

    def retyped(caption: str, state: LessonState) -> tuple[Any, ...] | str:
        if caption == state.caption:
            return message(state.problem, "problem")
        return show(registry, replace(state, caption=caption, problem="", mask=""))

    def dense_retyped(dense: str, state: LessonState) -> tuple[Any, ...] | str:
        if (dense or "") == state.dense:
            return message(state.problem, "problem")
        return show(registry, replace(state, dense=dense or "", problem="", mask=""))

    # Each changes its own caption alone: a text box in a closed accordion tells nothing.
    for box, answer in ((view.caption, retyped), (view.dense, dense_retyped)):
        connect_typed(box, answer, [view.state], outputs, answered)

    @errors_as_message(3)
    def turned(state: LessonState, event: Detail) -> tuple[Any, ...]:
        values = {field.name: event.value(field.name) for field in fields(Knobs)}
        return recomputed(registry, state, values)

    view.walk.knobs(turned, view.state, outputs, **ANSWERING)

    @errors_as_message(3)
    def painted(state: LessonState, event: Detail) -> tuple[Any, ...]:
        return show(registry, replace(state, mask=event.text("mask"), step=event.whole("step", STEPS, first=1)))

    view.walk.paint(painted, view.state, outputs, **UNQUEUED)

    def make_step(state: LessonState, event: Detail) -> LessonState:
        return replace(state, step=event.whole("step", STEPS, first=1))

    view.walk.step(make_step, view.state, view.state, api_visibility="private", show_progress="hidden", queue=False)

    cancellations = Cancellations()

    def export_key(event: Detail, request: gr.Request) -> tuple[str | None, int]:
        return request.session_hash, event.whole("number", MAX_EXPORTS)

    @saving
    def export(
        state: LessonState, event: Detail, request: gr.Request, progress: gr.Progress = PROGRESS
    ) -> tuple[str, dict[str, Any]]:
        watched = cancellations.watched(progress.tqdm, export_key(event, request))
        file = lesson_file(walk_request(registry, state), event.text("format"), event.flag("dark"), watched)
        return message(f"Saved as {file.name}."), sent(file)

    view.walk.export(export, view.state, [view.saving, saved], show_progress_on=view.saving, **OPTIONS)

    def cancel(event: Detail, request: gr.Request) -> None:
        cancellations.cancel(export_key(event, request))

    view.walk.cancel(cancel, None, None, api_visibility="private", show_progress="hidden", queue=False)

"""The lesson: the method's eight steps on any photograph and caption of the app, knobs that recompute, and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from demo.figures.export import file_name
from demo.figures.exports import Download
from demo.figures.lesson import Lesson, LessonHeading, LessonStep, lesson_gif, lesson_pdf, lesson_pngs
from demo.figures.palette import DARK, LIGHT
from demo.lesson.settings import Knobs, changes, evaluation_knobs, read_knobs
from demo.lesson.walk import keep_probability, told_steps, walk, walk_value
from demo.service.benches import Benches
from demo.service.threads import drawing
from demo.views import chooser
from demo.views.chooser import Chooser, Chosen
from demo.views.downloads import OPTIONS, sent
from demo.views.parts import ANSWERING, PROGRESS, Shown, link_to, message, scripted, told_below

KINDS = {"pdf": ("pdf", "application/pdf"), "png": ("zip", "application/zip"), "gif": ("gif", "image/gif")}


@dataclass(frozen=True)
class Told:
    """Where a person is in the lesson; lives in the session.

    Attributes:
        chosen: the photograph; caption, dense: as typed; knobs: the pass; step: 1 to 8.
        problem: what was wrong with the link that led here, to be read until a caption is typed.
    """

    chosen: Chosen
    caption: str
    dense: str
    knobs: Knobs
    step: int = 1
    problem: str = ""

    @property
    def nbytes(self) -> int:
        """How much memory it takes, nearly."""
        return self.chosen.nbytes


@dataclass(frozen=True)
class LessonView:
    """The view's components."""

    chooser: Chooser
    caption: gr.Textbox
    dense: gr.Textbox
    said: gr.HTML
    walk: gr.HTML
    told: gr.State


def build(benches: Benches) -> LessonView:
    """Lay the view out."""
    box = gr.Accordion("The example: photograph and caption", open=False, elem_id="lesson-example")
    with box, gr.Row(elem_classes="ask"):
        with gr.Column(min_width=260):
            chosen = chooser.build(benches, "lesson")
        with gr.Column(min_width=260):
            caption = gr.Textbox(label="Caption", elem_id="lesson-caption")
            dense = gr.Textbox(label="Dense caption, or empty", lines=3, max_lines=6, elem_id="lesson-dense")
    said = gr.HTML(elem_id="lesson-said")
    shown = scripted("lesson", "seps-lesson", "lesson", ("step", "knobs", "export"))
    start = Told(Chosen(benches.first, 0), "", "", evaluation_knobs(benches.photos.model))
    return LessonView(chosen, caption, dense, said, shown, gr.State(start))


def show(benches: Benches, told: Told) -> tuple[str, dict[str, Any], Told]:
    """The message line, the walk's value and the state; ValueError for what cannot be walked through."""
    bench, indexed = benches.find(told.chosen.gallery, told.chosen.own)
    value = walk_value(bench, indexed, told.chosen.place, told.caption, told.dense or None, told.knobs, told.step)
    return "", value | {"link": link(benches, told)}, told


def link(benches: Benches, told: Told) -> str | None:
    """The query that leads to this example with these knobs; the browser adds the step."""
    bench, indexed = benches.find(told.chosen.gallery, told.chosen.own)
    pair = Shown(told.chosen.gallery, told.chosen.place, told.caption, told.dense or None)
    query = link_to(bench, "lesson", indexed, pair)
    usual = evaluation_knobs(bench.model)
    moved = changes(told.knobs, usual, bool(told.dense))
    values = {name: value for name, value in asdict(told.knobs).items() if name in moved}
    return None if query is None else query + ("&" + urlencode(values) if values else "")


def from_link(benches: Benches, wanted: Mapping[str, str], chosen: Chosen, caption: str, dense: str) -> Told:
    """The state that a link's query describes; ValueError for a knob or a step that does not exist."""
    usual = evaluation_knobs(benches.of(chosen.gallery).model)
    values: dict[str, Any] = {}
    for field in fields(Knobs):
        if field.name in wanted:
            kind = type(getattr(usual, field.name))
            text = wanted[field.name]
            try:
                values[field.name] = text == "True" if kind is bool else kind(text)
            except ValueError as error:
                raise ValueError(f"{field.name} is {text!r} in this link, but a number is needed.") from error
    step = wanted.get("step", "1")
    if step not in {str(number) for number in range(1, 9)}:
        raise ValueError(f"There is no step {step!r}: the lesson has steps 1 to 8.")
    return Told(chosen, caption, dense, read_knobs(values, usual), int(step))


def own_caption(benches: Benches, chosen: Chosen) -> tuple[str, str]:
    """A caption and a dense caption that a photograph of a gallery has, to start with; else empty ones."""
    item = benches.find(chosen.gallery, chosen.own)[1].gallery.items[chosen.place]
    return (item.captions[0] if item.captions else "", item.dense or "")


def files(benches: Benches, told: Told, kind: str, dark: bool) -> Download:
    """The whole lesson as PDF (a page a step), PNG (a zip, a file a step) or GIF."""
    if kind not in KINDS:
        raise ValueError(f"format is {kind!r}, but it must be one of {', '.join(KINDS)}.")
    bench, indexed = benches.find(told.chosen.gallery, told.chosen.own)
    walked = walk(bench, indexed, told.chosen.place, told.caption, told.dense or None, told.knobs)
    lesson = Lesson(
        photo=indexed.gallery.items[told.chosen.place].photo(),
        record=walked.record,
        heading=LessonHeading(walked.caption, bench.name, walked.rank, len(indexed)),
        steps=[LessonStep.read(step) for step in told_steps(bench, walked, len(indexed))],
        before=walked.before if walked.changed else None,
        dense_words=tuple(walked.dense_words or ()),
        top_k=walked.knobs.top_k,
        keep_probability=keep_probability(walked).numpy() if walked.knobs.decision == "gumbel" else None,
    )
    ending, media_type = KINDS[kind]
    draw = {"pdf": lesson_pdf, "png": lesson_pngs, "gif": lesson_gif}[kind]
    title = indexed.gallery.items[told.chosen.place].title
    content = drawing(draw)(lesson, DARK if dark else LIGHT)
    return Download(file_name(bench.name, title, "lesson", ending), content, media_type)


def connect(benches: Benches, view: LessonView, own: gr.State, tab: gr.Tab, saved: gr.HTML) -> None:
    """Give the view its events."""
    outputs = [view.said, view.walk, view.told]

    def other_photo(chosen: Chosen, told: Told) -> tuple[Any, ...]:
        caption, dense = own_caption(benches, chosen)
        before, bench = benches.of(told.chosen.gallery), benches.of(chosen.gallery)
        knobs = told.knobs if bench is before else evaluation_knobs(bench.model)
        now = replace(told, chosen=chosen, caption=caption or told.caption, dense=dense, knobs=knobs)
        said, value, now = show(benches, now)
        return said, now.caption, now.dense, value, now

    changed = [view.said, view.caption, view.dense, view.walk, view.told]
    chooser.connect(benches, view.chooser, own, tab, other_photo, [view.told], changed)

    @told_below(3)
    def retyped(caption: str, told: Told) -> tuple[Any, ...]:
        if caption == told.caption:  # the page's own doing
            return message(told.problem, "problem"), gr.skip(), gr.skip()
        return show(benches, replace(told, caption=caption, problem=""))

    @told_below(3)
    def dense_retyped(dense: str, told: Told) -> tuple[Any, ...]:
        if (dense or "") == told.dense:
            return message(told.problem, "problem"), gr.skip(), gr.skip()
        return show(benches, replace(told, dense=dense or "", problem=""))

    # Each changes its own caption alone: a text box in a closed accordion tells nothing.
    for box, answer in ((view.caption, retyped), (view.dense, dense_retyped)):
        box.change(answer, [box, view.told], outputs, **ANSWERING)

    @told_below(3)
    def turned(told: Told, event: gr.EventData) -> tuple[Any, ...]:
        values = {field.name: getattr(event, field.name) for field in fields(Knobs)}
        try:
            return show(benches, replace(told, knobs=read_knobs(values, told.knobs)))
        except ValueError as error:  # the knobs go back to where they were
            return message(str(error), "problem"), *show(benches, told)[1:]

    view.walk.knobs(turned, view.told, outputs, **ANSWERING)

    def stepped(told: Told, event: gr.EventData) -> Told:
        return replace(told, step=int(event.step))

    view.walk.step(stepped, view.told, view.told, api_visibility="private", show_progress="hidden", queue=False)

    @told_below(2)
    def export(told: Told, event: gr.EventData, progress: gr.Progress = PROGRESS) -> tuple[str, dict[str, Any]]:
        progress(0.1, desc="Drawing the steps")
        file = files(benches, told, str(event.format), bool(event.dark))
        return message(f"Saved as {file.name}."), sent(file)

    view.walk.export(export, view.told, [view.said, saved], show_progress_on=view.said, **OPTIONS)

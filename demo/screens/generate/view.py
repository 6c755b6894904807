"""Generate: a caption is drawn while one looks on, held against what a captioner reads, and pictures are captioned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import gradio as gr
from PIL import Image

from demo.galleries.drawings import DRAWN
from demo.galleries.scenes import SCENES
from demo.record.language import html_in_languages
from demo.record.photo import strip_value
from demo.record.table import say
from demo.screens.downloads import OPTIONS, connect_layer, explanation, saving, sent
from demo.screens.generate.export import drawing_file
from demo.screens.generate.photo_captions import explained_captions, photo_captions_value
from demo.screens.generate.values import (
    EXAMPLES,
    GenerateState,
    asking_value,
    blank_value,
    captioned_value,
    drawing_value,
    explained_values,
    finish,
    finished,
    linked_state,
    opened_generator,
    precomputed_value,
    shown,
    stopped_value,
)
from demo.screens.link import Link, LinkedView
from demo.screens.parts import (
    ANSWERING,
    GENERATING,
    OPENING,
    UNQUEUED,
    caption_box,
    computing,
    errors_as_message,
    message,
    scripted,
)
from demo.server.detail import MAX_COUNTED, Detail, trigger_of
from demo.server.uploads import Upload, takes_uploads
from demo.service.captions import read_caption
from demo.service.generating.precomputed import PrecomputedDrawing
from demo.service.generating.reading import read_drawn_caption
from demo.service.generating.request import (
    GUIDANCE,
    MAX_GUIDANCE,
    MAX_SEED,
    MAX_STEPS,
    MIN_GUIDANCE,
    MIN_STEPS,
    SEED,
    SEVERAL,
    STEPS,
    read_numbers,
)
from demo.service.personal import decode_upload
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData

ASKED = ("steps", "guidance", "seed", "count")
KINDS = PHOTO, DRAWING = "a photograph", "a drawn scene"  # that a person's own picture may be
FEW = 60  # photographs of a gallery that are laid out to be captioned, at most


@dataclass(frozen=True)
class GenerateView:
    """The view's components."""

    caption: gr.Textbox
    examples: gr.HTML
    draw: gr.Button
    stop: gr.Button
    several: gr.Button
    steps: gr.Slider
    guidance: gr.Slider
    seed: gr.Number
    status: gr.HTML
    drawing: gr.HTML
    recaption: gr.HTML
    words: gr.HTML
    looks: gr.HTML
    strip: gr.HTML
    photos: gr.HTML
    kind: gr.Radio
    upload: gr.Image
    caption_status: gr.HTML
    captioned: gr.HTML
    state: gr.State

    @property
    def pictures(self) -> list[Any]:
        """What a drawing fills: the message line first, the state last."""
        return [self.status, self.drawing, self.recaption, self.words, self.looks, self.state]

    def linked(self, registry: ModelRegistry, tab: gr.Tab) -> LinkedView:
        """Return how links and its tab fill it: an example to begin with where it was not open yet."""

        def enter(state: GenerateState) -> list[Any] | None:
            return None if state.gallery else filled(registry, GenerateState())

        asked = [self.caption, self.steps, self.guidance, self.seed]
        outputs = [self.status, *asked, *self.pictures[1:], self.strip, self.photos]
        return LinkedView(
            tab, outputs, self.drawing, restore, None, enter, (self.state,), kept=(self.state,), again=again
        )


def captioning_head() -> str:
    """Return what stands above the captioning of a picture, as HTML."""
    title, hint = (escape(say(f"generate.caption_{part}")) for part in ("title", "hint"))
    return f"<h3 class='part'>{title}</h3><p class='hint'>{hint}</p>"


def build() -> GenerateView:
    """Lay the view out; `connect` gives it its events."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            caption = caption_box("Caption", "generate-caption")
            examples = scripted("chips", "chips", "generate-examples", value={"items": list(EXAMPLES)})
            with gr.Row(elem_id="generate-buttons"):
                draw = gr.Button("Draw", variant="primary", min_width=80, elem_id="generate-draw")
                stop = gr.Button("Stop", min_width=80, elem_id="generate-stop")
                several = gr.Button("Four seeds", min_width=80, elem_id="generate-several")
            steps = gr.Slider(MIN_STEPS, MAX_STEPS, STEPS, step=1, label="Steps", elem_id="generate-steps")
            guidance = gr.Slider(
                MIN_GUIDANCE, MAX_GUIDANCE, GUIDANCE, step=0.5, label="Guidance", elem_id="generate-guidance"
            )
            seed = gr.Number(SEED, label="Seed", precision=0, minimum=0, maximum=MAX_SEED, elem_id="generate-seed")
            status = gr.HTML(elem_id="generate-said")
        with gr.Column(scale=17, min_width=320, elem_classes="seen generated"):
            with gr.Row(elem_classes="generate-halves"):
                with gr.Column(min_width=300):
                    drawing = scripted("generate", "seps-generate", "generate", ("draw", "choose", "export"))
                with gr.Column(min_width=300):
                    recaption = scripted("told", "seps-told", "generate-told", ())
            words = scripted("words", "seps-viewer", "generate-words", ("layer", "export"))
            looks = scripted("looks", "seps-looks", "generate-looks", ("word",))
            gr.HTML(html_in_languages(captioning_head), elem_id="generate-caption-title")
            photos = scripted("strip", "strip", "generate-photos")
            strip = scripted("strip", "strip", "generate-strip")
            with gr.Accordion("A picture of your own", open=False, elem_id="generate-own"):
                kind = gr.Radio(KINDS, value=PHOTO, label="It is", elem_id="generate-kind")
                upload = takes_uploads(
                    gr.Image(
                        type="filepath",
                        sources=["upload", "clipboard", "webcam"],
                        show_label=False,
                        height=170,
                        elem_id="generate-upload",
                        buttons=[],
                    )
                )
            caption_status = gr.HTML(elem_id="generate-caption-said")  # of what is captioned, which lies further down
            captioned = scripted("captioned", "seps-captioned", "generate-captioned", ())
    return GenerateView(
        caption,
        examples,
        draw,
        stop,
        several,
        steps,
        guidance,
        seed,
        status,
        drawing,
        recaption,
        words,
        looks,
        strip,
        photos,
        kind,
        upload,
        caption_status,
        captioned,
        gr.State(GenerateState()),
    )


def filled(registry: ModelRegistry, state: GenerateState) -> list[Any]:
    """Return the view's values as it opens, in the order of `LinkedView.outputs`: where the state has a caption the
    page then asks for its drawing; else the precomputed drawing, where there is one."""
    precomputed = opened_generator(registry).precomputed()
    _, scenes = registry.open(SCENES)
    strips = [strip_value(scenes, None), photos_strip(registry)]
    if precomputed is not None and not state.caption:
        return shown_precomputed(registry, precomputed, strips)
    asked = [state.caption or EXAMPLES[0], state.steps, state.guidance, state.seed]
    state = replace(state, gallery=DRAWN)
    return ["", *asked, asking_value(state), None, None, None, state, *strips]


def photos_strip(registry: ModelRegistry) -> dict[str, Any] | None:
    """Return the photographs that can be captioned by a press: the first gallery of few; None without it or a
    captioner."""
    few = [indexed for indexed in registry.photos.galleries.values() if len(indexed.gallery.items) <= FEW]
    return strip_value(few[0], None) if few and registry.captioning is not None else None


def shown_precomputed(registry: ModelRegistry, precomputed: PrecomputedDrawing, strips: list[Any]) -> list[Any]:
    """Return the view's values with a precomputed drawing, explained."""
    asked = precomputed.asked
    state = GenerateState(caption=asked.text, steps=asked.steps, guidance=asked.guidance, seed=asked.seeds[0])
    state = finish(registry, state, precomputed.steps)
    _, *explained = explained_values(registry, state)
    drawing = precomputed_value(state, registry.of(SCENES))
    return ["", state.caption, state.steps, state.guidance, state.seed, drawing, *explained, state, *strips]


def restore(registry: ModelRegistry, link: Link) -> list[Any]:
    """Return the view's values for a link, see `filled`: numbers without a caption are those of the first example."""
    state = linked_state(link.values if link.view == "generate" else {})
    if link.caption:
        read_caption(registry.of(SCENES).model, link.caption)
    elif state != GenerateState():
        state = replace(state, caption=EXAMPLES[0])
    return filled(registry, state)


def again(registry: ModelRegistry, session: SessionData, query: Mapping[str, str], state: GenerateState) -> list[Any]:
    """Return the view's values as a state had them: its drawing where it is finished, else see `filled`."""
    if state.drawn is None:
        return filled(registry, state)
    explained = explained_values(registry, state)
    return ["", state.caption, state.steps, state.guidance, state.seed, *explained, state, gr.skip(), gr.skip()]


def draw_frames(registry: ModelRegistry, state: GenerateState) -> Iterator[tuple[Any, ...]]:
    """Draw what a state asks for; whoever stops asking stops the drawing.

    Yields:
        The values of `GenerateView.pictures`: once before the first step, every few steps, and once with everything
        that is told of the finished picture.

    Raises:
        ValueError: a caption that cannot be read.
    """
    service, _ = registry.open(SCENES)
    generating = opened_generator(registry)
    reading = read_drawn_caption(service.model, state.caption)
    state = replace(state, gallery=DRAWN, caption=reading.text, index=0, drawn=None, problem="", layer="mask")
    status = message(reading.note)
    yield status, blank_value(state, say("generate.starting")), *[computing()] * 3, state
    steps = []
    for step in generating.draw(state.asked):
        steps.append(step)
        yield status, drawing_value(state, step), *[gr.skip()] * 4
    state = finish(registry, state, steps)
    yield status, *explained_values(registry, state), state


def ended(state: GenerateState) -> tuple[Any, ...]:
    """Return the values of `GenerateView.pictures` but the first for a drawing that came to no end."""
    return stopped_value(state), None, None, None, state


def connect(registry: ModelRegistry, view: GenerateView, saved: gr.HTML) -> None:
    """Give the view its events."""
    connect_drawing(registry, view)
    connect_captions(registry, view)

    @saving
    def export(state: GenerateState, event: Detail) -> tuple[Any, ...]:
        pictures = [frame[state.index] for frame in finished(state).frames]
        file = drawing_file(pictures, state.caption, state.seeds[state.index], event.text("format"))
        return message(f"Saved as {file.name}."), sent(file)

    view.drawing.export(export, view.state, [view.status, saved], **OPTIONS)

    @saving
    def export_words(state: GenerateState, event: Detail) -> tuple[Any, ...]:
        shown = replace(state, layer=event.text("layer"), opacity=event.number("opacity"), lines=event.flag("lines"))
        kind, dark = event.text("format"), event.flag("dark")
        file = explanation(registry.of(SCENES), finished(state).indexed, shown, kind, dark)
        return message(f"Saved as {file.name}."), sent(file)

    view.words.export(export_words, view.state, [view.status, saved], **OPTIONS)
    connect_layer(view.words, view.state, ("layer", "opacity", "lines"))


def connect_drawing(registry: ModelRegistry, view: GenerateView) -> None:
    """Draw when asked by a button, the caption's Enter key or a link; stop; and explain another one of the seeds."""
    count = len(view.pictures)

    def draw(
        caption: str, steps: float, guidance: float, seed: float, state: GenerateState, event: Detail
    ) -> Iterator[tuple[Any, ...]]:
        numbers: tuple[Any, ...] = (steps, guidance, seed, SEVERAL if event.target is view.several else 1)
        begun = False
        try:
            if event.target is view.drawing:  # a link's, whose numbers the boxes may not have yet
                caption, numbers = event.text("caption"), tuple(event.value(name) for name in ASKED)
            state = replace(state, caption=caption or "", word=-1, **read_numbers(*numbers))
            for values in draw_frames(registry, state):
                begun = True
                yield values
        except ValueError as error:
            left = ended(replace(state, drawn=None)) if begun else [gr.skip()] * (count - 1)
            yield message(str(error), "problem"), *left

    asking = [view.draw.click, view.several.click, view.caption.submit, trigger_of(view.drawing, "draw")]
    boxes = [view.caption, view.steps, view.guidance, view.seed]
    drawing = gr.on(asking, draw, [*boxes, view.state], view.pictures, show_progress_on=view.drawing, **GENERATING)

    def stop(state: GenerateState) -> tuple[Any, ...]:
        if state.drawn is not None or not state.caption:  # there is nothing to stop
            return (gr.skip(),) * count
        return "", *ended(state)

    view.stop.click(stop, view.state, view.pictures, cancels=[drawing], **UNQUEUED)

    def take_example(event: Detail) -> str:
        return event.text("caption")

    view.examples.pick(take_example, None, view.caption, **UNQUEUED)

    @errors_as_message(count)
    def choose(state: GenerateState, event: Detail) -> tuple[Any, ...]:
        state = replace(state, index=event.whole("index", len(finished(state).pictures)), layer="mask")
        return "", *explained_values(registry, state), state

    view.drawing.choose(choose, view.state, view.pictures, **ANSWERING)

    def remember(state: GenerateState, event: Detail) -> GenerateState:
        return replace(state, word=event.whole("word", MAX_COUNTED))

    view.looks.word(remember, view.state, view.state, api_visibility="private", show_progress="hidden", queue=False)


def connect_captions(registry: ModelRegistry, view: GenerateView) -> None:
    """Caption a scene or a photograph of the galleries, or an uploaded picture."""
    outputs = [view.caption_status, view.captioned]

    @errors_as_message(len(outputs))
    def scene(event: Detail) -> tuple[Any, ...]:
        _, scenes = registry.open(SCENES)
        items = scenes.gallery.items
        item = items[event.whole("index", len(items))]
        picture = item.photo()
        beams = opened_generator(registry).recaption(picture).best
        return "", captioned_value(picture, item.title, beams, None if item.known is None else item.known.scene)

    view.strip.pick(scene, None, outputs, **ANSWERING)

    def of_photo(picture: Image.Image, title: str) -> dict[str, Any]:
        return photo_captions_value(picture, shown(picture), title, explained_captions(registry, picture))

    @errors_as_message(len(outputs))
    def photograph(event: Detail) -> tuple[Any, ...]:
        indexed = next(each for each in registry.photos.galleries.values() if len(each.gallery.items) <= FEW)
        items = indexed.gallery.items
        item = items[event.whole("index", len(items))]
        return "", of_photo(item.photo(), item.title)

    view.photos.pick(photograph, None, outputs, show_progress_on=view.captioned, **OPENING)

    @errors_as_message(len(outputs))
    def upload_own(upload: Upload | None, kind: str) -> tuple[Any, ...]:
        if upload is None:
            return "", gr.skip()
        photo = decode_upload(upload)
        if kind == PHOTO and registry.captioning is not None:
            return "", of_photo(photo.image, photo.name)
        beams = opened_generator(registry).recaption(photo.image).best
        return "", captioned_value(photo.image, photo.name, beams, None)

    gr.on(
        [view.upload.input, view.kind.input],
        upload_own,
        [view.upload, view.kind],
        outputs,
        show_progress_on=view.captioned,
        **OPENING,
    )

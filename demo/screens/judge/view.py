"""The judge: how good a picture looks and how well it fits its prompt, as bounded corrections to what encoders say."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from demo.screens import chooser
from demo.screens.chooser import Chooser, SelectedImage, left_out, several_photos
from demo.screens.downloads import OPTIONS, connect_layer, explanation, saving, sent
from demo.screens.judge.values import (
    JudgeState,
    distortion_value,
    judged_picture,
    judgement_value,
    opened_judge,
    pending_distortion,
    read_distortion,
    several_csv,
    several_value,
    words_values,
)
from demo.screens.link import Link, LinkedView, read_link
from demo.screens.parts import ANSWERING, OPENING, PROGRESS, caption_box, errors_as_message, message, scripted
from demo.screens.typed import connect_typed
from demo.server.detail import Detail
from demo.server.uploads import Upload
from demo.service.captions import cleaned, read_prompt
from demo.service.judging import STRENGTHS, list_spoiling_kinds
from demo.service.personal import index_uploads
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from seps.progress import Progress


@dataclass(frozen=True)
class JudgeView:
    """The view's components."""

    chooser: Chooser
    prompt: gr.Textbox
    other: gr.Textbox
    uploads: gr.File
    status: gr.HTML
    judgement: gr.HTML
    distortion: gr.HTML
    several: gr.HTML
    words_said: gr.HTML
    words: gr.HTML
    state: gr.State

    @property
    def pictures(self) -> list[Any]:
        """What a judgement fills, as `show` gives it: the message line first, the state last."""
        return [self.status, self.judgement, self.distortion, self.several, self.words_said, self.words, self.state]

    def linked(self, registry: ModelRegistry, tab: gr.Tab) -> LinkedView:
        """Return how links and its tab fill it: the worked example where nothing was judged yet."""

        def enter(state: JudgeState) -> list[Any] | None:
            return None if state.caption else start(registry)

        outputs = [*self.chooser.restored(self.status), self.prompt, self.other, *self.pictures[1:]]
        kept = (self.chooser.selected, self.state)
        return LinkedView(tab, outputs, self.judgement, restore, None, enter, (self.state,), kept=kept, again=again)


def build(registry: ModelRegistry) -> JudgeView:
    """Lay the view out; `connect` gives it its events."""
    with gr.Row(elem_classes="screen"):
        with gr.Column(scale=5, min_width=250, elem_classes="ask"):
            selected = chooser.build(registry, "judge")
            prompt = caption_box("Prompt", "judge-prompt")
            other = caption_box("A second prompt, or empty", "judge-other", 1, placeholder="a red car in the snow")
            with gr.Accordion("Several pictures of one prompt", open=False, elem_id="judge-several-own"):
                uploads = several_photos("judge-uploads")
            status = gr.HTML(elem_id="judge-said")
        with gr.Column(scale=17, min_width=320, elem_classes="seen judged"):
            judgement = scripted("judge", "seps-judge", "judge", ())
            distortion = scripted("spoil", "seps-spoil", "judge-spoil", ("spoil", "slide"))
            several = scripted("several", "seps-several", "judge-several", ("all", "pick", "export"))
            words_said = gr.HTML(elem_id="judge-words-said")
            words = scripted("words", "seps-viewer", "judge-words", ("layer", "export"))
    return JudgeView(
        selected,
        prompt,
        other,
        uploads,
        status,
        judgement,
        distortion,
        several,
        words_said,
        words,
        gr.State(JudgeState()),
    )


def show(
    registry: ModelRegistry,
    selected: SelectedImage,
    prompt: str,
    other: str,
    state: JudgeState,
    ask: bool = False,
    progress: Progress = False,
) -> tuple[Any, ...]:
    """Judge a picture with a prompt, and with a second one where there is one; `ask` and `progress` as for
    `several_value`.

    Returns:
        The values of `JudgeView.pictures`.

    Raises:
        ValueError: a prompt that cannot be read, or a picture that cannot be had.
    """
    model = registry.photos.model
    reading = read_prompt(model, prompt)
    second = read_prompt(model, other) if (other or "").strip() else None
    state = replace(
        state,
        gallery=selected.gallery,
        index=selected.index,
        caption=reading.text,
        other="" if second is None else second.text,
        problem="",
    )
    notes = " ".join(note for note in (reading.note, "" if second is None else second.note) if note)
    picture = judged_picture(registry, selected)
    prompts = [picture.judging.encode_prompt(text) for text in state.prompts()]
    judged = [picture.judging.judge_together([picture.source], prompt)[0] for prompt in prompts]
    return (
        message(notes),
        judgement_value(picture, state, judged),
        pending_distortion(picture, state),
        several_value(picture, state, ask, progress, prompts[0], judged[0]),
        *words_values(registry, selected, state),
        state,
    )


def own_prompt(registry: ModelRegistry, selected: SelectedImage) -> str:
    """Return the first caption of a gallery's picture, or "" where it has none."""
    captions = registry.find(selected.gallery, selected.session)[1].gallery.items[selected.index].captions
    return captions[0] if captions else ""


def restore(registry: ModelRegistry, link: Link) -> list[Any]:
    """Return the view's values for a link: message, the chooser's, both prompts, and the rest of
    `JudgeView.pictures`."""
    query = link.values if link.view == "judge" else {}
    opened_judge(registry)
    kind, strength = read_distortion(query)
    other = query.get("other", "")
    state = JudgeState(distortion=kind, strength=strength)
    prompt = link.caption or (link.has_photo and own_prompt(registry, link.selected)) or link.example
    status, *shown = show(registry, link.selected, prompt, other, state)
    return [status, *chooser.restored_values(registry, link.selected), prompt, other, *shown]


def again(
    registry: ModelRegistry,
    session: SessionData,
    query: Mapping[str, str],
    selected: SelectedImage,
    state: JudgeState,
) -> list[Any]:
    """Return the view's values as states had them, see `restore`."""
    status, *shown = show(registry, selected, state.caption, state.other, state)
    return [status, *chooser.restored_values(registry, selected), state.caption, state.other, *shown]


def start(registry: ModelRegistry) -> list[Any]:
    """Return the view's values for the worked example."""
    return restore(registry, read_link(registry, {}))


def connect(
    registry: ModelRegistry, view: JudgeView, session: gr.State, tab: gr.Tab, saved: gr.HTML, answered: gr.HTML
) -> None:
    """Give the view its events; a picture of a gallery brings a prompt of its own, an upload keeps the one there is.

    `answered` is from `demo.screens.typed.build`.
    """
    selected = view.chooser.selected
    pictures = view.pictures
    count = len(pictures)

    def with_prompt(selected: SelectedImage, prompt: str, state: JudgeState) -> tuple[Any, ...]:
        prompt_here = own_prompt(registry, selected) or prompt
        status, *shown = show(registry, selected, prompt_here, state.other, replace(state, strength=0.0))
        return status, prompt_here, *shown

    brought = [view.status, view.prompt, *pictures[1:]]
    chooser.connect(registry, view.chooser, session, tab, with_prompt, [view.prompt, view.state], brought)

    # The other prompt comes from the state: where both boxes are filled anew, one tells of it before the other has it.
    def retyped(prompt: str, selected: SelectedImage, state: JudgeState) -> tuple[Any, ...] | str:
        if cleaned(prompt) == state.caption:
            return message(state.problem, "problem")
        return show(registry, selected, prompt, state.other, state)

    def other_retyped(other: str, selected: SelectedImage, state: JudgeState) -> tuple[Any, ...] | str:
        if cleaned(other) == state.other or not state.caption:  # no prompt yet: the page is being filled
            return message(state.problem, "problem")
        return show(registry, selected, state.caption, other, state)

    for box, answer in ((view.prompt, retyped), (view.other, other_retyped)):
        connect_typed(box, answer, [selected, view.state], pictures, answered)

    @errors_as_message(1 + count)
    def own_pictures(
        files: list[Upload] | None,
        prompt: str,
        before: SelectedImage,
        state: JudgeState,
        progress: gr.Progress = PROGRESS,
    ) -> tuple[Any, ...]:
        if not files:
            return "", *[gr.skip()] * count
        sent = None if before.session is None else before.session.uploads
        indexed = index_uploads(registry.photos, files, progress.tqdm, sent)
        now = SelectedImage(indexed.gallery.name, 0, SessionData(indexed))
        state = replace(state, strength=0.0)
        status, *shown = show(registry, now, prompt, state.other, state, ask=True, progress=progress.tqdm)
        return message(left_out(indexed)) or status, *shown, now

    view.uploads.upload(
        own_pictures,
        [view.uploads, view.prompt, selected, view.state],
        [*pictures, selected],
        show_progress_on=[output for output in pictures[1:] if isinstance(output, gr.HTML)],
        **OPENING,
    )
    connect_distortion(registry, view)
    connect_several(registry, view, saved)
    connect_words(registry, view, saved)


def connect_distortion(registry: ModelRegistry, view: JudgeView) -> None:
    """Judge the spoilt copies when the page asks for them, and remember where the slider stands."""

    def settled(state: JudgeState, event: Detail) -> JudgeState:
        return replace(state, distortion=event.text("spoil"), strength=strength_of(event.number("strength")))

    @errors_as_message(2)
    def distort(
        selected: SelectedImage, state: JudgeState, event: Detail, progress: gr.Progress = PROGRESS
    ) -> tuple[Any, ...]:
        return gr.skip(), distortion_value(judged_picture(registry, selected), settled(state, event), progress.tqdm)

    def remember(state: JudgeState, event: Detail) -> JudgeState:
        with suppress(ValueError):  # `distort` says what is wrong
            return settled(state, event) if event.text("spoil") in list_spoiling_kinds() else state
        return state

    # The state is no output of what takes long: another prompt may be typed meanwhile.
    unqueued: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "queue": False}
    view.distortion.spoil(remember, view.state, view.state, **unqueued)
    view.distortion.spoil(
        distort,
        [view.chooser.selected, view.state],
        [view.status, view.distortion],
        show_progress_on=view.distortion,
        **OPENING,
    )

    def slide(state: JudgeState, event: Detail) -> JudgeState:
        return replace(state, strength=strength_of(event.number("strength")))

    view.distortion.slide(slide, view.state, view.state, **unqueued)


def strength_of(value: Any) -> float:
    """Return the strength that a slider tells; ValueError where it is none."""
    strength = next((step for step in STRENGTHS if value == step), None)
    if strength is None:
        raise ValueError("The strength of this slider is none that there is: reload the page.")
    return strength


def connect_several(registry: ModelRegistry, view: JudgeView, saved: gr.HTML) -> None:
    """Judge the gallery's pictures together, open one of them, and save the scores."""
    inputs = [view.chooser.selected, view.state]

    @errors_as_message(2)
    def everything(selected: SelectedImage, state: JudgeState, progress: gr.Progress = PROGRESS) -> tuple[Any, ...]:
        return gr.skip(), several_value(judged_picture(registry, selected), state, ask=True, progress=progress.tqdm)

    view.several.all(everything, inputs, [view.status, view.several], show_progress_on=view.several, **OPENING)

    @errors_as_message(1 + len(view.pictures))
    def pick(selected: SelectedImage, state: JudgeState, event: Detail) -> tuple[Any, ...]:
        now = replace(selected, index=event.whole("index", len(registry.find(selected.gallery, selected.session)[1])))
        return *show(registry, now, state.caption, state.other, replace(state, strength=0.0)), now

    view.several.pick(pick, inputs, [*view.pictures, view.chooser.selected], **ANSWERING)

    @saving
    def export(selected: SelectedImage, state: JudgeState, event: Detail) -> tuple[Any, ...]:
        file = several_csv(judged_picture(registry, selected), state.caption, event.text("by"))
        return message(f"Saved as {file.name}."), sent(file)

    view.several.export(export, inputs, [view.status, saved], **OPTIONS)


def connect_words(registry: ModelRegistry, view: JudgeView, saved: gr.HTML) -> None:
    """Let the word maps' buttons save what they show."""

    @saving
    def export(selected: SelectedImage, state: JudgeState, event: Detail) -> tuple[Any, ...]:
        indexed, index = registry.get_photos_encoding(selected.gallery, selected.index, selected.session)
        drawn = replace(
            state,
            index=index,
            layer=event.text("layer"),
            opacity=event.number("opacity"),
            lines=event.flag("lines"),
            objects=event.flag("objects"),
        )
        file = explanation(registry.photos, indexed, drawn, event.text("format"), event.flag("dark"))
        return message(f"Saved as {file.name}."), sent(file)

    view.words.export(export, [view.chooser.selected, view.state], [view.status, saved], **OPTIONS)
    connect_layer(view.words, view.state, ("opacity", "lines", "objects"))

"""The actions of Lab: edit a scene, judge pictures, draw a caption and write captions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gradio as gr

from demo.galleries.openings import get_opening
from demo.galleries.scenes import SCENES
from demo.page.pictures import addressed_photo, thumbnail_source
from demo.page.places import at
from demo.page.queues import PROGRESS
from demo.record.table import say
from demo.service.captions import read_caption, read_prompt
from demo.service.experiment import experiment, read_changes, with_changes
from demo.service.generating.rank import rank_drawing
from demo.service.generating.reading import read_drawn_caption
from demo.service.generating.request import GUIDANCE, SEED, STEPS, read_numbers
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from demo.views.edit import Editing, own_caption, scene_value
from demo.views.generate.photo_captions import explained_captions, photo_captions_value
from demo.views.generate.values import (
    EXAMPLES,
    GenerateState,
    blank_value,
    captioned_value,
    drawing_value,
    drawn_value,
    finish,
    finished,
    opened_generator,
    precomputed_value,
    recaption_value,
    words_value,
)
from demo.views.judge.values import (
    JudgedPicture,
    JudgeState,
    distortion_value,
    judged_picture,
    judgement_value,
    own_prompt,
    pending_distortion,
    several_value,
    strength_of,
)
from demo.views.photos import ranking_value
from demo.views.state import SelectedImage


class LabActions:
    """What Lab asks for; `registry` as for `PageActions`."""

    _registry: ModelRegistry

    def edit(self, index: float = -1, caption: str = "", changes: str = "") -> dict[str, Any]:
        """Change a drawn scene; nothing is kept.

        Args:
            index: of the scene, -1 for the one that was chosen to begin with; changes: see `read_changes`.
        """
        registry = self._registry
        service, scenes = registry.open(SCENES)
        opening = get_opening(scenes.gallery, "edit")
        place = (opening.index if opening else 0) if index == -1 else at(index, len(scenes))
        asked = read_changes(changes or "[]")
        session = with_changes(registry, SessionData(), place, asked)
        first = opening.captions[0] if opening and index == -1 else own_caption(registry, session, place)
        text = read_caption(service.model, caption or first).text
        tried = experiment(registry, session, place, text)
        last = len(tried.after.scene.objects) - 1
        chosen = next((change["object"] for change in reversed(asked) if isinstance(change.get("object"), int)), 0)
        value = scene_value(registry, tried, Editing(place, text, max(0, min(chosen, last))))
        ranking = ranking_value(tried.after.indexed, tried.after.ranking, None, place)
        return {"index": place, "caption": text, "scene": value, "items": ranking["lists"][0]["items"]}

    def judge(
        self, session: SessionData, gallery: str, index: float, prompt: str = "", other: str = ""
    ) -> dict[str, Any]:
        """Judge how good a picture looks and how well it fits a prompt, and a second one where there is one."""
        picture, selected = self._picture(session, gallery, index)
        model = self._registry.photos.model
        text = read_prompt(model, prompt or own_prompt(self._registry, selected)).text
        second = read_prompt(model, other).text if other.strip() else ""
        state = JudgeState(gallery, selected.index, text, other=second)
        prompts = [picture.judging.encode_prompt(each) for each in state.prompts()]
        judged = [picture.judging.judge_together([picture.source], each)[0] for each in prompts]
        value = judgement_value(picture, state, judged)
        value["photo"] = addressed_photo(picture.service, picture.indexed, picture.index)
        several = several_value(picture, state, prompt=prompts[0], judged=judged[0])
        return {
            "prompt": text,
            "judgement": value,
            "distortion": pending_distortion(picture, state),
            "several": with_addresses(picture, several),
        }

    def several(
        self, session: SessionData, gallery: str, index: float, prompt: str, progress: gr.Progress = PROGRESS
    ) -> dict[str, Any]:
        """Judge the pictures of a gallery, the first ones of a large gallery, with one prompt."""
        picture, selected = self._picture(session, gallery, index)
        text = read_prompt(self._registry.photos.model, prompt).text
        state = JudgeState(gallery, selected.index, text)
        return with_addresses(picture, several_value(picture, state, ask=True, progress=progress.tqdm))

    def degrade(
        self,
        session: SessionData,
        gallery: str,
        index: float,
        prompt: str,
        kind: str = "blur",
        strength: float = 0,
        progress: gr.Progress = PROGRESS,
    ) -> dict[str, Any]:
        """Judge degraded copies of a picture."""
        picture, selected = self._picture(session, gallery, index)
        text = read_prompt(self._registry.photos.model, prompt).text
        state = JudgeState(gallery, selected.index, text, distortion=kind, strength=strength_of(strength))
        return distortion_value(picture, state, progress.tqdm)

    def _picture(self, session: SessionData, gallery: str, index: float) -> tuple[JudgedPicture, SelectedImage]:
        """Return a picture with what judges it, and where it is."""
        _, indexed = self._registry.find(gallery, session)
        selected = SelectedImage(gallery, at(index, len(indexed)), session)
        return judged_picture(self._registry, selected), selected

    def generate(
        self,
        caption: str = "",
        steps: float = STEPS,
        guidance: float = GUIDANCE,
        seed: float = SEED,
        count: float = 1,
    ) -> Iterator[dict[str, Any]]:
        """Draw a scene for a caption, a value for each step; without a caption, the drawing that ships.

        Args:
            count: pictures, drawn with seed, seed + 1, ...

        Yields:
            "drawing", "caption", "numbers"; the last value also has "explained", one dictionary per picture: what is
            read in it, where two models looked for each word, and the sentence under it.
        """
        registry = self._registry
        generating, (service, _) = opened_generator(registry), registry.open(SCENES)
        precomputed = None if caption else generating.precomputed()
        if precomputed is not None:
            asked = precomputed.asked
            state = GenerateState(caption=asked.text, steps=asked.steps, guidance=asked.guidance, seed=asked.seeds[0])
            state = finish(registry, state, precomputed.steps)
            drawing = precomputed_value(state, service)
        else:
            text = read_drawn_caption(service.model, caption or EXAMPLES[0]).text
            state = GenerateState(caption=text, **read_numbers(steps, guidance, seed, count))
            drawn = []
            yield told(state, blank_value(state, say("generate.starting")))
            for step in generating.draw(state.asked):
                drawn.append(step)
                yield told(state, drawing_value(state, step))
            state = finish(registry, state, drawn)
            drawing = drawn_value(state, service)
        yield told(state, drawing) | {"explained": [self._explained(state, index) for index in range(state.count)]}

    def _explained(self, state: GenerateState, index: int) -> dict[str, Any]:
        """Return the explanation of one picture of a finished drawing."""
        registry = self._registry
        service, scenes = registry.find(SCENES)
        drawn, state = finished(state), replace(state, index=index)
        read = opened_generator(registry).recaption(drawn.pictures[index], state.caption)
        standing = rank_drawing(service, scenes, drawn.indexed, index, state.caption)
        return {
            "says": say("generate.done", seed=state.seeds[index], steps=state.steps),
            "reads": recaption_value(read, standing),
            "looks": words_value(registry, state),
        }

    def recaption(self, session: SessionData, gallery: str, index: float, is_drawn: bool = False) -> dict[str, Any]:
        """Write captions of a picture: of a photograph the best by likelihood, S(I, T) and agreement together.

        Args:
            is_drawn: whether a person's own picture is a drawn scene, which another captioner reads.
        """
        registry = self._registry
        service, indexed = registry.find(gallery, session)
        place = at(index, len(indexed))
        item = indexed.gallery.items[place]
        picture = item.photo()
        photo = addressed_photo(service, indexed, place)
        if is_drawn or item.known is not None or registry.captioning is None:
            known = None if item.known is None else item.known.scene
            beams = opened_generator(registry).recaption(picture).best
            return captioned_value(picture, item.title, beams, known) | {"photo": photo}
        value = photo_captions_value(picture, "", item.title, explained_captions(registry, picture))
        return value | {"photo": photo}


def told(state: GenerateState, drawing: dict[str, Any]) -> dict[str, Any]:
    """Return a drawing with what was asked for, as it was read."""
    numbers = {"steps": state.steps, "guidance": state.guidance, "seed": state.seed}
    return {"drawing": drawing, "caption": state.caption, "numbers": numbers}


def with_addresses(picture: JudgedPicture, value: dict[str, Any]) -> dict[str, Any]:
    """Return the value of several pictures, thumbnails by their addresses."""
    for row in value["rows"] or ():
        row["thumb"] = thumbnail_source(picture.service, picture.indexed, row["index"])
    return value

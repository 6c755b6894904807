"""The actions of Learn and Lab, which answer with the values that their modules draw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gradio as gr

from demo.galleries.openings import get_opening
from demo.galleries.scenes import SCENES
from demo.page.pictures import addressed_photo
from demo.record.photo import photo_value
from demo.record.settings import evaluation_knobs, read_knobs
from demo.record.table import say
from demo.screens.chooser import SelectedImage
from demo.screens.edit.view import Editing, own_caption, scene_value
from demo.screens.generate.values import (
    GenerateState,
    blank_value,
    drawing_value,
    drawn_value,
    finish,
    opened_generator,
    precomputed_value,
    recaption_value,
)
from demo.screens.judge.values import JudgeState, distortion_value, judged_picture, judgement_value, pending_distortion
from demo.screens.judge.view import own_prompt, strength_of
from demo.screens.lesson.steps import STEPS
from demo.screens.lesson.view import LessonState
from demo.screens.lesson.view import show as lesson_shown
from demo.screens.losses.claims import claims_value, run_claim
from demo.screens.losses.view import shown as losses_shown
from demo.screens.paper.view import page as paper_page
from demo.screens.parts import PROGRESS
from demo.screens.photo_list import ranking_value
from demo.service.captions import read_caption, read_prompt
from demo.service.experiment import experiment, read_changes, with_changes
from demo.service.generating.rank import rank_drawing
from demo.service.generating.reading import read_drawn_caption
from demo.service.generating.request import GUIDANCE, SEED, read_numbers
from demo.service.generating.request import STEPS as DRAWING_STEPS
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData

MAX_KNOBS = 2000  # characters


def at(place: float, count: int) -> int:
    """Return one of `count` positions; ValueError for anything else."""
    if place not in range(count):
        raise ValueError(say("page.no_place", place=f"{place:g}"[:20], last=count - 1))
    return int(place)


class LaterActions:
    """What Learn and Lab ask for; `registry` as for `PageActions`."""

    def __init__(self, registry: ModelRegistry) -> None:
        self._registry = registry

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

    def paper(self) -> dict[str, Any]:
        """Return where the paper and its released code differ, as HTML that this app has written."""
        return {"html": paper_page(self._registry.photos)}

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
        registry = self._registry
        _, indexed = registry.find(gallery, session)
        selected = SelectedImage(gallery, at(index, len(indexed)), session)
        model = registry.photos.model
        text = read_prompt(model, prompt or own_prompt(registry, selected)).text
        second = read_prompt(model, other).text if other.strip() else ""
        picture = judged_picture(registry, selected)
        state = JudgeState(gallery, selected.index, text, other=second)
        prompts = [picture.judging.encode_prompt(each) for each in state.prompts()]
        judged = [picture.judging.judge_together([picture.source], each)[0] for each in prompts]
        value = judgement_value(picture, state, judged)
        return {"prompt": text, "judgement": value, "distortion": pending_distortion(picture, state)}

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
        registry = self._registry
        _, indexed = registry.find(gallery, session)
        selected = SelectedImage(gallery, at(index, len(indexed)), session)
        text = read_prompt(registry.photos.model, prompt).text
        state = JudgeState(gallery, selected.index, text, distortion=kind, strength=strength_of(strength))
        return distortion_value(judged_picture(registry, selected), state, progress.tqdm)

    def generate(
        self, caption: str = "", steps: float = DRAWING_STEPS, guidance: float = GUIDANCE, seed: float = SEED
    ) -> Iterator[dict[str, Any]]:
        """Draw a scene for a caption, a value for each step; without a caption, the drawing that ships."""
        registry = self._registry
        generating, (service, scenes) = opened_generator(registry), registry.open(SCENES)
        precomputed = None if caption else generating.precomputed()
        if precomputed is not None:
            asked = precomputed.asked
            state = GenerateState(caption=asked.text, steps=asked.steps, guidance=asked.guidance, seed=asked.seeds[0])
            state = finish(registry, state, precomputed.steps)
            drawing = precomputed_value(state, service)
        else:
            text = read_drawn_caption(service.model, caption).text
            state = GenerateState(caption=text, **read_numbers(steps, guidance, seed))
            drawn = []
            yield {"drawing": blank_value(state, say("generate.starting")), "caption": text}
            for step in generating.draw(state.asked):
                drawn.append(step)
                yield {"drawing": drawing_value(state, step), "caption": text}
            state = finish(registry, state, drawn)
            drawing = drawn_value(state, service)
        assert state.drawn is not None
        read = generating.recaption(state.drawn.pictures[0], state.caption)
        standing = rank_drawing(service, scenes, state.drawn.indexed, 0, state.caption)
        yield {
            "drawing": drawing,
            "reads": recaption_value(read, standing),
            "caption": state.caption,
            "numbers": {"steps": state.steps, "guidance": state.guidance, "seed": state.seed},
            "photo": photo_value(state.drawn.indexed, 0),
        }


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

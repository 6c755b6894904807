"""The actions of Lab: edit a scene, judge pictures, draw a caption and write captions."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gradio as gr

from demo.galleries.gallery import get_opening
from demo.galleries.sources.scenes import SCENES
from demo.page.pictures import addressed_photo, thumbnail_source
from demo.page.questions import Photo, at
from demo.page.table import PROGRESS
from demo.page.values import gallery_value
from demo.record.texts.table import say
from demo.service.captions import read_caption, read_prompt
from demo.service.experiments.experiment import edited_gallery, experiment, read_changes
from demo.service.generating.rank import rank_drawing, read_drawn_caption
from demo.service.generating.request import GUIDANCE, SEED, STEPS, read_numbers
from demo.service.models.personal import SessionData
from demo.service.models.registry import ModelRegistry
from demo.views.edit import own_caption, scene_value
from demo.views.generate import values as drawings
from demo.views.judge import values as judgements
from demo.views.photos import ranking_value


class LabActions:
    """Actions of Lab; `registry` as for `PageActions`."""

    _registry: ModelRegistry

    def edit(self, index: float = -1, caption: str = "", changes: str = "") -> dict[str, Any]:
        """Change a drawn scene (-1: the initial one) as `read_changes` describes; nothing is kept."""
        registry = self._registry
        service, scenes = registry.open(SCENES)
        opening = get_opening(scenes.gallery, "edit")
        place = (opening.index if opening else 0) if index == -1 else at(index, len(scenes))
        asked = read_changes(changes or "[]")
        edited = edited_gallery(registry, place, asked)
        first = opening.captions[0] if opening and index == -1 else own_caption(edited or scenes, place)
        text = read_caption(service.model, caption or first).text
        tried = experiment(registry, place, text, edited)
        last = len(tried.after.scene.objects) - 1
        chosen = next((change["object"] for change in reversed(asked) if isinstance(change.get("object"), int)), 0)
        value = scene_value(registry, tried, place, text, max(0, min(chosen, last)))
        ranking = ranking_value(tried.after.indexed, tried.after.ranking, None)
        return {"index": place, "caption": text, "scene": value, "items": ranking["lists"][0]["items"]}

    def judge(self, photo: Photo, prompt: str = "", other: str = "") -> dict[str, Any]:
        """Judge how good a picture looks and how well it fits a prompt, and a second one where there is one."""
        picture = self._judged_picture(photo)
        model = self._registry.photos.model
        text = read_prompt(model, prompt or judgements.own_prompt(picture)).text
        prompts = [text, *([read_prompt(model, other).text] if other.strip() else [])]
        encoded = [picture.judging.encode_prompt(each) for each in prompts]
        judged = [picture.judging.judge_together([picture.source], each)[0] for each in encoded]
        value = judgements.judgement_value(prompts, judged)
        value["photo"] = addressed_photo(picture.service, picture.indexed, picture.index)
        several = judgements.several_value(picture, text, encoded=encoded[0], judged=judged[0])
        return {
            "prompt": text,
            "judgement": value,
            "distortion": judgements.pending_distortion(),
            "several": with_addresses(picture, several),
        }

    def _judged_picture(self, photo: Photo) -> judgements.JudgedPicture:
        place = photo.find(self._registry)
        return judgements.JudgedPicture(judgements.opened_judge(self._registry), *place)

    def several(self, photo: Photo, prompt: str, progress: gr.Progress = PROGRESS) -> dict[str, Any]:
        """Judge the pictures of a gallery, the first ones of a large gallery, with one prompt."""
        picture = self._judged_picture(photo)
        text = read_prompt(self._registry.photos.model, prompt).text
        return with_addresses(picture, judgements.several_value(picture, text, ask=True, progress=progress.tqdm))

    def degrade(
        self, photo: Photo, prompt: str, kind: str = "blur", strength: float = 0, progress: gr.Progress = PROGRESS
    ) -> dict[str, Any]:
        """Judge degraded copies of a picture."""
        picture = self._judged_picture(photo)
        text = read_prompt(self._registry.photos.model, prompt).text
        return judgements.distortion_value(picture, text, kind, judgements.strength_of(strength), progress.tqdm)

    def generate(
        self,
        session: SessionData,
        caption: str = "",
        steps: float = STEPS,
        guidance: float = GUIDANCE,
        seed: float = SEED,
        count: float = 1,
    ) -> Iterator[dict[str, Any]]:
        """Draw `count` scenes for a caption with seed, seed + 1, ...; without a caption, the precomputed one. Yields
        "drawing", "caption" and "numbers" for each step; at last also "explained" (per picture: its captions'
        statements, where two models looked for each word, a sentence) and "gallery", the pictures as a gallery of the
        session."""
        registry = self._registry
        generating, (service, _) = drawings.opened_generator(registry), registry.open(SCENES)
        precomputed = None if caption else generating.precomputed()
        if precomputed is not None:
            asked = precomputed.asked
            numbers = read_numbers(asked.steps, asked.guidance, asked.seeds[0])
            state = drawings.GenerateState(caption=asked.text, **numbers)
            state = drawings.finish(registry, state, precomputed.steps)
            drawing = drawings.precomputed_value(state, service)
        else:
            text = read_drawn_caption(service.model, caption or drawings.EXAMPLES[0]).text
            state = drawings.GenerateState(caption=text, **read_numbers(steps, guidance, seed, count))
            drawn = []
            yield told(state, drawings.blank_value(state, say("generate.starting")))
            for step in generating.draw(state.asked):
                drawn.append(step)
                yield told(state, drawings.drawing_value(state, step))
            state = drawings.finish(registry, state, drawn)
            drawing = drawings.drawn_value(state, service)
        indexed = drawings.finished(state).indexed
        session.add(indexed)
        explained = [self._explained(state, index) for index in range(state.count)]
        facts = gallery_value(service, indexed) | {"chips": [state.caption]}
        yield told(state, drawing) | {"explained": explained, "gallery": facts}

    def _explained(self, state: drawings.GenerateState, index: int) -> dict[str, Any]:
        """Return the explanation of one picture of a finished drawing."""
        registry = self._registry
        service, scenes = registry.find(SCENES)
        drawn, state = drawings.finished(state), replace(state, index=index)
        read = drawings.opened_generator(registry).recaption(drawn.pictures[index], state.caption)
        standing = rank_drawing(service, scenes, drawn.indexed, index, state.caption)
        return {
            "says": say("generate.done", seed=state.seeds[index], steps=state.steps),
            "reads": drawings.recaption_value(read, standing),
            "looks": drawings.words_value(registry, state),
        }

    def recaption(self, photo: Photo, is_drawn: bool = False) -> dict[str, Any]:
        """Write captions of a picture: of a photograph the best by likelihood, S(I, T) and agreement; a drawn scene,
        also a person's own (`is_drawn`), is read by another captioner."""
        registry = self._registry
        service, indexed, index = photo.find(registry)
        item = indexed.gallery.items[index]
        picture = item.photo()
        source = {"photo": addressed_photo(service, indexed, index)}
        if is_drawn or service is not registry.photos or registry.captioning is None:
            known = None if item.known is None else item.known.scene
            beams = drawings.opened_generator(registry).recaption(picture).best
            return drawings.captioned_value(beams, known) | source
        return drawings.photo_captions_value(drawings.explained_captions(registry, picture)) | source


def told(state: drawings.GenerateState, drawing: dict[str, Any]) -> dict[str, Any]:
    """Return a drawing with what was asked for, as it was read."""
    numbers = {"steps": state.steps, "guidance": state.guidance, "seed": state.seed}
    return {"drawing": drawing, "caption": state.caption, "numbers": numbers}


def with_addresses(picture: judgements.JudgedPicture, value: dict[str, Any]) -> dict[str, Any]:
    """Return the value of several pictures, thumbnails by their addresses."""
    for row in value["rows"] or ():
        row["thumb"] = thumbnail_source(picture.service, picture.indexed, row["index"])
    return value

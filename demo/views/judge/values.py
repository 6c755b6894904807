"""What the view "Judge" draws: the judgement, the spoilt copies, the words, and several pictures of one prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from torch import Tensor

from demo.drawing.formats import Download
from demo.galleries.index import IndexedGallery
from demo.galleries.photos import data_url
from demo.record.packing import pack_array
from demo.record.photo import photo_value, with_new_key
from demo.record.table import say
from demo.service.judging import STRENGTHS, JudgeResult, JudgingService, Source, list_spoiling_kinds
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.judge.export import judged_csv
from demo.views.judge.judgement import SCORES, curve_sentence, many, other_sentence, score_value, shares_value
from demo.views.state import SelectedImage, ViewState, link_to
from seps.progress import Progress

SPOILT_SIDE = 480  # pixels of the long side of a spoilt copy, as it is shown
TOGETHER = 24  # pictures of one prompt


@dataclass(frozen=True)
class JudgeState(ViewState):
    """What a person judges; lives in the session. The caption is the first prompt, as read.

    Attributes:
        other: a second prompt, as read, or "".
        distortion: how the picture is spoilt; strength: of STRENGTHS, where the slider stands.
    """

    other: str = ""
    distortion: str = "blur"
    strength: float = 0.0

    def prompts(self) -> list[str]:
        """Return the first prompt, and the second one where there is one."""
        return [self.caption, self.other] if self.other else [self.caption]


@dataclass(frozen=True)
class JudgedPicture:
    """A gallery's picture with what judges it: looked up once for all that is drawn of it.

    Attributes:
        judging: the judge, loaded; service: whose gallery it is; indexed, index: where it is.
    """

    judging: JudgingService
    service: RetrievalService
    indexed: IndexedGallery
    index: int

    @property
    def source(self) -> Source:
        """The picture as the judge takes it."""
        return source_of(self.indexed, self.index)


def judged_picture(registry: ModelRegistry, selected: SelectedImage) -> JudgedPicture:
    """Look a picture up and load the judge where it is not yet; ValueError where either cannot be had."""
    judging = opened_judge(registry)
    return JudgedPicture(judging, *registry.find(selected.gallery, selected.session), selected.index)


def opened_judge(registry: ModelRegistry) -> JudgingService:
    """Return the judge, loaded where it is not yet; ValueError where none ships."""
    if registry.judging is None:
        raise ValueError("No judge ships with this copy of the app: put one into assets/models/judge.")
    registry.judging.open()
    return registry.judging


def source_of(indexed: IndexedGallery, index: int) -> Source:
    """Return a gallery's picture as the judge takes it."""
    return indexed.digest(index), indexed.gallery.items[index].photo


def links(picture: JudgedPicture, state: JudgeState) -> tuple[str | None, str | None]:
    """Return the queries that lead back without and with how the picture is spoilt; None for what is a person's own."""
    link = link_to(picture.service, "judge", picture.indexed, state)
    if link is None:
        return None, None
    link += f"&{urlencode({'other': state.other})}" if state.other else ""
    drawn = {"spoil": state.distortion, "strength": f"{state.strength:g}"}
    return link, f"{link}&{urlencode(drawn)}" if state.strength else link


def judgement_value(picture: JudgedPicture, state: JudgeState, judged: Sequence[JudgeResult]) -> dict[str, Any]:
    """Return the picture, judged with each prompt: its patches' shares, and a scale for each score and prompt."""
    scales = [score_value("quality", judged[0].quality), score_value("consistency", judged[0].consistency)]
    if state.other:
        scales[1]["prompt"] = state.caption
        scales.append(score_value("consistency", judged[1].consistency) | {"name": "other", "prompt": state.other})
    return with_new_key(
        {
            "photo": photo_value(picture.indexed, picture.index),
            "scales": scales,
            "moved": other_sentence(*judged) if state.other else "",
            "shares": shares_value(judged[0].seen),
            "link": links(picture, state)[1],
        }
    )


def pending_distortion(picture: JudgedPicture, state: JudgeState) -> dict[str, Any]:
    """Return the spoilt copies before they are asked for."""
    return with_new_key(
        {
            "kinds": list(list_spoiling_kinds()),
            "spoil": state.distortion,
            "strength": state.strength,
            "strengths": list(STRENGTHS),
            "curves": None,
            "link": links(picture, state)[0],
        }
    )


def distortion_value(picture: JudgedPicture, state: JudgeState, progress: Progress = False) -> dict[str, Any]:
    """Return the picture spoilt in one way at each strength: its copies, both scores' curves and the patches'
    shares."""
    judging = picture.judging
    copies = judging.spoilt(picture.source, state.distortion)
    prompts = map(judging.encode_prompt, state.prompts())
    judged = [judging.judge_together(copies, prompt, progress) for prompt in prompts]
    seen = [result.seen for result in judged[0]]
    curves = {name: curve(judged[0], name) for name in SCORES}
    if state.other:
        curves["other"] = curve(judged[1], "consistency")
    attributions = [features.attributions for features in seen if features.attributions is not None]
    value = {
        "curves": curves,
        "pictures": [data_url(read(), SPOILT_SIDE) for _, read in copies],
        "says": [strength_sentence(i, judged[0][i]) for i in range(len(copies))],
        "numbers": [strength_sentence(i, judged[0][i], "base") for i in range(len(copies))],
        "falls": [curve_sentence(name, curves[name]["final"]) for name in SCORES],
        "grid": None if seen[0].grid is None else list(seen[0].grid),
        "shares": pack_array(np.stack(attributions)) if attributions else None,  # (K, N)
    }
    return pending_distortion(picture, state) | value


def curve(judged: Sequence[JudgeResult], name: str) -> dict[str, list[float]]:
    """Return a score's base and final at each strength."""
    scores = [getattr(pair, name) for pair in judged]
    return {"base": [score.base for score in scores], "final": [score.final for score in scores]}


def strength_sentence(number: int, judged: JudgeResult, part: str = "final") -> str:
    """Return the scores of one spoilt copy; with "base", what the encoders alone say."""
    scores = {name: getattr(getattr(judged, name), part) for name in SCORES}
    return say("judge.at_base" if part == "base" else "judge.at", strength=STRENGTHS[number], **scores)


def together(indexed: IndexedGallery) -> list[Source]:
    """Return the pictures of a gallery that are judged together: the first TOGETHER."""
    return [source_of(indexed, index) for index in range(min(TOGETHER, len(indexed)))]


def several_value(
    picture: JudgedPicture,
    state: JudgeState,
    ask: bool = False,
    progress: Progress = False,
    prompt: Tensor | None = None,
    judged: JudgeResult | None = None,
) -> dict[str, Any]:
    """Return the gallery's pictures with both scores for the first prompt; without scores, and with what a button says,
    where judging them would take seconds and is not asked for.

    Args:
        prompt: the first one, (d,), where it is encoded; judged: the picture with it, where it is judged.
    """
    judging, indexed = picture.judging, picture.indexed
    sources, noun = together(indexed), indexed.gallery.noun
    pictures = many(len(sources), noun)
    value: dict[str, Any] = {
        "says": say("judge.several_of", pictures=pictures, gallery=indexed.gallery.name, prompt=state.caption),
        "ask": say("judge.judge_all" if len(sources) == len(indexed) else "judge.judge_first", pictures=pictures),
        "selected": picture.index,
        "rows": None,
    }
    if ask or judging.has_cached([digest for digest, _ in sources]):
        prompt = judging.encode_prompt(state.caption) if prompt is None else prompt
        known = {} if judged is None else {picture.index: judged}
        rest = [index for index in range(len(sources)) if index not in known]
        others = judging.judge_together([sources[index] for index in rest], prompt, progress) if rest else []
        results = known | dict(zip(rest, others, strict=True))
        value["rows"] = [
            {
                "index": index,
                "title": indexed.gallery.items[index].title,
                "thumb": indexed.thumbnail(index),
                "quality": score_value("quality", results[index].quality),
                "consistency": score_value("consistency", results[index].consistency),
                "says": say(
                    "judge.place",
                    title=indexed.gallery.items[index].title,
                    quality=results[index].quality.final,
                    consistency=results[index].consistency.final,
                ),
            }
            for index in range(len(sources))
        ]
    return with_new_key(value)


def several_csv(picture: JudgedPicture, prompt: str, by: str) -> Download:
    """Return both scores of the gallery's pictures as CSV, the best by `by` first."""
    judging, indexed = picture.judging, picture.indexed
    sources = together(indexed)
    judged = judging.judge_together(sources, judging.encode_prompt(prompt))
    named = [(item.key, item.title) for item in indexed.gallery.items]
    rows = [(*named[index], result.quality, result.consistency) for index, result in enumerate(judged)]
    return judged_csv(rows, prompt, by, indexed.gallery.name)


def own_prompt(registry: ModelRegistry, selected: SelectedImage) -> str:
    """Return the first caption of a gallery's picture, or "" where it has none."""
    captions = registry.find(selected.gallery, selected.session)[1].gallery.items[selected.index].captions
    return captions[0] if captions else ""


def strength_of(value: Any) -> float:
    """Return the strength that a slider tells; ValueError where it is none."""
    strength = next((step for step in STRENGTHS if value == step), None)
    if strength is None:
        raise ValueError("The strength of this slider is none that there is: reload the page.")
    return strength

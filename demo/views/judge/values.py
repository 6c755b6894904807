"""What the view "Judge" draws: the judgement, the spoilt copies, the words, and several pictures of one prompt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from demo.drawing.formats import Download
from demo.drawing.rankings import ranking_file
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.reading.photos import data_url
from demo.record.packing import pack_array
from demo.record.photo import photo_value
from demo.record.texts.table import say
from demo.service.judging import STRENGTHS, JudgeResult, JudgingService, Source, list_spoiling_kinds
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.judge.judgement import (
    SCORES,
    curve_sentence,
    judgement,
    many,
    other_sentence,
    score_value,
    shares_value,
)
from demo.views.state import ViewState
from seps.common.numbers import rounded
from seps.common.progress import Progress

SPOILT_SIDE = 480  # pixels of the long side of a spoilt copy, as it is shown
TOGETHER = 24  # pictures of one prompt


@dataclass(frozen=True)
class JudgeState(ViewState):
    """State of Judge: caption and `other` are the prompts; `strength`, of STRENGTHS, of the `distortion`."""

    other: str = ""
    distortion: str = "blur"
    strength: float = 0.0  # where the slider stands

    def prompts(self) -> list[str]:
        """Return the first prompt, and the second one where there is one."""
        return [self.caption, self.other] if self.other else [self.caption]


@dataclass(frozen=True)
class JudgedPicture:
    """A gallery's picture with the loaded judge: looked up once for all that is drawn of it."""

    judging: JudgingService
    service: RetrievalService
    indexed: IndexedGallery
    index: int

    @property
    def source(self) -> Source:
        """The picture as the judge takes it."""
        return source_of(self.indexed, self.index)


def judged_picture(
    registry: ModelRegistry, service: RetrievalService, indexed: IndexedGallery, index: int
) -> JudgedPicture:
    """Return a picture with the judge, which is loaded where it is not yet; ValueError where none ships."""
    return JudgedPicture(opened_judge(registry), service, indexed, index)


def opened_judge(registry: ModelRegistry) -> JudgingService:
    """Return the judge, loaded where it is not yet; ValueError where none ships."""
    if registry.judging is None:
        raise ValueError("No judge ships with this copy of the app: put one into assets/models/judge.")
    registry.judging.open()
    return registry.judging


def source_of(indexed: IndexedGallery, index: int) -> Source:
    """Return a gallery's picture as the judge takes it."""
    return indexed.digest(index), indexed.gallery.items[index].photo


def judgement_value(picture: JudgedPicture, state: JudgeState, judged: Sequence[JudgeResult]) -> dict[str, Any]:
    """Return the picture, judged with each prompt: its patches' shares, and a scale for each score and prompt."""
    scales = [score_value("quality", judged[0].quality), score_value("consistency", judged[0].consistency)]
    if state.other:
        scales[1]["prompt"] = state.caption
        scales.append(score_value("consistency", judged[1].consistency) | {"name": "other", "prompt": state.other})
    return {
        "photo": photo_value(picture.indexed, picture.index),
        "scales": scales,
        "moved": other_sentence(*judged) if state.other else "",
        "shares": shares_value(judged[0].seen),
    }


def pending_distortion(picture: JudgedPicture, state: JudgeState) -> dict[str, Any]:
    """Return the spoilt copies before they are asked for."""
    return {
        "kinds": list(list_spoiling_kinds()),
        "spoil": state.distortion,
        "strength": state.strength,
        "strengths": list(STRENGTHS),
        "curves": None,
    }


def distortion_value(picture: JudgedPicture, state: JudgeState, progress: Progress = False) -> dict[str, Any]:
    """Return the picture spoilt at each strength: its copies, both scores' curves and the patches' shares."""
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
        "says": say("judge.several_of", pictures=pictures, prompt=state.caption),
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
    return value


def several_csv(picture: JudgedPicture, prompt: str, by: str) -> Download:
    """Return both scores of the gallery's pictures as CSV, the best by `by` first."""
    judging, indexed = picture.judging, picture.indexed
    sources = together(indexed)
    judged = judging.judge_together(sources, judging.encode_prompt(prompt))
    named = [(item.key, item.title) for item in indexed.gallery.items]
    rows = [(*named[index], result.quality, result.consistency) for index, result in enumerate(judged)]
    return judged_csv(rows, prompt, by, indexed.gallery.name)


def own_prompt(picture: JudgedPicture) -> str:
    """Return the first caption of a gallery's picture, or "" where it has none."""
    captions = picture.indexed.gallery.items[picture.index].captions
    return captions[0] if captions else ""


def strength_of(value: Any) -> float:
    """Return the strength that a slider tells; ValueError where it is none."""
    strength = next((step for step in STRENGTHS if value == step), None)
    if strength is None:
        raise ValueError("The strength of this slider is none that there is: reload the page.")
    return strength


if TYPE_CHECKING:  # the judge is imported with its first use
    from seps.judge import Score

Row = tuple[str, str, "Score", "Score"]  # key and title of a picture, its quality and its consistency
PARTS = ("base", "correction", "final")
COLUMNS = ("rank", "picture", "title", *(f"{name}_{part}" for name in SCORES for part in PARTS))


def judged_csv(rows: Sequence[Row], prompt: str, by: str, title: str) -> Download:
    """Write pictures of one prompt with both scores in parts, the best `by` one of SCORES first, else ValueError."""
    if by not in SCORES:
        raise ValueError(f"by is {by!r}, but it must be one of {', '.join(SCORES)}.")
    place = 2 + SCORES.index(by)
    ordered = sorted(rows, key=lambda row: -row[place].final)  # type: ignore[union-attr]
    lines = [
        [rank, key, name] + [rounded(getattr(score, part), 6) for score in scores for part in PARTS] + [prompt]
        for rank, (key, name, *scores) in enumerate(ordered, start=1)
    ]
    return ranking_file((*COLUMNS, "prompt"), lines, "judge", title)


def judged_file(rows: Sequence[tuple[str, JudgeResult]], prompt: str, by: str, kind: str) -> bytes:
    """Write judged pictures with their names as a "csv", the best `by` first, or as "json" with each patch's share."""
    if kind == "csv":
        return judged_csv(
            [(name, name, scores.quality, scores.consistency) for name, scores in rows], prompt, by, by
        ).content
    values = [{"picture": name, "prompt": prompt} | judgement(judged) for name, judged in rows]
    return (json.dumps(values, indent=1) + "\n").encode()

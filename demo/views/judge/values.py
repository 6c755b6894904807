"""What the view "Judge" draws and saves: scores and sentences, shares of patches, spoilt copies, several pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from demo.drawing.formats import Download
from demo.drawing.rankings import ranking_file
from demo.galleries.indexes.index import IndexedGallery
from demo.galleries.reading.photos import data_url
from demo.record.packing import pack_array
from demo.record.texts.language import phrase
from demo.record.texts.table import say
from demo.service.judging import STRENGTHS, JudgeResult, JudgingService, Source, list_spoiling_kinds
from demo.service.measuring.measured import whereabouts
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from seps.common.numbers import rounded
from seps.common.progress import Progress

if TYPE_CHECKING:  # the judge is imported with its first use
    from seps.judge import JudgeFeatures, Score

SCORES = ("quality", "consistency")
PARTS = ("base", "correction", "final")
COLUMNS = ("rank", "picture", "title", *(f"{name}_{part}" for name in SCORES for part in PARTS), "prompt")
SPOILT_SIDE = 480  # pixels of the long side of a spoilt copy, as it is shown
TOGETHER = 24  # pictures of one prompt


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


def opened_judge(registry: ModelRegistry) -> JudgingService:
    """Return the judge, loaded where it is not yet; ValueError where none ships."""
    if registry.judging is None:
        raise ValueError("No judge ships with this copy of the app: put one into assets/models/judge.")
    registry.judging.open()
    return registry.judging


def source_of(indexed: IndexedGallery, index: int) -> Source:
    """Return a gallery's picture as the judge takes it."""
    return indexed.digest(index), indexed.gallery.items[index].photo


def score_value(name: str, score: Score) -> dict[str, Any]:
    """Return a score as its scale is drawn; "low" and "high" end the band that the correction may reach."""
    return {
        "name": name,
        "title": say(f"judge.{name}"),
        "base": score.base,
        "final": score.final,
        "low": max(0.0, score.base - score.scale),
        "high": min(1.0, score.base + score.scale),
        # In plain words, by the fifth of the scale in which the score lies.
        "says": say("judge.plain", grade=say(f"grade.{name}_{min(4, int(5 * score.final))}"), final=score.final),
        "numbers": score_sentence(score),
    }


def score_sentence(score: Score) -> str:
    """Return a score in words: what the encoders say alone, and how much the correction moves that of what it may."""
    if not score.scale:
        return say("judge.uncorrected", final=score.final)
    key = "judge.adds" if score.correction >= 0 else "judge.takes"
    sentence = say(key, final=score.final, base=score.base, amount=abs(score.correction), scale=score.scale)
    uncut = score.base + score.correction
    return sentence if 0 <= uncut <= 1 else f"{sentence} {say('judge.cut', uncut=uncut, end=round(score.final))}"


def shares_value(seen: JudgeFeatures) -> dict[str, Any] | None:
    """Return the patches' shares of the quality base's logit; None where the encoder does not pool by mean."""
    if seen.attributions is None or seen.grid is None:
        return None
    shares = seen.attributions
    places = {
        f"{side}_place": phrase(whereabouts(values.reshape(seen.grid).clip(min=0)) or say("judge.evenly"))
        for side, values in (("for", shares), ("against", -shares))
    }
    base, each = float(1 / (1 + np.exp(-seen.logit))), seen.bias / max(1, len(shares))
    return {
        "grid": list(seen.grid),
        "values": pack_array(shares),
        "most": float(np.abs(shares).max()),
        "says": say("judge.speaking", speaking=int((shares > 0).sum()), total=len(shares)),
        "numbers": say("judge.shares", logit=seen.logit, base=base, bias=seen.bias, each=each),
        "alternative": say("judge.where", **places),
    }


def curve_sentence(name: str, finals: Sequence[float]) -> str:
    """Return how a score goes over the whole range of strengths: down all the way, or not."""
    key = "judge.falls" if falls(finals) else "judge.wavers"
    return say(key, score=say(f"judge.{name}"), first=finals[0], last=finals[-1], low=min(finals), high=max(finals))


def falls(finals: Sequence[float]) -> bool:
    """Return whether each value lies below the one before it; once a score is 0 it stays there."""
    return all(after < before or after == before == 0.0 for before, after in pairwise(finals))


def _scores(judged: JudgeResult) -> dict[str, Score]:
    return {name: getattr(judged, name) for name in SCORES}


def judgement(judged: JudgeResult, note: str = "") -> dict[str, Any]:
    """Return a judgement as programs take it: "shares" of the "logit", row by row, or null; JSON ready."""
    seen = judged.seen
    return {
        **{name: asdict(score) | {"says": score_sentence(score)} for name, score in _scores(judged).items()},
        "logit": seen.logit,
        "bias": seen.bias,
        "grid": None if seen.grid is None else list(seen.grid),
        "shares": None if seen.attributions is None else seen.attributions.tolist(),
        "note": note,
    }


def judgement_value(prompts: Sequence[str], judged: Sequence[JudgeResult]) -> dict[str, Any]:
    """Return a picture judged with one or two prompts: its patches' shares, and a scale for each score and prompt."""
    scales = [score_value(name, score) for name, score in _scores(judged[0]).items()]
    moved = ""  # what a second prompt moves: consistency alone
    if len(prompts) > 1:
        before, after = (result.consistency.final for result in judged)
        numbers = {"quality": judged[0].quality.final, "before": before, "after": after}
        moved = say("judge.moved", change=after - before, **numbers)
        scales[1]["prompt"] = prompts[0]
        scales.append(score_value("consistency", judged[1].consistency) | {"name": "other", "prompt": prompts[1]})
    return {"scales": scales, "moved": moved, "shares": shares_value(judged[0].seen)}


def pending_distortion(kind: str = "blur", strength: float = 0.0) -> dict[str, Any]:
    """Return the spoilt copies before they are asked for; `strength`, of STRENGTHS, is where the slider stands."""
    value = {"kinds": list(list_spoiling_kinds()), "strengths": list(STRENGTHS)}
    return value | {"spoil": kind, "strength": strength, "curves": None}


def distortion_value(
    picture: JudgedPicture, prompt: str, kind: str, strength: float, progress: Progress = False
) -> dict[str, Any]:
    """Return the picture spoilt at each strength: its copies, both scores' curves and the patches' shares."""
    copies = picture.judging.spoilt(picture.source, kind)
    judged = picture.judging.judge_together(copies, picture.judging.encode_prompt(prompt), progress)
    seen = [result.seen for result in judged]
    curves = {
        name: {part: [getattr(getattr(each, name), part) for each in judged] for part in ("base", "final")}
        for name in SCORES
    }
    attributions = [features.attributions for features in seen if features.attributions is not None]
    value = {
        "curves": curves,
        "pictures": [data_url(read(), SPOILT_SIDE) for _, read in copies],
        "says": _strength_sentences("judge.at", curves, "final"),
        "numbers": _strength_sentences("judge.at_base", curves, "base"),
        "falls": [curve_sentence(name, curves[name]["final"]) for name in SCORES],
        "grid": None if seen[0].grid is None else list(seen[0].grid),
        "shares": pack_array(np.stack(attributions)) if attributions else None,  # (K, N)
    }
    return pending_distortion(kind, strength) | value


def _strength_sentences(key: str, curves: dict[str, dict[str, list[float]]], part: str) -> list[str]:
    """Return a sentence on each spoilt copy: its scores, or what the encoders alone say."""
    parts = zip(STRENGTHS, *(curves[name][part] for name in SCORES), strict=True)
    return [say(key, strength=strength, **dict(zip(SCORES, scores, strict=True))) for strength, *scores in parts]


def _together(indexed: IndexedGallery) -> list[Source]:
    return [source_of(indexed, index) for index in range(min(TOGETHER, len(indexed)))]


def several_value(
    picture: JudgedPicture,
    prompt: str,
    ask: bool = False,
    progress: Progress = False,
    encoded: Tensor | None = None,
    judged: JudgeResult | None = None,
) -> dict[str, Any]:
    """Return the gallery's pictures with both scores for a prompt; without scores, and with what a button says, where
    judging them would take seconds and is not asked for. `encoded`: the prompt, (d,), and `judged`: the picture with
    it, if they are there already."""
    judging, indexed = picture.judging, picture.indexed
    sources, items, noun = _together(indexed), indexed.gallery.items, indexed.gallery.noun
    noun = noun if len(sources) != 1 else noun.removesuffix("s")
    pictures = f"{len(sources)} {say(f'noun.{noun}')}"
    value: dict[str, Any] = {
        "says": say("judge.several_of", pictures=pictures, prompt=prompt),
        "ask": say("judge.judge_all" if len(sources) == len(indexed) else "judge.judge_first", pictures=pictures),
        "selected": picture.index,
        "rows": None,
    }
    if ask or judging.has_cached([digest for digest, _ in sources]):
        encoded = judging.encode_prompt(prompt) if encoded is None else encoded
        known = {} if judged is None else {picture.index: judged}
        rest = [index for index in range(len(sources)) if index not in known]
        others = judging.judge_together([sources[index] for index in rest], encoded, progress) if rest else []
        results = known | dict(zip(rest, others, strict=True))
        value["rows"] = []
        for index in range(len(sources)):
            scores, title = _scores(results[index]), items[index].title
            says = say("judge.place", title=title, **{name: score.final for name, score in scores.items()})
            row = {name: score_value(name, score) for name, score in scores.items()}
            value["rows"].append({"index": index, "title": title, "says": says} | row)
    return value


def several_csv(picture: JudgedPicture, prompt: str, by: str) -> Download:
    """Return both scores of the gallery's pictures as CSV, the best by `by` first."""
    judging, indexed = picture.judging, picture.indexed
    sources = _together(indexed)
    judged = judging.judge_together(sources, judging.encode_prompt(prompt))
    rows = [(item.key, item.title, result) for item, result in zip(indexed.gallery.items, judged, strict=False)]
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


def judged_csv(rows: Sequence[tuple[str, str, JudgeResult]], prompt: str, by: str, title: str) -> Download:
    """Write pictures of one prompt, by key and title, with both scores in parts, the best `by` one of SCORES first."""
    ordered = sorted(rows, key=lambda row: -_scores(row[2])[by].final)
    lines = []
    for rank, (key, name, judged) in enumerate(ordered, start=1):
        numbers = [rounded(getattr(score, part), 6) for score in _scores(judged).values() for part in PARTS]
        lines.append([rank, key, name, *numbers, prompt])
    return ranking_file(COLUMNS, lines, "judge", title)


def judged_file(rows: Sequence[tuple[str, JudgeResult]], prompt: str, by: str, kind: str) -> bytes:
    """Write judged pictures with their names as a "csv", the best `by` first, or as "json" with each patch's share."""
    if kind == "csv":
        return judged_csv([(name, name, judged) for name, judged in rows], prompt, by, by).content
    values = [{"picture": name, "prompt": prompt} | judgement(judged) for name, judged in rows]
    return (json.dumps(values, indent=1) + "\n").encode()

"""A judgement on its way out: both scores with what is said of them, the patches' shares, curves and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from demo.record.packing import pack_array
from demo.record.texts.language import phrase
from demo.record.texts.table import say
from demo.service.judging import JudgeResult
from demo.service.measuring.measured import whereabouts

if TYPE_CHECKING:  # the judge is imported with its first use
    from seps.judge import JudgeFeatures, Score

SCORES = ("quality", "consistency")


def score_value(name: str, score: Score) -> dict[str, Any]:
    """Return a score as its scale is drawn; "low" and "high" end the band that the correction may reach."""
    return {
        "name": name,
        "title": say(f"judge.{name}"),
        "base": score.base,
        "correction": score.correction,
        "final": score.final,
        "low": max(0.0, score.base - score.scale),
        "high": min(1.0, score.base + score.scale),
        "says": score_plain(name, score),
        "numbers": score_sentence(score),
    }


def score_plain(name: str, score: Score) -> str:
    """Return a score in plain words, by the fifth of the scale in which it lies."""
    return say("judge.plain", grade=say(f"grade.{name}_{min(4, int(5 * score.final))}"), final=score.final)


def score_sentence(score: Score) -> str:
    """Return a score in words: what the encoders say alone, and how much the correction moves that of what it may."""
    if not score.scale:
        return say("judge.uncorrected", final=score.final)
    key = "judge.adds" if score.correction >= 0 else "judge.takes"
    sentence = say(key, final=score.final, base=score.base, amount=abs(score.correction), scale=score.scale)
    uncut = score.base + score.correction
    return sentence if 0 <= uncut <= 1 else f"{sentence} {say('judge.cut', uncut=uncut, end=round(score.final))}"


def other_sentence(first: JudgeResult, other: JudgeResult) -> str:
    """Return what a second prompt moves: consistency alone."""
    return say(
        "judge.moved",
        quality=first.quality.final,
        before=first.consistency.final,
        after=other.consistency.final,
        change=other.consistency.final - first.consistency.final,
    )


def shares_value(seen: JudgeFeatures) -> dict[str, Any] | None:
    """Return the patches' shares of the quality base's logit; None where the encoder does not pool by mean."""
    if seen.attributions is None or seen.grid is None:
        return None
    return {
        "grid": list(seen.grid),
        "values": pack_array(seen.attributions),
        "most": float(np.abs(seen.attributions).max()),
        "says": say("judge.speaking", speaking=int((seen.attributions > 0).sum()), total=len(seen.attributions)),
        "numbers": shares_sentence(seen),
        "alternative": shares_alternative(seen),
    }


def shares_sentence(seen: JudgeFeatures) -> str:
    """Return what all shares add up to, and how the bias is shared."""
    count = 0 if seen.attributions is None else len(seen.attributions)
    base = float(1 / (1 + np.exp(-seen.logit)))
    return say("judge.shares", logit=seen.logit, base=base, bias=seen.bias, each=seen.bias / max(1, count))


def shares_alternative(seen: JudgeFeatures) -> str:
    """Return where most speaks for and against quality, as the picture's alternative text."""
    if seen.attributions is None or seen.grid is None:
        return ""
    attributions = seen.attributions.reshape(seen.grid)
    places = {
        "for_place": phrase(whereabouts(attributions.clip(min=0)) or say("judge.evenly")),
        "against_place": phrase(whereabouts((-attributions).clip(min=0)) or say("judge.evenly")),
    }
    return say("judge.where", **places)


def curve_sentence(name: str, finals: Sequence[float]) -> str:
    """Return how a score goes over the whole range of strengths: down all the way, or not."""
    key = "judge.falls" if falls(finals) else "judge.wavers"
    return say(key, score=say(f"judge.{name}"), first=finals[0], last=finals[-1], low=min(finals), high=max(finals))


def falls(finals: Sequence[float]) -> bool:
    """Return whether each value lies below the one before it; once a score is 0 it stays there."""
    return all(after < before or after == before == 0.0 for before, after in pairwise(finals))


def judgement(judged: JudgeResult, note: str = "") -> dict[str, Any]:
    """Return a judgement as programs take it: "shares" of the "logit", row by row, or null; JSON ready."""
    seen = judged.seen
    scores = dict(zip(SCORES, (judged.quality, judged.consistency), strict=True))
    return {
        **{name: asdict(score) | {"says": score_sentence(score)} for name, score in scores.items()},
        "logit": seen.logit,
        "bias": seen.bias,
        "grid": None if seen.grid is None else list(seen.grid),
        "shares": None if seen.attributions is None else seen.attributions.tolist(),
        "note": note,
    }


def many(count: int, noun: str) -> str:
    """Pictures counted: "14 photographs"."""
    name = noun if count != 1 else noun.removesuffix("s")
    return f"{count} {say(f'noun.{name}')}"

"""A judgement on its way out: both scores with what is said of them, the patches' shares, curves and words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from demo.record.language import phrase
from demo.record.packing import pack_array
from demo.record.sentences import SPECIAL
from demo.record.table import listed, say
from demo.record.unmatched import kind_of, unmatched
from demo.service.judging import JudgeResult
from demo.service.whereabouts import whereabouts
from seps import Explanation
from seps.models.unmatched_words import UnmatchedRule
from seps.numbers import written

if TYPE_CHECKING:  # the judge is imported with its first use
    from seps.judge import JudgeFeatures, Score

SCORES = ("quality", "consistency")


def score_value(name: str, score: Score, title: str = "") -> dict[str, Any]:
    """Return one score as its scale is drawn: base, correction, final, the ends of the band that the correction may
    reach, its title and a sentence."""
    return {
        "name": name,
        "title": title or say(f"judge.{name}"),
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
    """Return the patches' shares of the quality base's logit, packed, with the end of their scale and a sentence; None
    where the encoder does not pool by mean."""
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


def word_cosines(record: Explanation) -> list[tuple[str, float]]:
    """Return each word of the caption with its best cosine with any of the image's tokens; pieces of a word count as
    one."""
    alignment = record.sparse_alignment
    best = alignment.cosines.max(axis=0)  # (L,)
    cosines: list[tuple[str, float]] = []
    for word, cosine in zip(alignment.words, best.tolist(), strict=True):
        if word in SPECIAL:
            continue
        if word.startswith("##") and cosines:
            before, highest = cosines[-1]
            cosines[-1] = before + word[2:], max(highest, cosine)
        else:
            cosines.append((word, cosine))
    return cosines


def words_sentence(record: Explanation, rule: UnmatchedRule | None = None) -> str:
    """Return which words met a token of the picture best and worst, and which found nothing."""
    words = word_cosines(record)
    if not words:
        return say("judge.no_words")
    best, worst = (choose(words, key=lambda pair: pair[1])[0] for choose in (max, min))
    sentence = say("judge.best_word", best=best, worst=worst) if len(words) > 1 else say("judge.one_word", word=best)
    nothing = missing_words(record, rule)
    return f"{sentence} {say('judge.nothing', words=quoted(nothing))}" if nothing else sentence


def missing_words(record: Explanation, rule: UnmatchedRule | None) -> list[str]:
    """Return the words that found nothing: by the rule, or without a positive cosine where none was measured."""
    if rule is not None:
        return [word.text for word in unmatched(record, rule)]
    return [word for word, cosine in word_cosines(record) if cosine <= 0]


def words_numbers(record: Explanation, rule: UnmatchedRule | None = None) -> str:
    """Return each word's best cosine, and from which on a word counts as found; empty without words."""
    words = word_cosines(record)
    if not words:
        return ""
    cosines = say("judge.cosines", words=listed(f"“{word}” {written(cosine, '.2f')}" for word, cosine in words))
    nothing = missing_words(record, rule)
    if rule is None:
        return f"{cosines} {say('judge.unfound' if nothing else 'judge.all_found')}"
    key = "judge.below" if nothing else "judge.none_below"
    return f"{cosines} {say(key, threshold=rule.threshold, kind=kind_of(rule))}"


def quoted(words: Sequence[str]) -> str:
    """Words in quotation marks, with commas and an "and"."""
    marked = [f"“{word}”" for word in words]
    return marked[0] if len(marked) == 1 else f"{listed(marked[:-1])}{say('reading.and')}{marked[-1]}"


def best_word(record: Explanation) -> int:
    """Return the position of the word that met a token best, [CLS] and [SEP] left out; 0 where there is none."""
    alignment = record.sparse_alignment
    best = alignment.cosines.max(axis=0)  # (L,)
    return int(np.argmax(np.where(np.isin(alignment.words, SPECIAL), -np.inf, best)))


def judgement(judged: JudgeResult, note: str = "") -> dict[str, Any]:
    """Return a judgement as programs take it; JSON ready.

    Returns:
        "quality" and "consistency": each base, correction, final in [0, 1], the scale of the correction, and a
        sentence; "logit" of the quality base, "bias" in it, "grid" and "shares": what each patch adds to the logit, row
        by row (null where the encoder does not pool by mean); "note".
    """
    seen = judged.seen
    return {
        **{
            name: {
                "base": score.base,
                "correction": score.correction,
                "final": score.final,
                "scale": score.scale,
                "says": score_sentence(score),
            }
            for name, score in zip(SCORES, (judged.quality, judged.consistency), strict=True)
        },
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

"""What is said of a judgement has its numbers, and follows by hand from them."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from demo.service.judging import JudgeResult
from demo.views.judge.judgement import (
    curve_sentence,
    falls,
    judgement,
    many,
    other_sentence,
    score_plain,
    score_sentence,
    score_value,
    shares_value,
)
from seps.judge.judge import JudgeFeatures, Score

ATTRIBUTIONS = np.array([[0.4, -0.1, 0.0], [0.0, -0.1, -0.1]], np.float32)


def seen(**changes: Any) -> JudgeFeatures:
    """A picture of six patches whose shares add up to 0.1."""
    score = Score(0.5, 0.0, 0.5, 0.2)
    start = JudgeFeatures(torch.zeros(2), torch.zeros(2), 0.1, 0.06, ATTRIBUTIONS.reshape(-1), (2, 3), score)
    return replace(start, **changes)


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        ((0.55, 0.06, 0.61, 0.2), "0.61: the encoders alone say 0.55, the correction adds 0.06 of the 0.2 it may."),
        ((0.55, -0.2, 0.35, 0.2), "0.35: the encoders alone say 0.55, the correction takes 0.20 of the 0.2 it may."),
        ((0.9, 0.15, 1.0, 0.2), "the correction adds 0.15 of the 0.2 it may. Their sum, 1.05, is cut at 1."),
        ((0.1, -0.15, 0.0, 0.2), "Their sum, -0.05, is cut at 0."),
        ((0.4, 0.0, 0.4, 0.0), "0.40: one network says it, without a base and a correction."),
    ],
)
def test_a_score_is_told_with_its_parts(score: tuple[float, ...], sentence: str) -> None:
    assert score_sentence(Score(*score)).endswith(sentence)


@pytest.mark.parametrize(
    ("final", "sentence"),
    [
        (0.0, "To the judge it looks bad: 0.00 on a scale from 0, worst, to 1, best."),
        (0.2, "To the judge it looks rather bad: 0.20 on a scale from 0, worst, to 1, best."),
        (0.79, "To the judge it looks rather good: 0.79 on a scale from 0, worst, to 1, best."),
        (1.0, "To the judge it looks good: 1.00 on a scale from 0, worst, to 1, best."),
    ],
)
def test_a_score_is_first_told_in_plain_words(final: float, sentence: str) -> None:
    score = Score(final, 0.0, final, 0.2)
    assert score_plain("quality", score) == score_value("quality", score)["says"] == sentence
    assert score_value("quality", score)["numbers"] == score_sentence(score)
    assert "fit its prompt" in score_plain("consistency", score) or "fits its prompt" in score_plain(
        "consistency", score
    )


def test_the_band_ends_where_scores_do() -> None:
    value = score_value("quality", Score(0.9, 0.05, 0.95, 0.2))
    assert (value["title"], value["low"], value["high"]) == ("Quality", pytest.approx(0.7), 1.0)
    assert score_value("consistency", Score(0.1, 0.05, 0.15, 0.2))["low"] == 0.0


def test_shares_are_sent_as_they_are_with_what_they_add_up_to() -> None:
    value = shares_value(seen())
    assert value is not None
    sent = np.frombuffer(base64.b64decode(value["values"]["float32"]), "<f4")
    np.testing.assert_array_equal(sent, ATTRIBUTIONS.reshape(-1))
    assert float(sent.sum()) == pytest.approx(0.1)
    assert (value["grid"], value["most"]) == ([2, 3], pytest.approx(0.4))
    assert value["says"] == "1 of 6 patches speak for quality."
    assert value["numbers"] == (
        "All shares add up to +0.100, the logit of the base 0.52; its bias, +0.060, is spread evenly, +0.0100 a patch."
    )
    assert "for quality lies mostly on the upper left" in value["alternative"]
    assert shares_value(seen(attributions=None, grid=None)) is None


def test_a_second_prompt_moves_consistency_alone() -> None:
    quality = Score(0.5, 0.0, 0.5, 0.2)
    first, other = (JudgeResult(quality, Score(final, 0.0, final, 0.2), seen()) for final in (0.7, 0.4))
    assert other_sentence(first, other) == (
        "Quality is 0.50 with either prompt: it never sees the prompt. Consistency goes from 0.70 to 0.40 (-0.30)."
    )


def test_curves_fall_all_the_way_or_not() -> None:
    assert falls([0.6, 0.4, 0.0, 0.0])
    assert not falls([0.6, 0.4, 0.4]) and not falls([0.6, 0.4, 0.5])
    assert curve_sentence("quality", [0.6, 0.4, 0.1]) == "Quality falls all the way, from 0.60 to 0.10."
    sentence = curve_sentence("consistency", [0.6, 0.7, 0.1, 0.2])
    assert sentence == "Consistency does not fall all the way: from 0.60 to 0.20, between 0.10 and 0.70."


def test_a_judgement_for_programs_is_plain() -> None:
    score = Score(0.55, 0.06, 0.61, 0.2)
    value = json.loads(json.dumps(judgement(JudgeResult(score, score, seen()), "a note")))
    assert value["quality"] | {"says": ""} == {
        "base": 0.55,
        "correction": 0.06,
        "final": 0.61,
        "scale": 0.2,
        "says": "",
    }
    assert sum(value["shares"]) == pytest.approx(value["logit"])
    assert (value["grid"], value["bias"], value["note"]) == ([2, 3], 0.06, "a note")
    assert judgement(JudgeResult(score, score, seen(attributions=None, grid=None)))["shares"] is None


def test_pictures_are_counted() -> None:
    assert (many(14, "photographs"), many(1, "photographs")) == ("14 photographs", "1 photograph")

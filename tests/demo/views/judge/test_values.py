import base64
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
import torch

from demo.galleries.indexes.index import index_gallery
from demo.galleries.reading.photos import jpeg
from demo.galleries.sources.folder import uploads_gallery
from demo.page.actions import PageActions
from demo.page.questions import Photo
from demo.service import judging
from demo.service.judging import JudgeResult, JudgingService
from demo.service.models.personal import SessionData
from demo.service.models.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.views.judge import values
from demo.views.judge.values import (
    JudgedPicture,
    curve_sentence,
    distortion_value,
    falls,
    judged_file,
    judgement,
    opened_judge,
    own_prompt,
    pending_distortion,
    score_sentence,
    score_value,
    several_csv,
    several_value,
    shares_value,
    strength_of,
)
from seps.judge import Judge
from seps.judge.judge import JudgeFeatures, Score

STRENGTHS = (0.0, 0.5, 1.0)


def photo(gallery: str, index: int, session: SessionData | None = None) -> Photo:
    return Photo(SessionData() if session is None else session, gallery, index)


@pytest.fixture(scope="module")
def judged(registry: ModelRegistry, judge: Judge) -> Iterator[ModelRegistry]:
    """The app's models with a judge, which knows a picture again, and fewer strengths of a spoilt one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "judging", JudgingService(lambda: judge))
        for module in (judging, values):
            patch.setattr(module, "STRENGTHS", STRENGTHS)
        yield registry


@pytest.fixture(scope="module")
def actions(judged: ModelRegistry, tmp_path_factory: pytest.TempPathFactory) -> PageActions:
    return PageActions(judged, tmp_path_factory.mktemp("actions"))


def test_several_pictures_are_judged_when_asked_and_then_known(
    judged: ModelRegistry, actions: PageActions, service: RetrievalService
) -> None:
    pictures = [jpeg(service.find("examples").gallery.items[index].photo(), 200) for index in (1, 1, 2)]
    gallery = uploads_gallery([(f"{number}.jpg", content) for number, content in enumerate(pictures)])
    session = SessionData({"uploads": index_gallery(service.model, gallery, None)})
    picture = JudgedPicture(opened_judge(judged), *photo("uploads", 2, session).find(judged))
    assert (own_prompt(picture), several_value(picture, "a cat")["rows"]) == ("", None)
    rows = several_value(picture, "a cat", ask=True)["rows"]
    assert [row["index"] for row in rows] == [0, 1, 2] and rows[0]["quality"] == rows[1]["quality"]  # one content
    again = several_value(picture, "a castle")["rows"]
    assert [row["quality"] for row in again] == [row["quality"] for row in rows]
    assert [row["consistency"] for row in again] != [row["consistency"] for row in rows]
    file = several_csv(picture, "a cat", "consistency")
    assert len(file.content.decode("utf-8-sig").splitlines()) == 4
    answer = actions.judge(photo("uploads", 1, session), "a cat")
    assert answer["judgement"]["photo"]["title"] == "1.jpg" and len(answer["several"]["rows"]) == 3  # judged already


def test_a_second_prompt_moves_consistency_while_quality_stays(actions: PageActions) -> None:
    alone = actions.judge(photo("examples", 1), "a tabby cat")["judgement"]
    both = actions.judge(photo("examples", 1), "a tabby cat", "a castle by the sea")["judgement"]
    assert alone["shares"]["grid"] == [14, 14]
    assert both["scales"][0] == alone["scales"][0]
    first, other = both["scales"][1:]
    assert (first["prompt"], other["prompt"]) == ("a tabby cat", "a castle by the sea")
    assert first["final"] != other["final"]
    assert both["moved"].startswith(f"Quality is {alone['scales'][0]['final']:.2f} with either prompt")


def test_spoilt_copies_have_curves_pictures_and_shares(judged: ModelRegistry, actions: PageActions) -> None:
    value = distortion_value(
        JudgedPicture(opened_judge(judged), *photo("examples", 1).find(judged)), "a cat", "blocks", 0.5
    )
    assert {len(curve[part]) for curve in value["curves"].values() for part in ("base", "final")} == {len(STRENGTHS)}
    whole = actions.judge(photo("examples", 1), "a cat")["judgement"]["scales"]
    at_start = [value["curves"][name]["final"][0] for name in ("quality", "consistency")]
    assert at_start == pytest.approx([scale["final"] for scale in whole], abs=1e-5)
    assert value["shares"]["shape"] == [len(STRENGTHS), 196]
    pending = pending_distortion("blocks", 0.5)
    assert pending == {name: value[name] for name in pending} | {"curves": None}


def test_what_cannot_be_judged_is_told(actions: PageActions) -> None:
    for prompts in (("\N{DOG FACE}", ""), ("a cat", "\N{DOG FACE}")):
        with pytest.raises(ValueError, match='The model knows none of the words in "🐶"'):
            actions.judge(photo("examples", 1), *prompts)
    with pytest.raises(ValueError, match="The strength of this slider is none that there"):
        strength_of(7)


ATTRIBUTIONS = np.array([[0.4, -0.1, 0.0], [0.0, -0.1, -0.1]], np.float32)


def seen(**changes: Any) -> JudgeFeatures:
    """A picture of six patches; the sum of their shares is 0.1."""
    score = Score(0.5, 0.0, 0.5, 0.2)
    start = JudgeFeatures(torch.zeros(2), torch.zeros(2), 0.1, 0.06, ATTRIBUTIONS.reshape(-1), (2, 3), score)
    return replace(start, **changes)


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        ((0.55, 0.06, 0.61, 0.2), "0.61: the encoders give 0.55, the correction adds 0.06 of at most 0.2."),
        ((0.55, -0.2, 0.35, 0.2), "0.35: the encoders give 0.55, the correction subtracts 0.20 of at most 0.2."),
        ((0.9, 0.15, 1.0, 0.2), "the correction adds 0.15 of at most 0.2. Their sum, 1.05, is cut at 1."),
        ((0.1, -0.15, 0.0, 0.2), "Their sum, -0.05, is cut at 0."),
        ((0.4, 0.0, 0.4, 0.0), "0.40: one network says it, without a base and a correction."),
    ],
)
def test_a_score_is_told_with_its_parts(score: tuple[float, ...], sentence: str) -> None:
    assert score_sentence(Score(*score)).endswith(sentence)


def test_a_score_is_first_told_in_plain_words() -> None:
    for final, grade in ((0.2, "rather bad: 0.20"), (1.0, "good: 1.00")):
        score = Score(final, 0.0, final, 0.2)
        value = score_value("quality", score)
        assert value["says"] == f"To the judge it looks {grade} on a scale from 0, worst, to 1, best."
        assert value["numbers"] == score_sentence(score)


def test_shares_are_sent_as_they_are_with_what_they_add_up_to() -> None:
    value = shares_value(seen())
    assert value is not None
    sent = np.frombuffer(base64.b64decode(value["values"]["float32"]), "<f4")
    np.testing.assert_array_equal(sent, ATTRIBUTIONS.reshape(-1))
    assert float(sent.sum()) == pytest.approx(0.1)
    assert (value["grid"], value["most"]) == ([2, 3], pytest.approx(0.4))
    assert value["says"] == "1 of 6 patches raise the quality score."
    assert value["numbers"].startswith("All shares add up to +0.100, the logit of the base 0.52; its bias, +0.060, is")
    assert shares_value(seen(attributions=None, grid=None)) is None


def test_curves_fall_all_the_way_or_not() -> None:
    assert falls([0.6, 0.4, 0.0, 0.0])
    assert not falls([0.6, 0.4, 0.4]) and not falls([0.6, 0.4, 0.5])
    assert curve_sentence("quality", [0.6, 0.4, 0.1]) == "Quality falls all the way, from 0.60 to 0.10."
    assert "not fall all the way: from 0.60 to 0.20, between 0.10" in curve_sentence("quality", [0.6, 0.7, 0.1, 0.2])


def test_a_judgement_for_programs_is_plain() -> None:
    score = Score(0.55, 0.06, 0.61, 0.2)
    result = JudgeResult(score, score, seen())
    value = json.loads(json.dumps(judgement(result, "a note")))
    written = json.loads(judged_file([("cat.png", result)], "a cat", "quality", "json"))
    assert written == [{"picture": "cat.png", "prompt": "a cat"} | value | {"note": ""}]
    assert value["quality"] == asdict(score) | {"says": score_sentence(score)}
    assert sum(value["shares"]) == pytest.approx(value["logit"])
    assert (value["grid"], value["bias"], value["note"]) == ([2, 3], 0.06, "a note")
    assert judgement(JudgeResult(score, score, seen(attributions=None, grid=None)))["shares"] is None

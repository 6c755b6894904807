"""The view "Judge": a link leads back, a second prompt moves consistency alone, and spoilt copies have their curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor

from demo.galleries.folder import uploads_gallery
from demo.galleries.gallery import Gallery
from demo.galleries.index import index_gallery
from demo.galleries.photos import shrink_photo
from demo.page.actions import PageActions
from demo.service.judging import STRENGTHS, JudgingService
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.views.judge.values import (
    JudgeState,
    distortion_value,
    judged_picture,
    own_prompt,
    pending_distortion,
    several_csv,
    several_value,
    strength_of,
)
from demo.views.state import SelectedImage
from seps.judge import Judge, JudgeFeatures, Score
from tests.helpers.judged import photos_judge

CAT = SelectedImage("examples", 1)


@pytest.fixture(scope="module")
def judge() -> Judge:
    return photos_judge()


@pytest.fixture
def judged(registry: ModelRegistry, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    """The app's models with a judge that is not open yet."""
    monkeypatch.setattr(registry, "judging", JudgingService(lambda: judge))
    return registry


def words_index(value: dict[str, Any]) -> int:
    """The place of the viewer's photograph among the examples."""
    from demo.galleries.packaged import load_examples

    return [example.name for example in load_examples()].index(value["photo"]["title"])


def test_several_pictures_are_judged_when_asked_and_then_known(judged: ModelRegistry) -> None:
    state = JudgeState("examples", 1, "a cat")
    assert several_value(judged_picture(judged, CAT), state)["rows"] is None
    rows = several_value(judged_picture(judged, CAT), state, ask=True)["rows"]
    assert [row["index"] for row in rows] == list(range(14))
    again = several_value(judged_picture(judged, CAT), replace(state, caption="a castle"))["rows"]
    assert [row["quality"] for row in again] == [row["quality"] for row in rows]
    assert [row["consistency"] for row in again] != [row["consistency"] for row in rows]
    file = several_csv(judged_picture(judged, CAT), "a cat", "consistency")
    assert len(file.content.decode("utf-8-sig").splitlines()) == 15


def one_upload(registry: ModelRegistry) -> Gallery:
    """A person's one picture."""
    content = shrink_photo(registry.photos.find("examples").gallery.items[1].photo()).content
    return uploads_gallery([("one.jpg", content)])


@pytest.fixture
def actions(judged: ModelRegistry, tmp_path: Path) -> PageActions:
    return PageActions(judged, tmp_path)


def test_a_second_prompt_moves_consistency_while_quality_stays(actions: PageActions) -> None:
    alone = actions.judge(SessionData(), "examples", 1, "a tabby cat")["judgement"]
    both = actions.judge(SessionData(), "examples", 1, "a tabby cat", "a castle by the sea")["judgement"]
    assert alone["shares"]["grid"] == [14, 14]
    assert both["scales"][0] == alone["scales"][0]
    first, other = both["scales"][1:]
    assert (first["prompt"], other["prompt"], other["name"]) == ("a tabby cat", "a castle by the sea", "other")
    assert first["final"] != other["final"]
    assert both["moved"].startswith(f"Quality is {alone['scales'][0]['final']:.2f} with either prompt")
    assert alone["moved"] == ""


def test_spoilt_copies_have_curves_pictures_and_shares(judged: ModelRegistry, actions: PageActions) -> None:
    state = JudgeState("examples", 1, "a cat", other="a dog", distortion="blocks", strength=0.5)
    value = distortion_value(judged_picture(judged, CAT), state)
    assert value["curves"].keys() == {"quality", "consistency", "other"}
    for curve in value["curves"].values():
        assert len(curve["base"]) == len(curve["final"]) == len(STRENGTHS)
    whole = actions.judge(SessionData(), "examples", 1, "a cat", "a dog")["judgement"]["scales"]
    at_start = [value["curves"][name]["final"][0] for name in ("quality", "consistency", "other")]
    assert at_start == pytest.approx([scale["final"] for scale in whole], abs=1e-5)
    assert len(value["pictures"]) == len(value["says"]) == len(STRENGTHS)
    assert value["shares"]["shape"] == [len(STRENGTHS), 196]
    assert pending_distortion(judged_picture(judged, CAT), state) | {"key": 0} == {
        name: value[name] for name in ("kinds", "spoil", "strength", "strengths", "link")
    } | {"curves": None, "key": 0}


def test_a_prompt_and_a_picture_with_it_are_judged_once(
    judged: ModelRegistry, actions: PageActions, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[str] = []
    scored: list[int] = []
    judge = judged.judging.open() if judged.judging else None
    assert judge is not None
    encode_prompts, score_encoded = judge.encode_prompts, judge.score_encoded

    def counted_prompts(prompts: Sequence[str]) -> Tensor:
        encoded.extend(prompts)
        return encode_prompts(prompts)

    def counted_scores(features: Sequence[JudgeFeatures], texts: Tensor) -> list[tuple[Score, Score]]:
        scored.append(len(features))
        return score_encoded(features, texts)

    several_value(judged_picture(judged, CAT), JudgeState("examples", 1, "a cat"), ask=True)
    monkeypatch.setattr(judge, "encode_prompts", counted_prompts)
    monkeypatch.setattr(judge, "score_encoded", counted_scores)
    answer = actions.judge(SessionData(), "examples", 1, "a cat", "a dog")
    several, judgement = answer["several"], answer["judgement"]
    assert encoded == ["a cat", "a dog"]
    assert scored == [1, 1, 13]
    row, scales = several["rows"][1], judgement["scales"]
    assert [row[name]["final"] for name in ("quality", "consistency")] == [scale["final"] for scale in scales[:2]]
    session = SessionData(index_gallery(judged.photos.model, one_upload(judged), None))
    assert len(actions.several(session, "uploads", 0, "a cat")["rows"]) == 1


def test_ones_own_pictures_are_judged_and_have_no_link(
    judged: ModelRegistry, actions: PageActions, service: RetrievalService
) -> None:
    content = shrink_photo(service.find("examples").gallery.items[1].photo()).content
    session = SessionData(
        index_gallery(service.model, uploads_gallery([("one.jpg", content), ("two.jpg", content)]), None)
    )
    answer = actions.judge(session, "uploads", 1, "a cat")
    assert (answer["judgement"]["link"], answer["distortion"]["link"]) == (None, None)
    assert answer["judgement"]["photo"]["title"] == "two.jpg"
    assert len(answer["several"]["rows"]) == 2  # one content, judged already
    assert own_prompt(judged, SelectedImage("uploads", 1, session)) == ""


def test_a_prompt_that_cannot_be_read_is_told(actions: PageActions) -> None:
    for prompt, other, message in (
        ("\N{DOG FACE}", "", 'The model knows none of the words in "🐶"'),
        ("a cat", "\N{DOG FACE}", 'The model knows none of the words in "🐶"'),
    ):
        with pytest.raises(ValueError, match=message):
            actions.judge(SessionData(), "examples", 1, prompt, other)
    with pytest.raises(ValueError, match="The strength of this slider is none that there"):
        strength_of(7)

"""The view "Judge": a link leads back, a second prompt moves consistency alone, and spoilt copies have their curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import Mock
from urllib.parse import parse_qsl

import pytest
from torch import Tensor

from demo.galleries.folder import uploads_gallery
from demo.galleries.gallery import Gallery
from demo.galleries.index import index_gallery
from demo.galleries.photos import shrink_photo
from demo.screens.chooser import SelectedImage
from demo.screens.examples import FIRST_CAPTION
from demo.screens.judge.values import (
    JudgeState,
    distortion_value,
    judged_picture,
    pending_distortion,
    read_distortion,
    several_csv,
    several_value,
    words_values,
)
from demo.screens.judge.view import own_prompt, show, start, strength_of
from demo.screens.link import waited_for
from demo.screens.session import fill
from demo.service.judging import STRENGTHS, JudgingService
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
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


def opened(registry: ModelRegistry, query: str, view: str = "judge") -> list[Any]:
    """The values of the view that a query leads to."""
    seen, values = fill(registry, dict(parse_qsl(query.lstrip("?"))))
    assert seen == view
    return values[view]


def test_it_opens_on_a_filled_example(judged: ModelRegistry) -> None:
    status, gallery, strip, selected, prompt, other, judgement, distortion, several, _, words, state = start(judged)
    assert (status, gallery, prompt, other) == ("", "examples", FIRST_CAPTION, "")
    assert strip["selected"] == selected.index == state.index == words_index(words)
    assert [scale["name"] for scale in judgement["scales"]] == ["quality", "consistency"]
    assert judgement["shares"]["grid"] == [14, 14]
    assert (distortion["curves"], distortion["kinds"][0], several["rows"]) == (None, "blur", None)
    assert several["ask"] == "Judge all 14 photographs"
    assert words["layer"].startswith("word:")


def words_index(value: dict[str, Any]) -> int:
    """The place of the viewer's photograph among the examples."""
    from demo.galleries.packaged import load_examples

    return [example.name for example in load_examples()].index(value["photo"]["title"])


def test_a_link_leads_back(judged: ModelRegistry) -> None:
    state = JudgeState(other="a red car", distortion="noise", strength=0.3)
    shown = show(judged, CAT, "a cat's eyes & ears", "a red car", state)
    link = shown[1]["link"]
    assert "spoil=noise&strength=0.3" in link
    values = opened(judged, link)
    assert values[3:6] == [CAT, "a cat's eyes & ears", "a red car"]
    assert values[6] | {"key": 0} == shown[1] | {"key": 0}
    assert (values[7]["spoil"], values[7]["strength"], values[11]) == ("noise", 0.3, shown[-1])
    assert values[7]["link"] == link.partition("&spoil")[0]  # the page adds how it is spoilt as the slider moves


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("?view=judge&photo=cat&caption=%F0%9F%90%B6", "knows none of the words"),
        ("?view=judge&photo=moon&caption=a+cat", "has no photo"),
        ("?view=judge&photo=cat&caption=a+cat&strength=7", "strength is"),
        ("?view=judge&photo=cat&caption=a+cat&spoil=mud", "spoil is"),
        ("?view=judge&strength=7", "strength is"),
        ("?view=judge&other=%F0%9F%90%B6", "knows none of the words"),
        ("?view=judge&photo=cat&caption=a+cat&other=%F0%9F%90%B6", "knows none of the words"),
    ],
)
def test_a_wrong_link_is_told_above_the_worked_example(judged: ModelRegistry, query: str, message: str) -> None:
    assert message in opened(judged, query, "search")[0]


def test_a_wrong_strength_or_kind_is_told() -> None:
    assert read_distortion({"spoil": "crop", "strength": "1"}) == ("crop", 1.0)
    with pytest.raises(ValueError, match="spoil is 'mud' in this link"):
        read_distortion({"spoil": "mud"})
    with pytest.raises(ValueError, match=r"strength is '0\.35' in this link"):
        read_distortion({"strength": "0.35"})
    with pytest.raises(ValueError, match="The strength of this slider is none that there"):
        strength_of(7)


def test_the_judge_is_waited_for_once(judged: ModelRegistry) -> None:
    assert "The judge is loaded" in waited_for(judged, {"view": "judge"})
    assert waited_for(judged, {"view": "search"}) == ""
    assert judged.judging is not None
    judged.judging.open()
    assert waited_for(judged, {"view": "judge"}) == ""


def test_without_a_judge_there_is_no_view(registry: ModelRegistry) -> None:
    assert "This link leads to the judge, which is not here" in opened(registry, "?view=judge", "search")[0]


def test_a_picture_is_looked_up_once_for_its_scores_and_once_for_its_words(
    judged: ModelRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        find = Mock(wraps=judged.find)
        patch.setattr(judged, "find", find)
        show(judged, CAT, "a tabby cat", "", JudgeState())
    assert [call.args for call in find.call_args_list] == [("examples", None)] * 2


def test_a_second_prompt_moves_consistency_while_quality_stays(judged: ModelRegistry) -> None:
    alone = show(judged, CAT, "a tabby cat", "", JudgeState())[1]
    both = show(judged, CAT, "a tabby cat", "a castle by the sea", JudgeState())[1]
    assert both["scales"][0] == alone["scales"][0]
    first, other = both["scales"][1:]
    assert (first["prompt"], other["prompt"], other["name"]) == ("a tabby cat", "a castle by the sea", "other")
    assert first["final"] != other["final"]
    assert both["moved"].startswith(f"Quality is {alone['scales'][0]['final']:.2f} with either prompt")
    assert alone["moved"] == ""


def test_spoilt_copies_have_curves_pictures_and_shares(judged: ModelRegistry) -> None:
    state = JudgeState("examples", 1, "a cat", other="a dog", distortion="blocks", strength=0.5)
    value = distortion_value(judged_picture(judged, CAT), state)
    assert value["curves"].keys() == {"quality", "consistency", "other"}
    for curve in value["curves"].values():
        assert len(curve["base"]) == len(curve["final"]) == len(STRENGTHS)
    whole = show(judged, CAT, "a cat", "a dog", state)[1]["scales"]
    at_start = [value["curves"][name]["final"][0] for name in ("quality", "consistency", "other")]
    assert at_start == pytest.approx([scale["final"] for scale in whole], abs=1e-5)
    assert len(value["pictures"]) == len(value["says"]) == len(STRENGTHS)
    assert value["shares"]["shape"] == [len(STRENGTHS), 196]
    assert pending_distortion(judged_picture(judged, CAT), state) | {"key": 0} == {
        name: value[name] for name in ("kinds", "spoil", "strength", "strengths", "link")
    } | {"curves": None, "key": 0}


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


def test_a_prompt_and_a_picture_with_it_are_judged_once(judged: ModelRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
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
    _, judgement, _, several, *_ = show(judged, CAT, "a cat", "a dog", JudgeState())
    assert encoded == ["a cat", "a dog"]
    assert scored == [1, 1, 13]
    row, scales = several["rows"][1], judgement["scales"]
    assert [row[name]["final"] for name in ("quality", "consistency")] == [scale["final"] for scale in scales[:2]]
    alone = SelectedImage("uploads", 0, SessionData(index_gallery(judged.photos.model, one_upload(judged), None)))
    assert len(show(judged, alone, "a cat", "", JudgeState(), ask=True)[3]["rows"]) == 1


def one_upload(registry: ModelRegistry) -> Gallery:
    """A person's one picture."""
    content = shrink_photo(registry.photos.find("examples").gallery.items[1].photo()).content
    return uploads_gallery([("one.jpg", content)])


def test_a_scene_has_the_word_maps_of_the_photos_model(judged: ModelRegistry) -> None:
    judged.open("scenes")
    scene = SelectedImage("scenes", 2)
    prompt = own_prompt(judged, scene)
    assert prompt in judged.find("scenes")[1].gallery.items[2].captions
    shown = show(judged, scene, prompt, "", JudgeState())
    assert shown[1]["link"].startswith("?view=judge&model=scenes&gallery=scenes&photo=")
    assert shown[5]["model"] == "photos" and shown[5]["scene"] is not None
    assert opened(judged, shown[1]["link"])[3] == scene


def test_ones_own_pictures_are_judged_and_have_no_link(judged: ModelRegistry, service: RetrievalService) -> None:
    photo = service.find("examples").gallery.items[1].photo()
    content = shrink_photo(photo).content
    gallery = uploads_gallery([("one.jpg", content), ("two.jpg", content)])
    indexed = index_gallery(service.model, gallery, None)
    uploaded = SelectedImage(indexed.gallery.name, 1, SessionData(indexed))
    shown = show(judged, uploaded, "a cat", "", JudgeState())
    assert (shown[1]["link"], shown[2]["link"]) == (None, None)
    assert shown[1]["photo"]["title"] == "two.jpg"
    assert len(several_value(judged_picture(judged, uploaded), shown[-1])["rows"]) == 2  # one content, judged already
    assert own_prompt(judged, uploaded) == ""
    assert words_values(judged, uploaded, shown[-1])[1]["photo"]["title"] == "two.jpg"


def test_a_prompt_that_cannot_be_read_is_told(judged: ModelRegistry) -> None:
    with pytest.raises(ValueError, match="The prompt is empty: describe the photograph in a few"):
        show(judged, CAT, " ", "", JudgeState())
    with pytest.raises(ValueError, match='The model knows none of the words in "🐶"'):
        show(judged, CAT, "a cat", "\N{DOG FACE}", JudgeState())

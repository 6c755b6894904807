"""Words that found nothing are marked in every view, and told in rankings whose best picture misses them."""

from __future__ import annotations

import json

import pytest

from demo.views import captions
from demo.views.state import SelectedImage
from demo.views import compare
from demo.views import edit
from demo.views.judge.values import JudgeState, words_values
from demo.views.state import NO_POOL, ViewState
from demo.views import worked_example as photos_view
from demo.views.why.values import WhyState
from demo.views.why.view import show
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from seps.models.hub import shipped_models
from seps.models.unmatched_words import UnmatchedRule, read_rule

HIGH = "“cat”"  # no cosine reaches 1


@pytest.fixture
def strict(service: RetrievalService, registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    """Models for which every content word found nothing."""
    monkeypatch.setattr(service, "unmatched_rule", UnmatchedRule(1.0))
    monkeypatch.setattr(registry.open("scenes")[0], "unmatched_rule", UnmatchedRule(1.0))
    return registry


def test_every_view_marks_them(strict: ModelRegistry, service: RetrievalService) -> None:
    indexed = service.find("examples")
    _, ranking, viewer, _ = photos_view.rank_and_show(service, indexed, "a cat", None, ViewState(), 3)
    assert ranking["missed"].startswith(f"Probably not in the best picture: {HIGH}")
    assert viewer["unfound"]["pieces"] == [2]
    selected = SelectedImage("examples", 1)
    shown = captions.rank_and_show(strict, selected, NO_POOL, "a cat", ViewState())
    assert HIGH in shown[2]["unfound"]["says"]
    items = compare.show_side_by_side(strict, selected, "a cat\na dog", ViewState())[1]["items"]
    assert [item["unfound"]["pieces"] for item in items] == [[2], [2]]
    sentence, viewer = words_values(strict, selected, JudgeState("examples", 1, "a cat"))
    assert f"Found nothing: {HIGH}" in sentence and viewer["unfound"]["pieces"] == [2]
    _, scene, ranking, _ = edit.show(strict, SessionData(), edit.Editing(0, "a red dolphin"))
    assert "“red” or “dolphin”" in scene["before"]["unfound"]["says"]
    assert "“red” or “dolphin”" in ranking["missed"]
    value = show(strict, None, WhyState("examples", 1, "a cat", other="a dog"))[1]
    rows = {row["word"]: row["unfound"] for row in value["rows"]}
    assert rows == {"a": [False, False], "cat": [True, False], "dog": [False, True]}
    assert f"probably not in the picture: {HIGH}" in " ".join(value["says"])


def test_nothing_is_marked_without_a_measurement(
    registry: ModelRegistry, service: RetrievalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "unmatched_rule", None)
    indexed = service.find("examples")
    _, ranking, viewer, _ = photos_view.rank_and_show(service, indexed, "a cat", None, ViewState())
    assert (ranking["missed"], viewer["unfound"]) == ("", None)


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_models_bring_their_threshold(name: str) -> None:
    rules = json.loads((shipped_models()[name] / "found-words.json").read_text(encoding="utf-8"))
    rule, threshold = read_rule(shipped_models()[name]), rules["threshold"]
    card = " ".join((shipped_models()[name] / "README.md").read_text(encoding="utf-8").split())
    if threshold is None:
        assert rule is None and "so no word is marked" in card
    else:
        assert rule is not None and (rule.threshold, rule.words is None) == (threshold, rules["words"] is None)
        assert f"{threshold:.3f}" in card
    assert f"{rules['others_threshold']:.3f}" in card
    for measure in filter(None, (rules[name] for name in ("best", "checked", "best_at_most", "checked_at_most"))):
        assert f"{measure['words']:,}" in card and f"{measure['missing']:,}" in card
        assert measure["right"] is None or f"{100 * measure['right']:.1f}%" in card


@pytest.mark.parametrize("name", shipped_models())
def test_what_is_said_of_words_is_right_in_95_of_100_cases(name: str) -> None:
    rules = json.loads((shipped_models()[name] / "found-words.json").read_text(encoding="utf-8"))
    measured = [measure for measure in (rules["best"], rules["checked"]) if measure is not None]
    assert measured
    for measure in measured:
        assert rules["threshold"] is None or (measure["right"] >= 0.95 and measure["recall"] >= 0.05)

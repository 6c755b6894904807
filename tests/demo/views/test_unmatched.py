"""Words that found nothing are marked in every view, and told in rankings whose best picture misses them."""

from __future__ import annotations

import json

import pytest

from demo.page.values import compared
from demo.service.experiment import experiment
from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.views.edit import Editing, scene_value
from demo.views.why.values import WhyState, why_value
from demo.views.worked_example import worked_example
from seps.models.hub import shipped_models
from seps.models.unmatched_words import UnmatchedRule, read_rule

HIGH = "“cat”"  # no cosine reaches 1


@pytest.fixture
def strict(service: RetrievalService, registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    """Models for which every content word found nothing."""
    monkeypatch.setattr(service, "unmatched_rule", UnmatchedRule(1.0))
    monkeypatch.setattr(registry.open("scenes")[0], "unmatched_rule", UnmatchedRule(1.0))
    return registry


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


def test_every_view_marks_them(strict: ModelRegistry, service: RetrievalService) -> None:
    indexed = service.find("examples")
    _, ranking, viewer = worked_example(service, indexed, "a cat")
    assert ranking["missed"].startswith(f"Probably not in the best picture: {HIGH}")
    assert viewer["unfound"]["pieces"] == [2]
    items = compared(service, indexed, 1, "a cat\na dog", "mask")["items"]
    assert [item["unfound"]["pieces"] for item in items] == [[2], [2]]
    tried = experiment(strict, SessionData(), 0, "a red dolphin")
    scene = scene_value(strict, tried, Editing(0, "a red dolphin"))
    assert "“red” or “dolphin”" in scene["before"]["unfound"]["says"]
    value = why_value(service, indexed, WhyState("examples", 1, "a cat", other="a dog"))
    rows = {row["word"]: row["unfound"] for row in value["rows"]}
    assert rows == {"a": [False, False], "cat": [True, False], "dog": [False, True]}
    assert f"probably not in the picture: {HIGH}" in " ".join(value["says"])


def test_nothing_is_marked_without_a_measurement(service: RetrievalService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "unmatched_rule", None)
    _, ranking, viewer = worked_example(service, service.find("examples"), "a cat")
    assert (ranking["missed"], viewer["unfound"]) == ("", None)

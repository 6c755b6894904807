"""Words that found nothing are marked in every view, and told in rankings whose best picture misses them."""

from __future__ import annotations

import json

import pytest

from demo.service.registry import ModelRegistry
from demo.service.retrieval import RetrievalService
from demo.service.session import SessionData
from demo.service.start import rule_of
from demo.views import captions, compare, edit, search
from demo.views.chooser import SelectedImage
from demo.views.judge_values import JudgeState, words_values
from demo.views.parts import ViewState
from demo.views.why import show
from demo.views.why_values import WhyState
from seps.models.found_words import FoundRule
from seps.models.hub import shipped_models

HIGH = "“cat”"  # no cosine reaches 1


@pytest.fixture
def strict(service: RetrievalService, registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    """Models for which every content word found nothing."""
    monkeypatch.setattr(service, "found_rule", FoundRule(1.0))
    monkeypatch.setattr(registry.open("scenes")[0], "found_rule", FoundRule(1.0))
    return registry


def test_every_view_marks_them(strict: ModelRegistry, service: RetrievalService) -> None:
    indexed = service.find("examples")
    _, ranking, viewer, _ = search.rank_and_show(service, indexed, "a cat", None, ViewState(), 3)
    assert ranking["missed"].startswith(f"Nothing in the best picture matches {HIGH}")
    assert viewer["unfound"]["pieces"] == [2]
    selected = SelectedImage("examples", 1)
    shown = captions.rank_and_show(strict, selected, captions.NO_POOL, "a cat", ViewState())
    assert HIGH in shown[2]["unfound"]["says"]
    items = compare.show_side_by_side(strict, selected, "a cat\na dog", ViewState())[1]["items"]
    assert [item["unfound"]["pieces"] for item in items] == [[2], [2]]
    said, viewer = words_values(strict, selected, JudgeState("examples", 1, "a cat"))
    assert f"Found nothing: {HIGH}" in said and viewer["unfound"]["pieces"] == [2]
    _, scene, ranking, _ = edit.show(strict, SessionData(), edit.Editing(0, "a red dolphin"))
    assert "“red” or “dolphin”" in scene["before"]["unfound"]["says"]
    assert "“red” or “dolphin”" in ranking["missed"]
    value = show(strict, None, WhyState("examples", 1, "a cat", other="a dog"))[1]
    rows = {row["word"]: row["unfound"] for row in json.loads(value["rows"])}
    assert rows == {"a": [False, False], "cat": [True, False], "dog": [False, True]}
    assert f"nothing in the picture matches {HIGH}" in " ".join(json.loads(value["says"]))


def test_nothing_is_marked_without_a_measurement(
    registry: ModelRegistry, service: RetrievalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "found_rule", None)
    indexed = service.find("examples")
    _, ranking, viewer, _ = search.rank_and_show(service, indexed, "a cat", None, ViewState())
    assert (ranking["missed"], viewer["unfound"]) == ("", None)


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_models_bring_their_threshold(name: str) -> None:
    told = json.loads((shipped_models()[name] / "found-words.json").read_text(encoding="utf-8"))
    rule = rule_of(name)
    assert rule is not None and rule == rule_of(str(shipped_models()[name]))
    assert (rule.threshold, rule.words is None) == (told["threshold"], told["words"] is None)
    assert rule_of("owner/name") is None
    card = (shipped_models()[name] / "README.md").read_text(encoding="utf-8")
    assert f"{told['threshold']:.3f}" in card
    for one in told["classes"].values():
        assert f"{100 * one['below']:.1f}" in card

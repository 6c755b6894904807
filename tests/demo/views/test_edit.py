"""The view "Edit": which words' shares of S a change of the scene moved."""

from __future__ import annotations

import pytest

from demo.service.experiment import experiment, with_changes
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from demo.views.edit import Editing, scene_value, share_changes

CAPTION = "a red helicopter over a tiny dolphin"


@pytest.mark.parametrize(
    "change",
    [{"do": "move", "object": 0, "dx": 40, "dy": 30}, {"do": "recolour", "object": 0, "colour": "blue"}],
    ids=["move", "recolour"],
)
def test_the_words_whose_shares_changed_most_are_told(registry: ModelRegistry, change: dict[str, object]) -> None:
    service, _ = registry.open("scenes")
    session = with_changes(registry, SessionData(), 0, [change])
    tried = experiment(registry, session, 0, CAPTION)
    changes = share_changes(service, tried)
    attributions = [service.split(outcome.record).of_words for outcome in (tried.before, tried.after)]
    words = tried.before.record.sparse_alignment.words
    moved = sorted(abs(attributions[1] - attributions[0])[1:-1].tolist(), reverse=True)
    assert [abs(changed["change"]) for changed in changes] == pytest.approx(moved[: len(changes)])
    assert 0 < len(changes) <= 4
    for changed in changes:
        place = next(
            number
            for number, word in enumerate(words)
            if word == changed["word"] and attributions[0][number] == pytest.approx(changed["before"])
        )
        assert changed["after"] == pytest.approx(attributions[1][place])
        assert changed["change"] == pytest.approx(changed["after"] - changed["before"])
    assert scene_value(registry, tried, Editing(0, CAPTION))["shares"] == changes
    untouched = experiment(registry, SessionData(), 0, CAPTION)
    assert scene_value(registry, untouched, Editing(0, CAPTION))["shares"] == []

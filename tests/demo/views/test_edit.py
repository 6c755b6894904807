"""The view "Edit": which words' shares of S a change of the scene moved."""

from __future__ import annotations

import pytest

from demo.service.experiment import experiment, with_changes
from demo.service.registry import ModelRegistry
from demo.service.session import SessionData
from demo.views.edit import Editing, share_changes, show

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
    told = share_changes(service, tried)
    shares = [service.split(one.record).of_words for one in (tried.before, tried.after)]
    words = tried.before.record.sparse_alignment.words
    moved = sorted(abs(shares[1] - shares[0])[1:-1].tolist(), reverse=True)
    assert [abs(one["change"]) for one in told] == pytest.approx(moved[: len(told)])
    assert 0 < len(told) <= 4
    for one in told:
        place = next(
            number
            for number, word in enumerate(words)
            if word == one["word"] and shares[0][number] == pytest.approx(one["before"])
        )
        assert one["after"] == pytest.approx(shares[1][place])
        assert one["change"] == pytest.approx(one["after"] - one["before"])
    _, scene, _, _ = show(registry, session, Editing(0, CAPTION))
    assert scene["shares"] == told
    _, untouched, _, _ = show(registry, SessionData(), Editing(0, CAPTION))
    assert untouched["shares"] == []

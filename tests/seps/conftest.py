"""Fixtures of the training tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def curves() -> None:
    """This test's runs draw their curves."""


@pytest.fixture(autouse=True)
def undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs draw no curves, which takes a second each, where a test does not look at them and asks for `curves`."""
    if "curves" not in request.fixturenames:
        monkeypatch.setattr("seps.runs.run_log.DrawTimer.is_due", lambda timer, is_last: False)

"""Fixtures of the library's tests."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def model(bert: Path) -> Any:
    from tests.helpers.models.tiny import tiny_model

    return tiny_model(bert)


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a program that has to end with exit code 2 and no output; returns its error."""

    def run(main: Callable[..., object], arguments: Sequence[str]) -> str:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capsys.readouterr()
        assert (ended.value.code, out) == (2, "")
        return err

    return run


@pytest.fixture
def curves() -> None:
    """This test's runs draw their curves."""


@pytest.fixture(autouse=True)
def undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs draw no curves, which takes a second each, where a test does not look at them and asks for `curves`."""
    if "curves" not in request.fixturenames:
        monkeypatch.setattr("seps.runs.run_log.DrawTimer.is_due", lambda timer, is_last: False)

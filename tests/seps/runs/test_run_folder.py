"""Whether a new run may begin in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from seps.runs.run_folder import check_no_run
from tests.helpers.sentences import refused


@pytest.mark.parametrize("left", ["checkpoint", "checkpoints/epoch-002", "metrics.csv", "best", "model"])
def test_a_new_run_overwrites_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: str) -> None:
    monkeypatch.chdir(tmp_path)
    run = Path("run")
    check_no_run(run)
    (run / left).mkdir(parents=True)
    with refused(ValueError):
        check_no_run(run)


def test_a_folder_with_features_alone_holds_no_run(tmp_path: Path) -> None:
    (tmp_path / "features").mkdir()
    check_no_run(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["features"]

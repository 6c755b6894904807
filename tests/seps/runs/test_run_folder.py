from pathlib import Path

import pytest

from seps.runs.run_folder import check_no_run


@pytest.mark.parametrize(
    ("left", "message"),
    [
        ("checkpoint", "run holds a run: add --resume to go on with it"),
        ("checkpoints/epoch-002", "run holds a run of 2 epochs"),
        ("metrics.csv", "run holds metrics.csv of another run"),
    ],
)
def test_a_new_run_overwrites_none(tmp_path: Path, left: str, message: str) -> None:
    run = tmp_path / "run"
    check_no_run(run)
    (run / left).mkdir(parents=True)
    with pytest.raises(ValueError, match=message):
        check_no_run(run)

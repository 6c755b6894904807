"""One program for all measures: the options of each, and errors before any measuring."""

from __future__ import annotations

from pathlib import Path

import pytest

from seps.evaluation.harness import MEASURES, main


@pytest.mark.parametrize("name", MEASURES)
def test_each_measure_has_its_own_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--measure", name, "--help"])
    assert ended.value.code == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"Measure {MEASURES[name].title}." in printed
    assert all(f" {other} {measure.title}" in printed for other, measure in MEASURES.items())
    assert ("--similarity" in printed) == (name == "pooled")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measure", "rank"], "invalid choice: 'rank' (choose from"),
        (["--measure=rank"], "invalid choice: 'rank' (choose from"),
        (["--measure"], "argument --measure: expected one argument"),
        (["--meas", "clips", "--model", "scenes", "--data", "x"], "unrecognized arguments: --meas"),
        (["--measure=clips", "--model", "scenes", "--count", "-1"], "--count is -1"),
        ([], "the following arguments are required: --model, --data"),
        (["--data", "x"], "the following arguments are required: --model"),
        (["--measure", "ensemble"], "the following arguments are required: --files"),
        (["--measure", "ensemble", "--files", "a.npy", "b.npy", "--data", "x"], "unrecognized arguments: --data"),
        (["--measure", "clips", "--model", "scenes", "--count", "0"], "--count is 0"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", ["recall", "known_captions"])
def test_a_results_file_that_cannot_be_written(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--measure", name, "--model", "photos", "--data", str(tmp_path), "--json", str(tmp_path / "a" / "b")]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--others", str(tmp_path)] if name == "known_captions" else arguments)
    assert ended.value.code == 2
    assert "b cannot be written" in capsys.readouterr().err

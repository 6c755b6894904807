from collections.abc import Callable

import pytest

from seps.evaluation.harness import MEASURES, main


@pytest.mark.parametrize("name", MEASURES)
def test_each_measure_has_its_own_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--measure", name, "--help"])
    assert ended.value.code == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"Measure {MEASURES[name][0]}." in printed
    assert all(f" {other} {title}" in printed for other, (title, _) in MEASURES.items())
    assert ("--similarity" in printed) == (name == "pooled")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measure", "rank"], "invalid choice: 'rank' (choose from"),
        (["--meas", "clips", "--model", "scenes", "--data", "x"], "unrecognized arguments: --meas"),
        ([], "the following arguments are required: --model, --data"),
        (["--measure", "ensemble"], "the following arguments are required: --files"),
        (["--measure", "ensemble", "--files", "a.npy", "b.npy", "--data", "x"], "unrecognized arguments: --data"),
        (["--measure", "clips", "--model", "scenes", "--count", "0"], "--count is 0"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, refusal: Callable[..., str]) -> None:
    assert message in refusal(main, arguments)

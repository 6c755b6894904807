import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from demo.__main__ import main as run_demo
from seps.common.cli import MOST, finite_number, whole_number
from seps.generator.program import main as generator_main
from seps.scenes.__main__ import main as scenes_main

HUGE = "9" * 400


def demo_main(arguments: list[str]) -> None:
    sys.exit(run_demo(arguments))


def test_numbers_are_read() -> None:
    assert [whole_number(text) for text in ("3", "-7", " 12 ", str(MOST))] == [3, -7, 12, MOST]
    assert [finite_number(text) for text in ("3", "-.5", "1e3")] == [3.0, -0.5, 1000.0]


@pytest.mark.parametrize("text", [f"-{HUGE}", "9" * 5000, str(MOST + 1), "1.5", "", "nan"])
def test_what_is_no_whole_number_is_told(text: str) -> None:
    with pytest.raises(Exception, match=r"is given, but a whole number is needed|is too large, at most \d+") as caught:
        whole_number(text)
    assert len(str(caught.value)) < 120
    with pytest.raises(Exception, match="is given, but a finite number is needed"):
        finite_number("1e999")


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (scenes_main, ["--out", "SCENES", "--count", HUGE]),
        (demo_main, ["generate", "a dog", "-o", "x.png", "--guidance", "1e999"]),
        (generator_main, ["--mode", "t2i", "--text", "a dog", "--output", "x.png", "--steps", HUGE]),
    ],
)
def test_programs_end_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    program: Callable[..., Any],
    arguments: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        program(arguments)
    assert ended.value.code == 2
    *_, line = capsys.readouterr().err.strip().splitlines()
    assert "needed" in line or "too large" in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("module", "arguments", "near"),
    [
        ("seps.generator.program", ["--mode", "i2t", "--imgae", "x.png"], "--image"),
        ("seps.training.command", ["tiny", "--data", "d", "--out", "o", "--worker_count=3"], "--workers"),
        ("seps.data.convert", ["x.json", "--to", "d", "--zzz=x"], None),
        ("seps.data.convert", ["x.json", "--to", "d", "--channels", "x"], None),  # only --help has its dashes
    ],
)
def test_an_option_that_is_not_there_names_the_nearest(
    module: str, arguments: list[str], near: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        import_module(module).main(arguments)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "unrecognized arguments: " in error
    assert (f"; did you mean {near}?\n" in error) if near else ("did you mean" not in error)

import sys
from argparse import ArgumentTypeError
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from demo.__main__ import main as run_demo
from seps.common.cli import MOST, finite_number, whole_number

HUGE = "9" * 400


def test_numbers_are_read_or_refused_in_short() -> None:
    assert [whole_number(text) for text in ("3", "-7", " 12 ", str(MOST))] == [3, -7, 12, MOST]
    assert [finite_number(text) for text in ("3", "-.5", "1e3")] == [3.0, -0.5, 1000.0]
    for text in (f"-{HUGE}", str(MOST + 1), "1.5"):
        with pytest.raises(ArgumentTypeError, match=r"but a whole number is needed|is too large, at most") as caught:
            whole_number(text)
        assert len(str(caught.value)) < 120
    with pytest.raises(ArgumentTypeError, match="is given, but a finite number is needed"):
        finite_number("1e999")


TRAINING = ["tiny", "--data", "d", "--out", "o"]


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        ("seps.scenes.__main__", ["--out", "SCENES", "--count", HUGE], "too large"),
        ("demo", ["generate", "a dog", "-o", "x.png", "--guidance", "1e999"], "needed"),
        ("seps.training.command", [*TRAINING, "--worker_count=3"], "--worker_count; did you mean --workers?"),
        ("seps.data.convert", ["x.json", "--to", "d", "--channels", "x"], "--channels"),  # only --help has its dashes
    ],
)
def test_programs_end_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    module: str,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    program: Any = (lambda words: sys.exit(run_demo(words))) if module == "demo" else import_module(module).main
    with pytest.raises(SystemExit) as ended:
        program(arguments)
    assert ended.value.code == 2
    *_, line = capsys.readouterr().err.strip().splitlines()
    assert message in line and ("did you mean" in line) == ("did you mean" in message)
    assert list(tmp_path.iterdir()) == []

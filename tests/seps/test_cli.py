"""Options of every program: invalid numbers are reported, never a traceback."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from demo.__main__ import main as demo_main
from seps.cli import MOST, finite_number, whole_number
from seps.generator.program import main as generator_main
from seps.scenes.__main__ import main as scenes_main

ROOT = Path(__file__).parents[2]
HUGE = "9" * 400


def test_numbers_are_read() -> None:
    assert [whole_number(text) for text in ("3", "-7", " 12 ", str(MOST))] == [3, -7, 12, MOST]
    assert [finite_number(text) for text in ("3", "-.5", "1e3")] == [3.0, -0.5, 1000.0]


@pytest.mark.parametrize("text", [HUGE, f"-{HUGE}", "9" * 5000, str(MOST + 1), "1.5", "x", "", "nan", "1e3"])
def test_what_is_no_whole_number_is_told(text: str) -> None:
    with pytest.raises(Exception, match=r"is given, but a whole number is needed|is too large, at most \d+") as caught:
        whole_number(text)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "x", "", HUGE * 2])
def test_what_is_no_finite_number_is_told(text: str) -> None:
    with pytest.raises(Exception, match="is given, but a finite number is needed"):
        finite_number(text)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (scenes_main, ["--out", "SCENES", "--count", HUGE]),
        (scenes_main, ["--out", "SCENES", "--seed", HUGE]),
        (demo_main, ["generate", "a dog", "-o", "x.png", "--seed", HUGE]),
        (demo_main, ["generate", "a dog", "-o", "x.png", "--steps", f"-{HUGE}"]),
        (demo_main, ["generate", "a dog", "-o", "x.png", "--guidance", "1e999"]),
        (generator_main, ["--mode", "t2i", "--text", "a dog", "--output", "x.png", "--steps", HUGE]),
        (generator_main, ["--mode", "t2i", "--text", "a dog", "--output", "x.png", "--seed", HUGE]),
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


def test_every_option_that_is_a_number_is_read_so() -> None:
    read = 0
    for file in [ROOT / "app.py", *(ROOT / "seps").rglob("*.py"), *(ROOT / "demo").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("add_argument"):
                kinds = [ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg == "type"]
                assert not {"int", "float"} & set(kinds), f"{file}: {ast.unparse(node)}"
                read += kinds[:1] in (["whole_number"], ["finite_number"])
    assert read > 30


@pytest.mark.parametrize(
    ("module", "arguments", "near"),
    [
        ("seps.generator.program", ["--mode", "i2t", "--imgae", "x.png"], "--image"),
        ("seps.generator.program", ["train", "scenes", "--data", "d", "--out", "o", "--chache", "x"], "--cache"),
        ("seps.judge.program", ["train", "quick", "--data", "d", "--out", "o", "--batch_size", "3"], "--batch-size"),
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


@pytest.mark.parametrize(
    ("module", "arguments", "meaning"),
    [
        (
            "seps.generator.program",
            ["--mode", "t2i", "--text", "x", "--device", "cuda"],
            "not needed: uses a GPU if available",
        ),
        (
            "seps.judge.program",
            ["score", "x.png", "--prompt", "x", "--device", "cuda"],
            "not needed: uses a GPU if available",
        ),
        ("seps.data.convert", ["x.json", "--out", "d"], "--to is meant"),
    ],
)
def test_an_option_of_other_programs_is_answered(
    module: str, arguments: list[str], meaning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        import_module(module).main(arguments)
    assert f"; {meaning}" in capsys.readouterr().err


def test_every_program_of_the_library_names_the_nearest_option() -> None:
    files = [file for file in (ROOT / "seps").rglob("*.py") if file.name != "cli.py"]
    assert [str(file) for file in files if "argparse.ArgumentParser(" in file.read_text()] == []

"""The table of names that others have for what is here: every name of ours exists."""

from __future__ import annotations

import inspect
import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from seps import SEPSLoss
from seps.__main__ import COMMANDS, main

PAGE = (Path(__file__).parents[1] / "assets" / "guide" / "names.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("## The loss")[0]
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in TABLE.splitlines() if line.startswith("| ")]
OURS = [re.findall(r"`([^`]+)`", row[1]) for row in ROWS[1:]]
NAMES = sorted({name for names in OURS for name in names if name.startswith("seps.")})
PROGRAMS = sorted({name for names in OURS for name in names if name.startswith("python -m ")})


def lookup(name: str) -> Any:
    """What a dotted name stands for; AttributeError where there is none."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        with suppress(ModuleNotFoundError):
            value: Any = import_module(".".join(parts[:count]))
            for part in parts[count:]:
                field = part in getattr(value, "__annotations__", {})  # a dataclass's without a default
                value = value.__annotations__[part] if field else getattr(value, part)
            return value
    raise AttributeError(name)


def test_the_table_is_whole() -> None:
    assert len(ROWS) >= 40
    assert all(len(names) == 1 for names in OURS)
    assert len(NAMES) + len(PROGRAMS) > 30


@pytest.mark.parametrize("name", NAMES)
def test_each_name_of_ours_exists(name: str) -> None:
    assert lookup(name) is not None


def test_a_name_that_is_not_there_is_seen() -> None:
    for name in ("seps.method.losses.Nothing", "seps.nothing.at.all"):
        with pytest.raises(AttributeError):
            lookup(name)


@pytest.mark.parametrize("line", PROGRAMS)
def test_each_program_of_ours_takes_its_options(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, *arguments = line.removeprefix("python -m seps.").split()
    assert name in COMMANDS
    commands = [argument for argument in arguments if not argument.startswith("--")]
    with pytest.raises(SystemExit) as ended:
        main([name, *commands, "--help"])
    assert ended.value.code == 0
    words = re.findall(r"--?[\w-]+", capsys.readouterr().out)
    assert {argument for argument in arguments if argument.startswith("--")} <= set(words)


def test_the_loss_is_told_as_its_class_tells_it() -> None:
    table = [line for line in (inspect.getdoc(SEPSLoss) or "").splitlines() if line.startswith("|")]
    assert len(table) > 5
    assert PAGE.rstrip().endswith("\n".join(table))

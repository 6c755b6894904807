"""The names that others have for what is here: every name of ours exists, and theirs are answered with ours."""

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
from seps.fields import Fields

PAGE = (Path(__file__).parents[1] / "assets" / "guide" / "names.md").read_text(encoding="utf-8")
ITEM = re.compile(r"^- (.*(?:\n  .*)*)", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
Row = tuple[list[str], str]  # names elsewhere, and ours


def rows_of(text: str) -> list[tuple[str, str]]:
    """What stands before and after "here" in each item of a list, in one line each."""
    pairs = [" ".join(item.split()).split(": here ") for item in ITEM.findall(text)]
    assert all(len(pair) == 2 for pair in pairs)
    return [(there, here) for there, here in pairs]


LISTS, _, LOSS = PAGE.partition("## The loss")
ROWS: list[Row] = [(CODE.findall(there), here) for there, here in rows_of(LISTS)]
OURS = [CODE.findall(here.partition("; ")[0]) for _, here in ROWS]
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


def test_the_list_is_whole() -> None:
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


def keys_elsewhere() -> dict[str, type[Fields]]:
    """Of each key of a recipe that others have, the section whose key has its place."""
    keys: dict[str, type[Fields]] = {}
    for names, here in ROWS:
        module, _, field = CODE.findall(here)[0].rpartition(".")
        section = lookup(module) if module.startswith("seps.") else None
        if module.endswith("config"):
            section = lookup(f"{module}.{field}")  # a whole config
        if isinstance(section, type) and issubclass(section, Fields):
            plain = [name.removeprefix("opt.").removeprefix("--") for name in names if name.islower()]
            keys |= {name: section for name in plain if name not in section.__dataclass_fields__}
    return keys


KEYS = keys_elsewhere()


@pytest.mark.parametrize("key", KEYS)
def test_each_key_of_others_is_answered_with_what_is_meant(key: str) -> None:
    with pytest.raises(ValueError, match=rf"has the key {key}: .* is meant"):
        KEYS[key].from_dict({key: 1})


def test_keys_of_every_trainer_are_among_them() -> None:
    assert {section.__name__ for section in KEYS.values()} >= {"TrainSettings", "JudgeConfig", "JudgeSettings", "Stage"}
    assert KEYS.keys() >= {"warmup_alpha", "use_refinement", "w_q", "freeze_bert", "recon_weight", "sparse_ratio"}


def options_elsewhere() -> list[tuple[str, str]]:
    """Each option that others have, with the program that has its place."""
    programs = {"seps.training": "train", "seps.judge": "judge", "seps.generator": "generator"}
    rows = []
    for names, here in ROWS:
        name = CODE.findall(here)[0].removeprefix("python -m ")
        for module, program in programs.items():
            if name.startswith((module, f"seps.{program}")):
                rows += [(option, program) for option in names if option.startswith("--")]
    return rows


OPTIONS = options_elsewhere()
NEEDED = {
    "train": ["recipe", "--data", "d", "--out", "o"],
    "judge": ["train", "quick", "--data", "d", "--out", "o"],
    "generator": ["--mode", "i2t", "--image", "i"],
}


@pytest.mark.parametrize(("option", "program"), OPTIONS)
def test_each_option_of_others_is_taken_or_answered_with_what_is_meant(
    option: str, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([program, *NEEDED[program], option, "1"])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    answered = re.search(rf"arguments: {option}; (.* is meant|.*give --set |.* is not given|did you mean --)", error)
    assert answered or f"arguments: {option}" not in error


def test_options_of_every_trainer_are_among_them() -> None:
    assert {program for _, program in OPTIONS} == set(NEEDED)
    names = {name for name, _ in OPTIONS}
    assert {"--num_epochs", "--sparse_ratio", "--w_q", "--partial_freeze", "--checkpoint"} <= names


def test_the_loss_is_told_as_its_class_tells_it() -> None:
    table = [line for line in (inspect.getdoc(SEPSLoss) or "").splitlines() if line.startswith("| ")][1:]
    assert len(table) > 5
    assert [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in table] == rows_of(LOSS)


def test_no_table_makes_it_wider_than_a_phone() -> None:
    assert not re.search(r"^\||^```|^    \S", PAGE, re.MULTILINE)

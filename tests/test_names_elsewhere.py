"""The names that others have for what is here: every name of ours exists, and theirs are answered with ours."""

from __future__ import annotations

import inspect
import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import seps
from seps import HOMES, SEPSLoss, method
from seps.__main__ import COMMANDS, main
from seps.elsewhere import MODEL_METHODS
from seps.fields import Fields

PAGE = (Path(__file__).parents[1] / "assets" / "guide" / "names.md").read_text(encoding="utf-8")
ITEM = re.compile(r"^- (.*(?:\n  .*)*)", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
Row = tuple[list[str], str]  # names elsewhere, and ours


def rows_of(text: str) -> list[tuple[str, str]]:
    """The text before and after "here" in each item of a list, in one line each."""
    pairs = [" ".join(item.split()).split(": here ") for item in ITEM.findall(text)]
    assert all(len(pair) == 2 for pair in pairs)
    return [(there, here) for there, here in pairs]


LISTS, _, LOSS = PAGE.partition("## The loss")
ROWS: list[Row] = [(CODE.findall(there), here) for there, here in rows_of(LISTS)]
OURS = [CODE.findall(here.partition("; ")[0]) for _, here in ROWS]
NAMES = sorted({name for names in OURS for name in names if name.startswith("seps.")})
PROGRAMS = sorted({name for names in OURS for name in names if name.startswith("python -m ")})


def lookup(name: str) -> Any:
    """The object of a dotted name; AttributeError if it does not exist."""
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
    """For each key of other recipes, the section with the matching key."""
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


AUTHORS_FILES = next(names for names, here in ROWS if here.startswith("`seps.method`;"))


@pytest.mark.parametrize("name", AUTHORS_FILES)
def test_a_module_of_the_authors_is_answered_with_the_import_that_is_meant(name: str) -> None:
    forms = {
        "seps": (f"import {name}", f"from {name} import SEPSLoss", f"import seps.{name}", f"from seps import {name}"),
        "seps.method": (f"from seps.method import {name}", f"from seps.method.{name} import SEPSLoss"),
    }
    for package, lines in forms.items():
        for line in lines:
            with pytest.raises(ModuleNotFoundError, match=rf"from {package} import CrossSparseAggrNet, SEPSLoss"):
                exec(line)
    assert not hasattr(seps, name)


def test_a_module_of_the_authors_that_is_there_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "seps_modules_local.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert import_module("seps_modules_local").VALUE == 1


@pytest.mark.parametrize("program", ["train", "judge", "generator"])
@pytest.mark.parametrize("option", ["--num_workers", "--num-workers"])
def test_workers_of_other_programs_are_answered_by_every_trainer(
    program: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = {"train": ["photos"], "judge": ["train", "quick"], "generator": ["train", "scenes"]}[program]
    with pytest.raises(SystemExit):
        main([program, *recipe, "--data", "d", "--out", "o", option, "4"])
    assert re.search(rf"{option}; (--workers is meant|none is needed: pictures)", capsys.readouterr().err)


def test_equations_are_named_with_their_sections_of_the_paper() -> None:
    sections = dict(re.findall(r"^- equations? \((\d)\).*?section ([\d.]+\d)", PAGE, re.MULTILINE))
    assert sections == {"1": "3.2.1", "4": "3.2.2", "5": "3.3", "6": "3.3", "7": "3.3"}
    for module, section in (("selection", "3.2.1"), ("aggregation", "3.2.2"), ("alignment", "3.3"), ("losses", "3.3")):
        assert f"section {section}" in (import_module(f"seps.method.{module}").__doc__ or "")


def test_the_public_names_of_the_method_are_imported_from_its_package() -> None:
    for module, names in method.HOMES.items():
        assert HOMES[f"seps.method.{module}"].split() == sorted(names.split(), key=HOMES[f"seps.method.{module}"].index)
        assert all(getattr(method, name) is getattr(seps, name) for name in names.split())
    assert {f"seps.method.{module}" for module in method.HOMES} == {m for m in HOMES if m.startswith("seps.method.")}


def test_a_method_of_the_released_model_is_answered_with_what_is_meant() -> None:
    model = seps.load_model("scenes")
    for name, here in MODEL_METHODS.items():
        with pytest.raises(AttributeError, match=re.escape(f"{name} is {here} here")):
            getattr(model, name)
    assert not hasattr(model, "forward_sim")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        model.nothing  # noqa: B018


def test_no_table_makes_it_wider_than_a_phone() -> None:
    assert not re.search(r"^\||^```|^    \S", PAGE, re.MULTILINE)

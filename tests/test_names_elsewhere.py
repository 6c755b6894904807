"""The names that others have for what is here: every name of ours exists, and theirs are answered with ours."""

import re
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

import seps
from seps.__main__ import main
from seps.common.elsewhere import MODEL_METHODS
from seps.common.fields import Fields
from tests.helpers.models.tiny import tiny_model

PAGE = (Path(__file__).parents[1] / "assets" / "guide" / "names.md").read_text(encoding="utf-8")
ITEM = re.compile(r"^- (.*(?:\n  .*)*)", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
Row = tuple[list[str], str]  # names elsewhere, and ours


def rows_of(text: str) -> list[tuple[str, str]]:
    """The text before and after the colon in each item of a list, in one line each."""
    pairs = [" ".join(item.split()).split(": ") for item in ITEM.findall(text)]
    assert all(len(pair) == 2 for pair in pairs)
    return [(there, here) for there, here in pairs]


ROWS: list[Row] = [(CODE.findall(there), here) for there, here in rows_of(PAGE)]
OURS = [CODE.findall(here.partition("; ")[0]) for _, here in ROWS]
NAMES = sorted({name for names in OURS for name in names if name.startswith("seps.")})


def lookup(name: str) -> Any:
    """The object of a dotted name; AttributeError if it does not exist."""
    owner, _, last = name.rpartition(".")
    fields = getattr(resolve_name(owner), "__annotations__", {})  # a dataclass's field may have no default
    return fields[last] if last in fields else resolve_name(name)


def test_each_name_of_ours_exists() -> None:
    assert len(NAMES) > 20 and all(lookup(name) is not None for name in NAMES)


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


def test_each_key_of_others_is_answered_with_what_is_meant() -> None:
    keys = keys_elsewhere()
    assert len(keys) > 10
    for key, section in keys.items():
        with pytest.raises(ValueError, match=rf"has the key {key}: .* is meant"):
            section.from_dict({key: 1})


NEEDED = {
    "train": ["recipe", "--data", "d", "--out", "o"],
    "judge": ["train", "quick", "--data", "d", "--out", "o"],
    "generator": ["--mode", "i2t", "--image", "i"],
}
PLACES = {"seps.train": "train", "seps.judge": "judge", "seps.generator": "generator"}  # by how our name begins
OPTIONS = [
    (option, program)
    for names, here in ROWS
    for place, program in PLACES.items()
    if CODE.findall(here)[0].removeprefix("python -m ").startswith(place)
    for option in names
    if option.startswith("--")
]


@pytest.mark.parametrize(("option", "program"), OPTIONS)
def test_each_option_of_others_is_taken_or_answered_with_what_is_meant(
    option: str, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([program, *NEEDED[program], option, "1"])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "are required" not in error  # else NEEDED lacks an argument
    answered = re.search(rf"arguments: {option}; (.* is meant|.*give --set |.* is not given|did you mean --)", error)
    assert answered or f"arguments: {option}" not in error


AUTHORS_FILES = next(names for names, here in ROWS if here.startswith("`seps.method`;"))


@pytest.mark.parametrize("name", AUTHORS_FILES)
def test_a_module_of_the_authors_is_answered_with_the_import_that_is_meant(name: str) -> None:
    lines = (f"import {name}", f"import seps.{name}", f"from seps import {name}", f"from seps.method import {name}")
    for line in lines:
        package = "seps.method" if "method" in line else "seps"
        with pytest.raises(ModuleNotFoundError, match=rf"from {package} import CrossSparseAggrNet, SEPSLoss"):
            exec(line)
    assert not hasattr(seps, name)


def test_a_method_of_the_released_model_is_answered_with_what_is_meant(bert: Path) -> None:
    model = tiny_model(bert)
    for name, here in MODEL_METHODS.items():
        with pytest.raises(AttributeError, match=re.escape(f"{name} is {here} here")):
            getattr(model, name)
    assert not hasattr(model, "forward_sim")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        model.nothing  # noqa: B018

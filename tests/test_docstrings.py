"""Docstrings begin with a verb and are true: of the fields and rooms that are there, and of who reads JSON."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import torch

import seps
from seps.method.losses import align_loss
from tests.helpers.sentences import refused

ROOT = Path(__file__).parents[1]
FILES = [*sorted((ROOT / "seps").rglob("*.py")), *sorted((ROOT / "demo").rglob("*.py"))]


def untrue(source: str) -> list[str]:
    """What the attributes of dataclasses leave out, and what they tell of that is not there."""
    result = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ClassDef) or "dataclass" not in " ".join(map(ast.unparse, node.decorator_list)):
            continue
        section = re.search(r"^(?:Attributes|Args):\n((?: .*\n?|\n)+)", ast.get_docstring(node) or "", re.MULTILINE)
        if section is None:
            continue
        fields = {
            item.target.id for item in node.body if isinstance(item, ast.AnnAssign) and hasattr(item.target, "id")
        }
        there = fields | {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        named = [
            re.split(r", | and ", part.strip().partition(":")[0])
            for part in re.split(r"\n|; |\. ", section[1])
            if ":" in part
        ]
        unknown = [name for names in named if all(map(str.isidentifier, names)) for name in names if name not in there]
        result += [f"{node.name}.{name} is not there" for name in unknown]
        result += [f"{node.name}.{name} has no word" for name in fields if not re.search(rf"\b{name}\b", section[1])]
    return result


def test_fields_are_told_and_none_that_is_not_there() -> None:
    assert {str(file.relative_to(ROOT)): untrue(file.read_text()) for file in FILES if untrue(file.read_text())} == {}


def test_what_is_untrue_is_seen() -> None:
    source = (
        '@dataclass(frozen=True)\nclass A:\n    """A.\n\n    Attributes:\n        place: of it; b, c: two.\n    """\n'
    )
    source += "    index: int\n    b: int\n    c: int\n"
    assert untrue(source) == ["A.place is not there", "A.index has no word"]


# What a noun or a clause begins with, but no verb.
NO_VERBS = {
    "The",
    "A",
    "An",
    "Its",
    "Each",
    "Every",
    "All",
    "Some",
    "Both",
    "One",
    "Two",
    "No",
    "Whether",
    "How",
    "What",
    "Where",
    "Which",
    "Who",
    "When",
}


def without_verb(source: str) -> list[str]:
    """The public functions, properties apart, whose docstring begins with no verb."""
    return [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (not node.name.startswith("_") or node.name.startswith("__"))
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
        and (ast.get_docstring(node) or "Nothing").split()[0] in NO_VERBS
    ]


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    named = {str(file.relative_to(ROOT)): without_verb(file.read_text()) for file in FILES}
    assert {file: names for file, names in named.items() if names} == {}


def test_a_docstring_without_a_verb_is_seen() -> None:
    source = 'def rank():\n    """The ranking."""\ndef score():\n    """Score a pair."""\n'
    source += '@property\ndef size():\n    """The size."""\ndef _kept():\n    """The kept ones."""\n'
    assert without_verb(source) == ["rank"]


def untrue_arguments(source: str) -> list[str]:
    """What docstrings tell of arguments that functions, or classes' `__init__`, do not take."""
    result = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        section = re.search(r"^Args:\n((?: .*\n?)+)", ast.get_docstring(node) or "", re.MULTILINE)
        body = node.body if isinstance(node, ast.ClassDef) else [node]
        functions = [item for item in body if isinstance(item, ast.FunctionDef)]
        function = next((item for item in functions if item.name in (node.name, "__init__")), None)
        if section is None or function is None:
            continue
        taken = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
        first = re.findall(r"^    (?! )(.+)", section[1], re.MULTILINE)  # a line for each, or several behind semicolons
        named = [part.partition(":")[0].split(", ") for line in first for part in line.split("; ") if ":" in part]
        result += [
            f"{node.name} does not take {name}"
            for names in named
            if all(map(str.isidentifier, names))
            for name in names
            if name not in taken
        ]
    return result


def test_arguments_are_called_what_they_are_told_as() -> None:
    sources = {str(file.relative_to(ROOT)): file.read_text() for file in FILES}
    assert {name: untrue_arguments(text) for name, text in sources.items() if untrue_arguments(text)} == {}


def test_an_argument_that_is_not_there_is_seen() -> None:
    doc = '"""F.\n\n    Args:\n        own, first: (N,), in [0, 1]; place: of it.\n            more: of it.\n    """'
    assert untrue_arguments(f"def f(first, *, index):\n    {doc}\n") == [
        "f does not take own",
        "f does not take place",
    ]
    doc = '"""A.\n\n    Args:\n        share: of it.\n    """'
    assert untrue_arguments(f"class A:\n    {doc}\n    def __init__(self, shard): ...\n") == ["A does not take share"]


def test_the_package_tells_of_every_room() -> None:
    rooms = {
        path.stem for path in (ROOT / "seps").iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    rooms |= {"configs"}
    assert seps.__doc__ is not None
    assert rooms - {"__init__"} == rooms & set(re.findall(r"`(\w+)`", seps.__doc__))


def test_the_library_reads_json_in_one_place() -> None:
    readers = {
        str(file.relative_to(ROOT))
        for file in FILES
        if file.is_relative_to(ROOT / "seps") and re.search(r"json\.loads?\((?!json\.dumps)", file.read_text())
    }
    assert readers == {"seps/checks.py"}


def test_an_error_names_the_argument_as_it_is_called() -> None:
    with refused(ValueError):
        align_loss(torch.zeros(2, 3))
    with refused(ValueError):
        align_loss(torch.zeros(2, 2), img_ids=[1, 2, 3])

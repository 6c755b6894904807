"""Names are the field's: words of our own that were renamed do not come back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("seps", "demo", "tests")
WRITTEN = {  # fields by whose names results files hold their numbers
    ("seps/evaluation/grounding/contrast_report.py", "own"),
    ("seps/evaluation/grounding/curves.py", "shares"),
}
INSTEAD = {
    "beforehand": "precomputed",
    "chance": "rng",
    "found": "result, match, or what it is",
    "found_rule": "unmatched_rule",
    "found_words": "unmatched_words",
    "foundrule": "UnmatchedRule",
    "image_side": "encode_images",
    "odds": "bernoulli",
    "one": "the noun",
    "own": "the noun",
    "said": "description, message",
    "share": "attribution, fraction, shard",
    "shares": "attributions, fractions, shards",
    "some": "the noun",
    "spoil": "distort",
    "told": "description, message",
    "untold": "uncond",
    "wanted": "target",
}
BEGINNINGS = {"least_": "MIN_...", "most_": "MAX_..."}
ENDING = "at_once"  # batch_size, or what is counted

NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
SCRIPT_NAME = re.compile(r"(?<![\w.$-])(one|told|said|found|wanted)\b(?! ?:)")  # not keys of what Python sends


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that a file gives to something, with its line: variables, arguments, attributes, functions, classes,
    modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname, 0


def instead_of(name: str) -> str | None:
    """What the field says where a name is a word of our own; None where it is not."""
    plain = name.strip("_").lower()
    if plain.endswith(ENDING) and not plain.startswith("test_"):
        return "batch_size, or what is counted"
    beginnings = (better for beginning, better in BEGINNINGS.items() if plain.startswith(beginning))
    return INSTEAD.get(plain) or next(beginnings, None)


@pytest.mark.parametrize("folder", FOLDERS)
def test_words_of_our_own_do_not_come_back(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert len(files) > 50
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: {name} -> {better}"
        for file in files
        for name, line in bound_names(ast.parse(file.read_text(encoding="utf-8")))
        if (better := instead_of(name)) and (file.relative_to(ROOT).as_posix(), name) not in WRITTEN
    ]
    assert wrong == []


def test_nor_do_they_in_scripts() -> None:
    files = sorted((ROOT / "assets/js").rglob("*.js"))
    assert len(files) > 50
    wrong = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in SCRIPT_NAME.findall(NO_CODE.sub("", file.read_text(encoding="utf-8")))
    ]
    assert wrong == []
    assert SCRIPT_NAME.findall(NO_CODE.sub("", 'const told = one(a.found, "said"); // wanted')) == ["told", "one"]


def test_names_are_seen_wherever_they_are_bound() -> None:
    source = (
        "def told(one, *, share=1): found: int = 1\n"
        "class Own: some = 2\n"
        "self.chance = [said for said in ()]\n"
        "import x as wanted\n"
        "MOST_WORDS = LEAST_WORDS = PHOTOS_AT_ONCE = 1\n"
        "print(spoil, odds(), x.found)\n"  # used, not bound
    )
    words = {name for name, _ in bound_names(ast.parse(source)) if instead_of(name)}
    assert words == {
        *("told", "one", "share", "found", "Own", "some", "chance", "said", "wanted"),
        *("MOST_WORDS", "LEAST_WORDS", "PHOTOS_AT_ONCE"),
    }
    assert instead_of("test_scored_at_once") is instead_of("foundation") is instead_of("only_one") is None

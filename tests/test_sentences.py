"""Whole sentences of errors: a test fails wherever its own is not in the file of its room, and writing is stable."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

pytest_plugins = ("pytester",)

TESTS = Path(__file__).resolve().parent
HEAD = """import pytest
from tests.helpers.sentences import refused

def refuse(text, kind=ValueError):
    raise kind(text)
"""
REFUSE = "\n    with refused(ValueError):\n        "
FILE = "tests/room/sentences.json"


class Room:
    """A room of tests that is run by a pytest of its own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester, self.file = pytester, pytester.path / FILE
        self.file.parent.mkdir(parents=True)
        pytester.makeini("[pytest]")
        pytester.makeconftest("pytest_plugins = ('tests.helpers.sentences',)")

    def test(self, body: str, name: str = "test_a", head: str = "", file: str = "test_some.py") -> None:
        """Write the one test of a file."""
        (self.file.parent / file).write_text(f"{HEAD}\n{head}\ndef {name}{body}\n")

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run pytest; give how many tests passed, and its output."""
        result = self.pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)
        output = result.stdout.str() + result.stderr.str()
        passed = re.search(r"(\d+) passed", output)
        return int(passed[1]) if passed else 0, output

    def write(self, *arguments: str) -> dict[str, str | list[str]]:
        """Write the file; give what it holds."""
        assert self.run("--write-sentences", *arguments)[0]
        entries: dict[str, str | list[str]] = json.loads(self.file.read_text(encoding="utf-8"))
        return entries


@pytest.fixture
def room(pytester: pytest.Pytester) -> Room:
    """An empty room."""
    return Room(pytester)


def test_another_sentence_fails_and_is_written_when_that_is_asked(room: Room) -> None:
    room.test("():" + REFUSE + "refuse('It is 1.')")
    assert "no further sentence" in room.run()[1]
    assert room.write() == {"test_some.py::test_a": "It is 1."}
    assert room.run()[0] == 1
    for text in ("It is 1", "It is 1. ", "It is 2."):
        room.test(f"():{REFUSE}refuse('{text}')")
        passed, output = room.run()
        assert not passed and re.search(rf"\nE +{re.escape(text)}\nE +but .*\nE +It is 1\.\n", output)
    assert room.write() == {"test_some.py::test_a": "It is 2."}


def test_no_error_and_another_class_fail(room: Room) -> None:
    room.test("():" + REFUSE + "refuse('It is 1.')")
    room.write()
    room.test("():" + REFUSE + "pass")
    assert "DID NOT RAISE" in room.run()[1]
    room.test("():" + REFUSE + "refuse('It is 1.', TypeError)")
    passed, output = room.run()
    assert not passed and "TypeError: It is 1." in output
    room.test("():" + REFUSE + "pass")
    assert not room.run("--write-sentences")[0]
    assert json.loads(room.file.read_text()) == {"test_some.py::test_a": "It is 1."}  # as before the failure


def test_order_and_number_are_compared(room: Room) -> None:
    sentence = REFUSE + "refuse('{}')"
    texts = [sentence.format(text) for text in ("a", "b", "b", "a")]
    room.test("():" + "".join(texts))
    assert room.write() == {"test_some.py::test_a": ["a", "b", "a"]}  # twice running stands once
    assert room.run()[0] == 1
    for others in (texts[:3], texts[1:], [texts[1], texts[0], texts[3]], [*texts, texts[1]]):
        room.test("():" + "".join(others))
        assert not room.run()[0]
    room.test("(): pass")
    passed, output = room.run()
    assert not passed and "was not raised:\n" in output
    room.test("(): pytest.skip('not here')")
    assert "1 skipped" in room.run()[1]


def test_writing_is_stable_and_knows_no_temporary_folder(room: Room) -> None:
    room.test(
        "(tmp_path, x):" + REFUSE + "refuse(f'{tmp_path}/{x}.json and {__file__}: \\u00e9')",
        head="@pytest.mark.parametrize('x', [2, 1])",
    )
    text = "TMP/{}.json and REPO/tests/room/test_some.py: \u00e9"
    expected = {f"test_some.py::test_a[{x}]": text.format(x) for x in (1, 2)}
    assert room.write() == expected and list(room.write()) == list(expected)
    content = room.file.read_bytes()
    room.write("--basetemp", str(room.pytester.path / "other"))
    assert room.file.read_bytes() == content and "\u00e9".encode() in content
    assert room.run()[0] == 2
    assert room.run("-n", "1")[0] == 2
    assert "from one process" in room.run("-n", "2", "--write-sentences")[1]


def test_writing_a_part_keeps_the_rest_and_the_whole_drops_what_is_gone(room: Room) -> None:
    refuse = "():" + REFUSE + "refuse('a')"
    room.test(refuse, file="test_some.py")
    room.test(refuse, file="test_other.py")
    both = room.write()
    assert list(both) == ["test_other.py::test_a", "test_some.py::test_a"]
    room.test(refuse, name="test_b", file="test_some.py")
    assert list(room.write("tests/room/test_some.py")) == [*both, "test_some.py::test_b"]
    assert list(room.write("-k", "test_b")) == ["test_other.py::test_a", "test_some.py::test_b"]
    room.test("(): pass", name="test_b", file="test_some.py")
    assert list(room.write("tests/room")) == ["test_other.py::test_a"]


@pytest.mark.parametrize("file", sorted(TESTS.rglob("sentences.json")), ids=lambda file: file.parent.name)
def test_the_files_hold_sentences_of_tests_that_are_there(file: Path) -> None:
    entries = json.loads(file.read_text(encoding="utf-8"))
    assert entries and list(entries) == sorted(entries)
    for name in entries:
        module, _, test = name.partition("::")
        tree = ast.parse((file.parent / module).read_text(encoding="utf-8"))
        assert test.partition("[")[0] in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, name

from __future__ import annotations

import pickle
import unicodedata
from pathlib import Path

import pytest

from seps.cli import print_error
from seps.text import ListError, find_file, nfc, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a dog.png", "a dog.png"),
        ("café 花 👩\u200d🚒", "café 花 👩\u200d🚒"),
        ("\x1b]0;title\x07\x9b2J", r"\x1b]0;title\x07\x9b2J"),
        ("one\ntwo\r\tthree\x00", r"one\ntwo\r\tthree\x00"),
        ("gpj.\u202ephoto\u2066\u061c", r"gpj.\u202ephoto\u2066\u061c"),
        ("a\u2028b\u2029c\x85d", r"a\u2028b\u2029c\x85d"),
        ("half \ud800", r"half \ud800"),
        ("bytes \udcff", r"bytes \xff"),
        (Path("a\nb"), r"a\nb"),
        (ValueError("no\x1bfile"), r"no\x1bfile"),
    ],
)
def test_control_and_bidirectional_characters_become_escapes(text: object, shown: str) -> None:
    assert printable(text) == shown


def test_an_error_keeps_its_list_of_problems_and_forges_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    error = ListError("two problems:", "  the first", "  \x1b[2Jthe second\nerror: forged")
    assert print_error(pickle.loads(pickle.dumps(error))) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["error: two problems:", "  the first", r"  \x1b[2Jthe second\nerror: forged"]
    assert print_error(ValueError("a\n  b")) == 2
    assert capsys.readouterr().err.splitlines() == [r"error: a\n  b"]


def test_a_file_is_found_in_the_unicode_form_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / unicodedata.normalize("NFD", "été")
    folder.mkdir()
    file = folder / unicodedata.normalize("NFD", "café.png")
    file.touch()
    assert find_file(tmp_path / nfc("été") / nfc("café.png")) == file
    assert find_file(file) == file
    other = tmp_path / "été" / "thé.png"
    assert find_file(other) == other

import pickle
from pathlib import Path

import pytest

from seps.common.cli import print_error
from seps.common.text import ListError, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("café 花 👩\u200d🚒", "café 花 👩\u200d🚒"),
        ("\x1b]0;title\x07\x9b2J", r"\x1b]0;title\x07\x9b2J"),
        ("one\ntwo\r\tthree\x00", r"one\ntwo\r\tthree\x00"),
        ("gpj.\u202ephoto\u2066\u061c", r"gpj.\u202ephoto\u2066\u061c"),
        ("a\u2028b\u2029c\x85d", r"a\u2028b\u2029c\x85d"),
        ("half \ud800", r"half \ud800"),
        ("bytes \udcff", r"bytes \xff"),
        (Path("a\nb"), r"a\nb"),
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

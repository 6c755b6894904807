from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from seps.spreadsheet import csv_content, harmless, plain_text

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@b.png", "\t=1", " =1+1", "\uff1d1+1", "\uff20x", "=HYPERLINK(1)"]
)
def test_no_cell_is_a_formula(text: str) -> None:
    assert harmless(text) == "'" + text
    assert plain_text("'" + text) == text


@pytest.mark.parametrize("value", ["a=b", "", " ", "'tis", -1, 0.5, None])
def test_other_cells_stay(value: object) -> None:
    assert harmless(value) == value
    assert not isinstance(value, str) or plain_text(value) == value


def test_a_table_has_a_byte_order_mark_and_a_line_for_each_row() -> None:
    content = csv_content(("=photo", "score"), [("a\n1,b\x1b.png", 0.5), ("花", -1)])
    assert content.startswith(b"\xef\xbb\xbf")
    assert len(content.splitlines()) == 3
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert rows == [["'=photo", "score"], [r"a\n1,b\x1b.png", "0.5"], ["花", "-1"]]


def test_no_other_module_writes_csv() -> None:
    numbers = "seps/runs/run_log.py"  # metrics.csv has numbers only, and is read again by the next epoch
    writing = {
        file.relative_to(ROOT).as_posix()
        for package in ("seps", "demo")
        for file in (ROOT / package).rglob("*.py")
        if re.search(r"csv\.(?:writer|DictWriter)\(", file.read_text(encoding="utf-8"))
    }
    assert writing == {"seps/spreadsheet.py", numbers}

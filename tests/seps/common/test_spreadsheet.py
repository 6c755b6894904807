import csv
import io

import pytest

from seps.common.spreadsheet import csv_content, harmless, plain_text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@b.png", "\t=1", " =1+1", "\uff1d1+1"])
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

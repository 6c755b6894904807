"""CSV files for spreadsheets: UTF-8 with a byte order mark, and no text that is executed as a formula."""

import csv
import io
from collections.abc import Iterable, Sequence

from seps.common.text import printable

FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # the last four are full-width forms, which spreadsheets also accept
MARK = "'"


def csv_content(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Format a table as CSV with one line per row and without cells that a spreadsheet would execute."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(map(harmless, columns))
    writer.writerows([harmless(value) for value in row] for row in rows)
    return buffer.getvalue().encode("utf-8-sig")


def harmless(value: object) -> object:
    """Return a cell's value with control characters escaped and formulas marked as text."""
    if not isinstance(value, str):
        return value
    text = printable(value, keep="\t")
    return MARK + text if _is_formula(text) else text


def plain_text(cell: str) -> str:
    """Return the original text of a cell that `csv_content` marked as text."""
    return cell[1:] if cell.startswith(MARK) and _is_formula(cell[1:]) else cell


def _is_formula(text: str) -> bool:
    return text[:1] == "\t" or (text.lstrip()[:1] in FORMULA and bool(text.strip()))

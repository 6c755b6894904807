"""Tables as CSV files: UTF-8, commas between the cells, headings on the first line."""

import csv
from io import StringIO
from pathlib import Path

from seps.common.checks import read_utf8

OTHER_MARKS = {";": "semicolons", "\t": "tabs", "|": "bars"}
LISTED = 5  # lines that a message names

Table = tuple[tuple[str, ...], list[tuple[int, dict[str, str]]]]


def read_table(path: Path) -> Table:
    """Read a CSV file: headings, and per row its line number and stripped cells by heading (missing: "")."""
    text = read_utf8(path.read_bytes())
    head = first_line(text)
    for mark, name in OTHER_MARKS.items():
        if head.count(mark) > head.count(","):
            raise ValueError(f"its cells are separated by {name}: save it with commas (and points in numbers)")
    return parse_table(text)


def first_line(text: str) -> str:
    """Return the first line of a text, "" if it is empty."""
    return next(iter(text.splitlines()), "")


def parse_table(text: str, mark: str = ",") -> Table:
    """Read a table's text; as `read_table`, with any mark between the cells."""
    reader = csv.reader(StringIO(text, newline=None), delimiter=mark, skipinitialspace=True, strict=True)
    rows, longer = [], []
    try:
        headings = tuple(name.strip() for name in next(reader, []))
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped[len(headings) :]):
                longer.append(reader.line_num)
            if cells:
                filled = stripped + [""] * (len(headings) - len(cells))
                rows.append((reader.line_num, dict(zip(headings, filled, strict=False))))
    except csv.Error as error:
        reason = f"line {reader.line_num}: {error}"
        if "unexpected end" in str(error):
            reason = "a quotation mark is never closed"
        raise ValueError(f"it is no CSV ({reason})") from error
    if longer:
        named = ", ".join(map(str, longer[:LISTED])) + (", ..." if len(longer) > LISTED else "")
        raise ValueError(
            f"rows have more cells than its {len(headings)} headings (line {named}): put text that holds "
            f"{({',': 'commas'} | OTHER_MARKS)[mark]} into quotation marks"
        )
    return headings, rows

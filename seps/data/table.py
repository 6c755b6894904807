"""Tables as CSV files: UTF-8, commas between the cells, headings on the first line."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

from seps.checks import read_utf8

OTHER_MARKS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def read_table(path: Path) -> tuple[tuple[str, ...], list[tuple[int, dict[str, str]]]]:
    """Read a table.

    Returns:
        Its headings, and each row's line in the file with its cells by heading, without spaces around either; a cell
        that lacks is "".

    Raises:
        OSError: a file that cannot be read.
        ValueError: another encoding, or other marks between the cells than commas; a clause, without the file's name.
    """
    text = read_utf8(path.read_bytes())
    head = next(iter(text.splitlines()), "")
    for mark, name in OTHER_MARKS.items():
        if head.count(mark) > head.count(","):
            raise ValueError(f"its cells are separated by {name}: save it with commas (and points in numbers)")
    try:
        reader = csv.DictReader(StringIO(text, newline=None), restkey="", restval="", skipinitialspace=True)
        reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
        rows = [(reader.line_num, {name: str(cell).strip() for name, cell in row.items()}) for row in reader]
    except csv.Error as error:
        raise ValueError(f"it is no CSV ({error})") from error
    return tuple(reader.fieldnames), rows

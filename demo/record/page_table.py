"""What the page carries in its head for its scripts: the table of what is said, and the table of layers."""

from __future__ import annotations

import json
from collections.abc import Collection

from demo.record import layer_table
from demo.record.table import LESSON, TABLE, symbols


def table_tag(measures: Collection[str] | None = None, lesson: Collection[str] = ()) -> str:
    """Both tables as an element of the page's head; arguments as in `table_data`."""
    data = table_data(measures, lesson).replace("<", chr(92) + "u003c")
    return f'<script type="application/json" id="seps-table">{data}</script>'


def table_data(measures: Collection[str] | None = None, lesson: Collection[str] = ()) -> str:
    """Both tables, with the symbols in MathML, as JSON.

    `measures`: the names of those that the page can ask for; all of them where left out. `lesson`: sections of what the
    lesson says, for a page that fills them in itself.
    """
    rows = layer_table.LAYERS
    layers = [row.for_page() for row in rows if measures is None or row.measure is None or row.name in measures]
    tables = TABLE | {name: LESSON[name] for name in lesson} | {"symbols": symbols(), "layers": layers}
    return json.dumps(tables, ensure_ascii=False, separators=(",", ":"))

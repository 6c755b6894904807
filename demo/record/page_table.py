"""What the page carries in its head for its scripts: the table of what is said, and the table of layers."""

from __future__ import annotations

import json

from demo.record import layer_table
from demo.record.table import TABLE, symbols


def table_tag() -> str:
    """Both tables, with the symbols in MathML: an element of the page's head."""
    layers = [row.for_page() for row in layer_table.LAYERS]
    tables = TABLE | {"symbols": symbols(), "layers": layers}
    data = json.dumps(tables, ensure_ascii=False, separators=(",", ":"))
    return f'<script type="application/json" id="seps-table">{data.replace("<", chr(92) + "u003c")}</script>'

"""Data in the page's head for its scripts: the table of texts, in both languages, and the table of layers."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from demo.record.layers import layer_table
from demo.record.texts import table as texts
from demo.record.texts.language import PHRASES

LANGUAGE_SCRIPT = Path(__file__).resolve().parents[3] / "assets" / "opening" / "language.js"


def language_tags(lesson: Collection[str] = (), unused: Collection[str] = ()) -> str:
    """Return the script that reads the page's language, and the Chinese tables; arguments as in `table_data`."""
    chinese = _without(texts.CHINESE_TABLE, unused) | {name: texts.CHINESE_LESSON[name] for name in lesson}
    chinese = texts.page_table(chinese, texts.CHINESE_WORDS) | {"phrases": PHRASES}
    script = LANGUAGE_SCRIPT.read_text(encoding="utf-8")
    return f"<script>\n{script}</script>\n{data_tag('seps-table-zh', compact(chinese))}"


def table_tag(measures: Collection[str] | None = None, **options: Any) -> str:
    """Return both tables in English as an element of the page's head; arguments as in `table_data`."""
    return data_tag("seps-table", table_data(measures, **options))


def data_tag(name: str, data: str) -> str:
    """JSON as an element of the page that is called `name`."""
    return f'<script type="application/json" id="{name}">{data.replace("<", chr(92) + "u003c")}</script>'


def table_data(
    measures: Collection[str] | None = None,
    lesson: Collection[str] = (),
    words: bool = False,
    unused: Collection[str] = (),
) -> str:
    """Return both tables in English, with the symbols in MathML, as JSON. `measures`: those that the page can request,
    default all; `lesson`, `unused`: sections that a page needs, or not; `words`: with the strings of
    assets/js/words."""
    rows = layer_table.LAYERS
    layers = [row.for_page() for row in rows if measures is None or row.measure is None or row.name in measures]
    table = _without(texts.TABLE, unused) | {name: texts.LESSON[name] for name in lesson}
    table = texts.page_table(table, texts.WORDS) if words else table
    return compact(table | {"symbols": texts.symbols(), "layers": layers})


def _without(table: texts.Table, sections: Collection[str]) -> texts.Table:
    return {name: rows for name, rows in table.items() if name not in sections}


def compact(value: Any) -> str:
    """Return a value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

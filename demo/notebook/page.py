"""A view as a page of its own, in one file, and as a frame inside a notebook."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from html import escape
from typing import Any

from demo.notebook.script import single_script
from demo.record.page_table import table_data
from demo.server.static import ASSETS, style_sheets

PAGE = ASSETS / "notebook" / "page.html"
IN_NOTEBOOKS = ("notebook.js", ("viewer.css",))
VIEWS = {  # the entry and the style sheets of each view
    "viewer": IN_NOTEBOOKS,
    "compare": IN_NOTEBOOKS,
    "why": ("single.js", ("viewer.css", "why.css")),
    "lesson": ("single.js", ("viewer.css", "lesson.css")),
}
START = 640  # CSS pixels, the height of a frame until its script gives it that of what it holds


def page(component: str, value: dict[str, Any], title: str, theme: str = "auto") -> str:
    """Return a page that needs no server, no network and no other file.

    Args:
        component: of VIEWS; value: what it draws.
        title: of the page; theme: light, dark, or auto for that of what the page stands in.
    """
    entry, sheets = VIEWS[component]
    shown = json.dumps({"component": component, "value": value, "theme": theme}, ensure_ascii=False)
    parts = {
        "<!--TITLE-->": escape(title),
        "/*STYLE*/": style_sheets(sheets),
        "/*TABLE*/": packed(table_data(())),
        "/*SHOWN*/": packed(shown),
        "/*SCRIPT*/": single_script(entry),
    }
    text = PAGE.read_text(encoding="utf-8")
    for place, content in parts.items():
        text = text.replace(place, content, 1)
    return text


def packed(text: str) -> str:
    """Return a text, compressed, in base64."""
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def frame(page: str, title: str, picture: str) -> str:
    """Return a page as a frame in a notebook's output.

    Args:
        page: whole; title: what a screen reader calls the frame.
        picture: the data URL of a picture of it, for hosts that take scripts and frames out; the page's script removes
            it where it runs.
    """
    content = page.replace("&", "&amp;").replace("'", "&#39;")
    name = escape(title)
    return (
        f'<div><iframe title="{name}" style="display:block;width:100%;height:{START}px;border:0" '
        f"srcdoc='{content}'></iframe>"
        f'<img alt="{name}" style="max-width:100%" src="{picture}"></div>'
    )

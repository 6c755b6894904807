"""A view as a single-file page, and as a frame in a notebook."""

import gzip
import json
import re
from base64 import b64encode
from functools import lru_cache
from graphlib import TopologicalSorter
from html import escape
from typing import Any

from demo.record.layers.page_table import table_data
from demo.server.files.static import ASSETS, imports_of, reached, scripts, style_sheets

PAGE = ASSETS / "notebook" / "page.html"
IN_NOTEBOOKS = ("notebook.js", ("viewer.css",))
VIEWS = {  # the entry and the style sheets of each view
    "viewer": IN_NOTEBOOKS,
    "compare": IN_NOTEBOOKS,
    "why": ("single.js", ("viewer.css", "why.css")),
    "lesson": ("single.js", ("viewer.css", "lesson.css")),
}
UNUSED = ("generate", "judge", "loss", "edit", "camera", "video", "timeline")  # sections of the table of texts
START = 640  # initial height of a frame in CSS pixels, until its page reports the height of its content
# Replaces the picture by the frame if scripts run. A sandboxed frame cannot access its host, so it sends its height.
REPLACE = (
    "const f=document.createElement('iframe');f.title=this.alt;f.srcdoc=this.dataset.srcdoc;"
    f"f.style.cssText='display:block;width:100%;height:{START}px;border:0';this.replaceWith(f);"
    "window.addEventListener('message',e=>{if(e.source===f.contentWindow&amp;&amp;e.data.sepsHeight>0)"
    "f.style.height=Math.ceil(e.data.sepsHeight)+'px'})"
)

IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+"(\.[^"]+)";$', re.MULTILINE)
DECLARED = re.compile(r"^export (?=(?:async function|function|const|class)\s+(\w+))", re.MULTILINE)
LISTED = re.compile(r"^export \{([\w\s,]*)\};$", re.MULTILINE)
NEEDLESS = re.compile(r"^(?:\s*//.*\n|\s+)", re.MULTILINE)  # comments, and room before a line
OTHER = re.compile(r"^\s*(?:import|export)\b.*|\bimport\(|\bimport\.meta\b", re.MULTILINE)


def page(component: str, value: dict[str, Any], title: str, theme: str = "auto") -> str:
    """Return a page that needs no server, network or other file; `component` of VIEWS, `theme` light, dark or auto."""
    entry, sheets = VIEWS[component]
    shown = json.dumps({"component": component, "value": value, "theme": theme}, ensure_ascii=False)
    parts = {
        "<!--TITLE-->": escape(title),
        "/*STYLE*/": style_sheets(sheets),
        "/*TABLE*/": packed(table_data((), unused=UNUSED)),
        "/*SHOWN*/": packed(shown),
        "/*SCRIPT*/": single_script(entry),
    }
    text = PAGE.read_text(encoding="utf-8")
    for place, content in parts.items():
        text = text.replace(place, content, 1)
    return text


def packed(text: str) -> str:
    """Compress a text and encode it in base64."""
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def frame(page: str, title: str, picture: str) -> str:
    """Embed a complete page in a notebook's output; `picture`: the data URL of one for hosts that run no scripts."""
    content = page.replace("&", "&amp;").replace("'", "&#39;")
    return (
        f'<div><img alt="{escape(title)}" style="max-width:100%" src="{picture}" onload="{REPLACE}" '
        f"data-srcdoc='{content}'></div>"
    )


@lru_cache(maxsize=4)
def single_script(entry: str) -> str:
    """Bundle a module of assets/js with its imports as an inline script: a notebook has no URLs of modules, and VS Code
    runs only inline scripts. ValueError for unsupported import or export syntax."""
    sources = {name: scripts()[name].decode() for name in reached(entry)}
    imports = {name: imports_of(name, source) for name, source in sources.items()}
    parts = [wrap_module(name, sources[name]) for name in TopologicalSorter(imports).static_order()]
    return "const modules = {};\n" + "".join(parts).replace("</script", "<\\/script")


def wrap_module(name: str, source: str) -> str:
    """Wrap a module in an immediately called function that returns its exports."""
    source = NEEDLESS.sub("", source)
    listed = [part.strip() for names in LISTED.findall(source) for part in names.split(",")]
    exports = [*DECLARED.findall(source), *filter(None, listed)]

    def declare(match: re.Match[str]) -> str:
        names = match[1]
        taken = names.partition(" as ")[2] if names.startswith("*") else names.replace(" as ", ": ")
        return f'const {taken} = modules["{imports_of(name, match[0])[0]}"];'

    body = LISTED.sub("", DECLARED.sub("", IMPORT.sub(declare, source)))
    if other := OTHER.search(body):
        raise ValueError(
            f"{name} has {other[0].strip()!r}, which no single script can hold: see demo/notebook/page.py."
        )
    return f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {", ".join(exports)} }};\n}})();\n'

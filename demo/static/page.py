"""The page's HTML, its service worker, and the card of a static Space."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demo.record.packing import DESCRIPTION
from demo.record.page_table import compact, data_tag, language_tags, table_tag
from demo.screens.parts import NO_POOL
from demo.screens.photos.view import DENSE_NOTE
from demo.server.static import STYLES, own_page, scripts, style_sheets
from demo.service.measures import MEASURES
from demo.static.lesson import SECTIONS

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "static"
ENTRY, WORKER = "static.js", "engine/worker.js"
LATER = tuple(f"static/{view}.js" for view in ("captions", "compare", "lesson", "losses"))  # opened later
UNUSED = ("edit.css", "generate.css", "timeline.css", "video.css")  # of views that are not here
MEASURED = ("effect", "blanked")  # the measures that the page can make
HUB_MODELS = {
    "photos": ("timm/tf_efficientnet_lite2.in1k", "sentence-transformers/all-MiniLM-L6-v2"),
    "scenes": (),
}


def static_page(
    parts: dict[str, str], galleries: Sequence[dict[str, Any]], engine_bytes: int, gpu_bytes: int, ideas: str = ""
) -> str:
    """Return the page.

    Args:
        parts: the folders of scripts, libraries, models and galleries by name; galleries: as `write_opened` gives them.
        engine_bytes: of the libraries, which come with the first model; gpu_bytes: of those with WebGPU, which
            come where they are used; ideas: HTML of the three ideas for About.
    """
    entry = f"{parts['js']}/{ENTRY}"
    values = {
        "parts": parts,
        "galleries": list(galleries),
        "scripts": sorted({name for entry in (ENTRY, WORKER, *LATER) for name in reached(entry)}),
        "engine_bytes": engine_bytes,
        "gpu_bytes": gpu_bytes,
        "description": DESCRIPTION,
        "no_pool": NO_POOL,
        "measures": {measure.name: measure.meaning for measure in MEASURES},
    }
    links = [f'<link rel="modulepreload" href="{parts["js"]}/{name}">' for name in preloaded()]
    tags = [
        language_tags(SECTIONS),
        table_tag(MEASURED, SECTIONS),
        *links,
        f'<script type="module" src="{entry}"></script>',
    ]
    content = {
        "/*STYLE*/": style_sheets(sheets()),
        "<!--IDEAS-->": ideas,
        "<!--DENSE-->": DENSE_NOTE,
        "<!--SCRIPTS-->": "\n".join(tags),
        "<!--SITE-->": data_tag("site", compact(values)),
    }
    return own_page(ASSETS / "page.html", content)


def sheets() -> list[str]:
    """Return the names of the style sheets."""
    return sorted(file.name for file in STYLES.glob("*.css") if file.name not in UNUSED)


def preloaded() -> list[str]:
    """Return the modules that the entry imports, directly or by another one."""
    return reached(ENTRY)


def reached(entry: str) -> list[str]:
    """Return a module and those that it imports, directly or by another one."""
    known, waiting = scripts(), [entry]
    names: list[str] = []
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.append(name)
        waiting += imports_of(name, known[name].decode())
    return sorted(names)


def imports_of(name: str, source: str) -> list[str]:
    """Return the modules that a module imports by name, as paths below assets/js."""
    folder = Path(name).parent
    paths = [part.partition('"')[0] for part in source.split(' from "')[1:]]
    return [normal((folder / path).parts) for path in paths if path.startswith(".")]


def normal(parts: Sequence[str]) -> str:
    """Return a path without "..": "viewer/../base/dom.js" is "base/dom.js"."""
    clean: list[str] = []
    for part in parts:
        if part == "..":
            clean.pop()
        elif part != ".":
            clean.append(part)
    return "/".join(clean)


def worker_script() -> str:
    """Return the service worker, which lets the page work without a network."""
    return (ASSETS / "offline.js").read_text(encoding="utf-8")


def space_card(models: Sequence[str]) -> str:
    """Return the README.md that makes the folder a static Space."""
    named = [f"  - {name}" for model in models for name in HUB_MODELS[model]]
    lines = [
        "---",
        "title: SEPS Explorer, without a server",
        "emoji: 🔎",
        "colorFrom: green",
        "colorTo: gray",
        "sdk: static",
        "app_file: index.html",
        "license: mit",
        "short_description: Which patches of a photo does a caption keep?",
        *(["models:", *named] if named else []),
        "---",
        "",
        "This page runs its models in the visitor's own browser: nothing that is typed or opened here leaves it.",
    ]
    return "\n".join(lines) + "\n"

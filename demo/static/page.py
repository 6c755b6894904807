"""The HTML, service worker and Space card of the static page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demo.page import html
from demo.record.packing import DESCRIPTION
from demo.record.page_table import compact, data_tag, language_tags, table_tag
from demo.screens.parts import NO_POOL
from demo.screens.photos.view import DENSE_NOTE
from demo.server.static import STYLES, build_own_page, reached, style_sheets
from demo.service.measures import MEASURES
from demo.static.lesson import SECTIONS

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "static"
ENTRY, WORKER = "static.js", "engine/worker.js"
BROWSER_ENGINE = "engine/browser.js"
LATER = tuple(f"static/{view}.js" for view in ("captions", "compare", "lesson", "losses"))  # opened later
UNUSED = ("edit.css", "generate.css", "timeline.css", "video.css")  # of views that are not here
UNUSED_WORDS = ("generate", "judge")
MEASURED = ("effect", "blanked")  # the measures that the page can make
HUB_MODELS = {
    "photos": ("timm/tf_efficientnet_lite2.in1k", "sentence-transformers/all-MiniLM-L6-v2"),
    "scenes": (),
}


def site_values(
    parts: dict[str, str],
    galleries: Sequence[dict[str, Any]],
    engine_bytes: int,
    gpu_bytes: int,
    entries: Sequence[str],
) -> dict[str, Any]:
    """Return what the page's scripts know from the start; `entries` are the modules from which all others are reached,
    the other arguments as for `static_page`."""
    return {
        "parts": parts,
        "galleries": list(galleries),
        "scripts": sorted({name for entry in (*entries, WORKER) for name in reached(entry)}),
        "engine_bytes": engine_bytes,
        "gpu_bytes": gpu_bytes,
        "description": DESCRIPTION,
        "no_pool": NO_POOL,
        "measures": {measure.name: measure.meaning for measure in MEASURES},
    }


def new_static_page(
    parts: dict[str, str], galleries: Sequence[dict[str, Any]], engine_bytes: int, gpu_bytes: int
) -> str:
    """Return the page that the app serves with `--page`, its models in the browser; arguments as for `static_page`."""
    first = galleries[0]["first"]
    ranking = first["ranking"]
    example = {
        "gallery": galleries[0]["name"],
        "chips": first["captions"],
        "index": ranking["selected"],
        "items": ranking["lists"][0]["items"],
        "viewer": first["viewer"],
    }
    entries = (html.ENTRY, BROWSER_ENGINE, *html.PLACES)
    site = site_values(parts, galleries, engine_bytes, gpu_bytes, entries) | {"engine": "browser", "example": example}
    modules = {name: f"{parts['js']}/{name}" for entry in entries[:2] for name in reached(entry)}
    return html.page(site, modules, f"{parts['js']}/{html.ENTRY}", MEASURED, SECTIONS)


def static_page(
    parts: dict[str, str], galleries: Sequence[dict[str, Any]], engine_bytes: int, gpu_bytes: int, ideas: str = ""
) -> str:
    """Return the page's HTML.

    Args:
        parts: the folders of scripts, libraries, models and galleries by name; galleries: from `write_opened`.
        engine_bytes: size of the libraries, loaded with the first model; gpu_bytes: size of those with WebGPU, loaded
            on use; ideas: HTML of the three ideas for About.
    """
    entry = f"{parts['js']}/{ENTRY}"
    values = site_values(parts, galleries, engine_bytes, gpu_bytes, (ENTRY, *LATER))
    links = [f'<link rel="modulepreload" href="{parts["js"]}/{name}">' for name in preloaded()]
    tags = [
        language_tags(SECTIONS, unused=UNUSED_WORDS),
        table_tag(MEASURED, SECTIONS, unused=UNUSED_WORDS),
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
    return build_own_page(ASSETS / "page.html", content)


def sheets() -> list[str]:
    """Return the names of the style sheets."""
    return sorted(file.name for file in STYLES.glob("*.css") if file.name not in UNUSED)


def preloaded() -> list[str]:
    """Return the modules that the entry imports, directly or indirectly."""
    return reached(ENTRY)


def worker_script() -> str:
    """Return the service worker, which lets the page work offline."""
    return (ASSETS / "offline.js").read_text(encoding="utf-8")


def space_card(models: Sequence[str]) -> str:
    """Return the README.md of a static Space."""
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

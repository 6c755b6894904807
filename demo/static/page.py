"""The HTML, service worker and Space card of the static page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demo.page import html
from demo.record.packing import DESCRIPTION
from demo.server.static import reached
from demo.service.measures import MEASURES
from demo.static.lesson import SECTIONS
from demo.views.state import NO_POOL

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "static"
WORKER = "engine/worker.js"
BROWSER_ENGINE = "engine/browser.js"
MEASURED = ("effect", "blanked")  # the measures that the page can make
HUB_MODELS = {
    "photos": ("timm/tf_efficientnet_lite2.in1k", "sentence-transformers/all-MiniLM-L6-v2"),
    "scenes": (),
}


def static_page(parts: dict[str, str], galleries: Sequence[dict[str, Any]], engine_bytes: int, gpu_bytes: int) -> str:
    """Return the page's HTML, its models in the browser.

    Args:
        parts: the folders of scripts, libraries, models and galleries by name; galleries: from `write_opened`.
        engine_bytes: size of the libraries, loaded with the first model; gpu_bytes: size of those with WebGPU, loaded
            on use.
    """
    first = galleries[0]["first"]
    ranking = first["ranking"]
    example = {
        "gallery": galleries[0]["name"],
        "chips": first["captions"],
        "index": ranking["selected"],
        "items": ranking["lists"][0]["items"],
        "viewer": first["viewer"],
    }
    entries = (html.ENTRY, BROWSER_ENGINE)
    site = {
        "parts": parts,
        "galleries": list(galleries),
        "scripts": sorted({name for entry in (*entries, *html.PLACES, WORKER) for name in reached(entry)}),
        "engine_bytes": engine_bytes,
        "gpu_bytes": gpu_bytes,
        "description": DESCRIPTION,
        "no_pool": NO_POOL,
        "measures": {measure.name: measure.meaning for measure in MEASURES},
        "engine": "browser",
        "example": example,
    }
    modules = {name: f"{parts['js']}/{name}" for entry in entries for name in reached(entry)}
    return html.page(site, modules, f"{parts['js']}/{html.ENTRY}", MEASURED, SECTIONS)


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

"""The HTML, service worker and Space card of the static page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demo.page import html
from demo.record.packing import DESCRIPTION
from demo.server.files.static import reached
from demo.service.measuring.measures import MEASURES
from demo.static.lesson import SECTIONS
from demo.views.state import NO_POOL

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "static"
ENTRIES = (html.ENTRY, "engine/browser.js")  # the modules from which all that the first view needs are reached
WORKER = "engine/onnx/worker.js"
PLACES = tuple(name for name in html.PLACES if not name.startswith("lab/"))
UNUSED = ("edit", "generate", "judge")  # words and style sheets of what needs the app
MEASURED = ("effect", "blanked")  # the measures that the page can make
HUB_MODELS = {"photos": ("timm/tf_efficientnet_lite2.in1k", "sentence-transformers/all-MiniLM-L6-v2"), "scenes": ()}


def static_page(parts: dict[str, str], galleries: Sequence[dict[str, Any]], engine_bytes: int, gpu_bytes: int) -> str:
    """Return the HTML of the app's page with models in the browser. `parts`: folders by name; `galleries`: from
    `write_opened`; sizes of the libraries without and with WebGPU."""
    references = []  # with only those parts of the worked examples that the page checks its models against
    for gallery in galleries:
        viewer, index = gallery["first"]["viewer"], gallery["first"]["ranking"]["selected"]
        checked = {"caption": viewer["caption"], "index": index, "similarity": viewer["similarity"]}
        facts = {name: value for name, value in gallery.items() if name != "credits"}
        references.append(facts | {"first": checked | {"photo": viewer["photo"]["src"]}})
    first = galleries[0]["first"]
    site = {
        "engine": "browser",
        "example": {  # before a model is there
            "gallery": galleries[0]["name"],
            "chips": first["captions"],
            "index": first["ranking"]["selected"],
            "items": first["ranking"]["lists"][0]["items"],
            "total": galleries[0]["total"],
            "viewer": first["viewer"],
        },
        "parts": parts,
        "galleries": references,
        "scripts": sorted({name for entry in (*ENTRIES, *PLACES, WORKER) for name in reached(entry)}),
        "engine_bytes": engine_bytes,
        "gpu_bytes": gpu_bytes,
        "description": DESCRIPTION,
        "no_pool": NO_POOL,
        "credits": [line for gallery in galleries for line in gallery["credits"]],
        "measures": {measure.name: measure.meaning for measure in MEASURES},
    }
    modules = {name: f"{parts['js']}/{name}" for entry in ENTRIES for name in reached(entry)}
    return html.page(site, modules, f"{parts['js']}/{html.ENTRY}", MEASURED, SECTIONS, UNUSED)


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

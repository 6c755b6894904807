"""The page's HTML, for the app, for the moments while it starts, and for a folder without a server."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from demo.record.layers.page_table import compact, data_tag, language_tags, table_tag
from demo.server.files.static import STYLES, build_own_page, reached, script_address, style_sheets

TITLE = "SEPS Explorer"
PAGE = Path(__file__).resolve().parents[2] / "assets" / "page.html"
ENTRY, ENGINE = "explorer.js", "engine/server.js"
PLACES = ("compare/view.js", "learn/view.js", "lab/view.js")  # modules that are fetched when their place is opened
SHEETS = tuple(  # of the modules that the page shares with the old one
    f"{name}.css"
    for name in ("viewer", "why", "lesson", "playground", "edit", "judge", "generate", "video", "timeline")
)
PREFIX = "gradio_api/pictures"  # a proxy passes everything below gradio_api on to Python
SIZES = ("thumb", "photo")
GALLERY = "examples"  # of the worked example


def app_page(example: dict[str, Any] | None) -> str:
    """Return the page of the app; `example`: from `demo.opening.first.first_view`, None begins without one."""
    names = [name for entry in (ENTRY, ENGINE) for name in reached(entry)]
    site = {"engine": "server", "example": None if example is None else addressed(example)}
    return page(site, {name: script_address(name) for name in dict.fromkeys(names)}, script_address(ENTRY))


def page(
    site: dict[str, Any],
    modules: dict[str, str],
    entry: str,
    measures: Collection[str] | None = None,
    lesson: Collection[str] = (),
    unused: Collection[str] = (),
) -> str:
    """Return the page. `site`: what its scripts know from the start; `modules`: addresses of what the entry imports, by
    name; `measures`, `lesson`: as for `table_data`; `unused`: words and style sheets that are left out."""
    links = [f'<link rel="modulepreload" href="{address}">' for address in modules.values() if address != entry]
    if site.get("example"):
        links.append(photo_tag(site["example"]["viewer"]["photo"]["src"]))
    words = [language_tags(lesson, unused), table_tag(measures, lesson=lesson, words=True, unused=unused)]
    content = {
        "/*STYLE*/": style_sheets(sheets(unused)),
        "<!--SCRIPTS-->": "\n".join([*words, *links, f'<script type="module" src="{entry}"></script>']),
        "<!--SITE-->": data_tag("site", compact(site)),
    }
    return build_own_page(PAGE, content)


def photo_tag(address: str) -> str:
    """Return a script that fetches the worked example's photograph early, if the page begins with it: without a
    query."""
    attributes = compact({"rel": "preload", "as": "image", "href": address, "fetchPriority": "high"})
    added = f'document.head.append(Object.assign(document.createElement("link"), {attributes}))'
    return f"<script>if (!location.search) {added}</script>"


def sheets(unused: Collection[str] = ()) -> Sequence[str]:
    """Return the names of the style sheets."""
    shared = [name for name in SHEETS if name.removesuffix(".css") not in unused]
    return [*shared, *sorted(file.relative_to(STYLES).as_posix() for file in (STYLES / "page").glob("*.css"))]


def addressed(view: dict[str, Any]) -> dict[str, Any]:
    """Return the first view as the page takes it, photographs by their addresses."""
    ranking, viewer = view["ranking"], view["viewer"]
    items = [
        {name: value for name, value in item.items() if name != "name"}
        | {"key": item["name"], "thumb": picture_address(GALLERY, "thumb", item["index"])}
        for item in ranking["items"]
    ]
    photo = {name: value for name, value in viewer["photo"].items() if name != "name"}
    photo["src"] = picture_address(GALLERY, "photo", ranking["selected"])
    return {
        "gallery": GALLERY,
        "chips": view["examples"],
        "index": ranking["selected"],
        "items": items,
        "viewer": viewer | {"photo": photo},
    }


def picture_address(gallery: str, size: str, index: int, digest: str = "") -> str:
    """Return the address of a gallery's photograph, relative to the page; another digest makes another address."""
    address = f"{PREFIX}/{gallery}/{size}/{index}"
    return f"{address}?{digest[:12]}" if digest else address

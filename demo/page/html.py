"""HTML of the page: in the app, while the app starts, and in the static page."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from demo.record.layers.page_table import compact, data_tag, language_tags, table_tag
from demo.server.files.static import STYLES, build_own_page, reached, script_address, style_sheets

TITLE = "SEPS Explorer"
PAGE = Path(__file__).resolve().parents[2] / "assets" / "page.html"
ENTRY, ENGINE = "explorer.js", "engine/server.js"
PLACES = ("compare/view.js", "learn/view.js", "lab/view.js")  # modules that are fetched when a visitor opens the view
SHEETS = tuple(  # style sheets outside assets/css/page
    f"{name}.css"
    for name in ("viewer", "why", "lesson", "playground", "edit", "judge", "generate", "video", "timeline")
)
PREFIX = "gradio_api/pictures"  # a proxy passes everything below gradio_api on to Python
SIZES = ("thumb", "photo")
GALLERY = "examples"  # of the worked example


def app_page(example: dict[str, Any] | None) -> str:
    """Return the page of the app, which starts with an example from `demo.opening.first.first_view`, if any."""
    names = [name for entry in (ENTRY, ENGINE) for name in reached(entry)]
    if example is not None:  # as the page takes it, with the photographs' addresses
        ranking, viewer = example["ranking"], example["viewer"]
        items = [
            {name: value for name, value in item.items() if name != "name"}
            | {"key": item["name"], "thumb": picture_address(GALLERY, "thumb", item["index"])}
            for item in ranking["items"]
        ]
        photo = {name: value for name, value in viewer["photo"].items() if name != "name"}
        photo["src"] = picture_address(GALLERY, "photo", ranking["selected"])
        shown = {"gallery": GALLERY, "chips": example["examples"], "index": ranking["selected"], "items": items}
        example = shown | {"viewer": viewer | {"photo": photo}}
    site = {"engine": "server", "example": example}
    return page(site, {name: script_address(name) for name in dict.fromkeys(names)}, script_address(ENTRY))


def page(
    site: dict[str, Any],
    modules: dict[str, str],
    entry: str,
    measures: Collection[str] | None = None,
    lesson: Collection[str] = (),
    unused: Collection[str] = (),
) -> str:
    """Return the page. `site`: data for the scripts, such as the engine and the example; `modules`: addresses of the
    modules that `entry` imports, by name, which are preloaded; `measures`, `lesson`: as for `table_data`; `unused`:
    names of the sections of words and of the style sheets that this page does not need."""
    links = [f'<link rel="modulepreload" href="{address}">' for address in modules.values() if address != entry]
    if site.get("example"):
        photo = {"rel": "preload", "as": "image", "href": site["example"]["viewer"]["photo"]["src"]}
        attributes = compact(photo | {"fetchPriority": "high"})
        added = f'document.head.append(Object.assign(document.createElement("link"), {attributes}))'
        links.append(f"<script>if (!location.search) {added}</script>")  # with a query another photograph is shown
    sheets = [name for name in SHEETS if name.removesuffix(".css") not in unused]
    sheets += sorted(file.relative_to(STYLES).as_posix() for file in (STYLES / "page").glob("*.css"))
    words = [language_tags(lesson, unused), table_tag(measures, lesson=lesson, words=True, unused=unused)]
    content = {
        "/*STYLE*/": style_sheets(sheets),
        "<!--SCRIPTS-->": "\n".join([*words, *links, f'<script type="module" src="{entry}"></script>']),
        "<!--SITE-->": data_tag("site", compact(site)),
    }
    return build_own_page(PAGE, content)


def picture_address(gallery: str, size: str, index: int, digest: str = "") -> str:
    """Return the address of a photograph of a gallery, relative to the page; with the photograph's digest it changes
    when the photograph does, so that browsers may cache it."""
    address = f"{PREFIX}/{gallery}/{size}/{index}"
    return f"{address}?{digest[:12]}" if digest else address

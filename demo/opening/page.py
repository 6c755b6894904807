"""The opening page: the app's own scripts and styles around the first view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from demo.record.page_table import compact, data_tag
from demo.server.static import build_own_page, script_tags

ASSETS = Path(__file__).resolve().parents[2] / "assets"
PAGE = ASSETS / "opening" / "page.html"


def opening_page(view: dict[str, Any] | None) -> str:
    """Return the page's HTML.

    Args:
        view: from `first_view`; None shows no example, only that the app is on its way.
    """
    data = data_tag("view", compact(None if view is None else addressed(view)))
    return build_own_page(PAGE, {"<!--SCRIPTS-->": script_tags("opening.js"), "<!--VIEW-->": data})


def addressed(view: dict[str, Any]) -> dict[str, Any]:
    """Return the first view with the addresses of its photographs, as the app's scripts take it."""
    ranking, photo = view["ranking"], view["viewer"]["photo"]
    items = [item | {"thumb": f"opening/thumb/{item['name']}"} for item in ranking["items"]]
    return {
        "examples": view["examples"],
        "ranking": {"selected": ranking["selected"], "lists": [{"title": "", "items": items}]},
        "viewer": view["viewer"] | {"photo": photo | {"src": f"opening/photo/{photo['name']}"}},
    }

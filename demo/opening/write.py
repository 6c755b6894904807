"""Computing the first view, with the app's own code."""

from __future__ import annotations

from typing import Any

from demo.opening.first import weights_digest
from demo.service.benches import Benches
from demo.views.parts import Shown
from demo.views.search import EXAMPLES, FIRST_CAPTION, rank_and_show

EXAMPLES_GALLERY = "examples"


def compute_first_view(benches: Benches) -> dict[str, Any]:
    """What the app shows on load, with names in the place of photographs; see `first_view`."""
    bench, indexed = benches.open(EXAMPLES_GALLERY)
    _, ranking, viewer, _ = rank_and_show(bench, indexed, FIRST_CAPTION, None, Shown())
    names = [item.key for item in indexed.gallery.items]
    items = [
        {name: value for name, value in item.items() if name != "thumb"} | {"name": names[item["place"]]}
        for item in ranking["lists"][0]["items"]
    ]
    photo = {name: value for name, value in viewer["photo"].items() if name != "src"}
    return {
        "weights": weights_digest(),
        "examples": list(EXAMPLES),
        "ranking": {"selected": ranking["selected"], "items": items},
        "viewer": {name: value for name, value in viewer.items() if name != "key"}
        | {"photo": photo | {"name": names[ranking["selected"]]}},
    }

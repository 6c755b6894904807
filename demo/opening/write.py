"""Computing the first view and the first drawing, with the app's own code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from demo.opening.first import weights_digest
from demo.page.addresses import CHIPS, GALLERY
from demo.service.generating.precomputed import PrecomputedDrawing
from demo.service.generating.service import GeneratingService
from demo.service.registry import ModelRegistry
from demo.views.generate.statements import recaption_statements
from demo.views.generate.values import EXAMPLES as DRAWN_EXAMPLES
from demo.views.generate.values import GenerateState
from demo.views.worked_example import worked_example

SEEDS = 4  # at most, that the first drawing is tried with
NEEDS_THE_APP = ("mask", "budget", "measures", "pending", "whatif")  # what the viewer asks Python for


def compute_first_view(registry: ModelRegistry, captions: Sequence[str] = CHIPS) -> dict[str, Any]:
    """Return what the app shows on load, with names in the place of photographs; see `first_view`.

    `captions`: what it offers, of which it shows the first.
    """
    service, indexed = registry.open(GALLERY)
    index, ranking, viewer = worked_example(service, indexed, captions[0])
    names = [item.key for item in indexed.gallery.items]
    items = [
        {name: value for name, value in item.items() if name != "thumb"} | {"name": names[item["index"]]}
        for item in ranking["lists"][0]["items"]
    ]
    photo = {name: value for name, value in viewer["photo"].items() if name != "src"}
    return {
        "weights": weights_digest(),
        "examples": list(captions),
        "ranking": {"selected": index, "items": items},
        "viewer": {name: value for name, value in viewer.items() if name not in ("key", *NEEDS_THE_APP)}
        | {"photo": photo | {"name": names[index]}},
    }


def draw_precomputed(generating: GeneratingService) -> PrecomputedDrawing:
    """Return the drawing with which the view "Generate" opens: its first example, as the view would draw it, with the
    first seed in whose picture the captioner reads all that the caption says, or most of it."""
    drawings: list[tuple[int, PrecomputedDrawing]] = []
    for seed in range(SEEDS):
        asked = GenerateState(caption=DRAWN_EXAMPLES[0], seed=seed).asked
        drawing = PrecomputedDrawing(asked, list(generating.draw(asked)))
        read = recaption_statements(generating.recaption(drawing.steps[-1].pictures[0], asked.text))
        drawings.append((sum(statement.verdict != "true" for statement in read), drawing))
        if drawings[-1][0] == 0:
            break
    return min(drawings, key=lambda row: row[0])[1]

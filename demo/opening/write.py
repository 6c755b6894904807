"""Computing the first view and the first drawing, with the app's own code."""

from typing import Any

from demo.galleries.gallery import first_captions
from demo.opening.first import weights_digest
from demo.page.html import GALLERY
from demo.service.generating.precomputed import PrecomputedDrawing
from demo.service.generating.service import GeneratingService
from demo.service.models.registry import ModelRegistry
from demo.views.generate.statements import recaption_statements
from demo.views.generate.values import EXAMPLES as DRAWN_EXAMPLES
from demo.views.generate.values import GenerateState
from demo.views.viewer import worked_example

SEED = 4  # of the first drawing: by eye the best of six
NEEDS_THE_APP = ("mask", "budget", "whatif")  # what the viewer asks Python for


def compute_first_view(registry: ModelRegistry) -> dict[str, Any]:
    """Compute the first view, with the names of photographs instead of addresses; see `first_view`."""
    service, indexed = registry.open(GALLERY)
    captions = first_captions(indexed.gallery)
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
        "viewer": {name: value for name, value in viewer.items() if name not in NEEDS_THE_APP}
        | {"photo": photo | {"name": names[index]}},
    }


def draw_precomputed(generating: GeneratingService) -> PrecomputedDrawing:
    """Draw the picture that Generate opens with, as the page would; ValueError if the captioner does not confirm every
    statement of its caption."""
    asked = GenerateState(caption=DRAWN_EXAMPLES[0], seed=SEED).asked
    drawing = PrecomputedDrawing(asked, list(generating.draw(asked)))
    read = recaption_statements(generating.recaption(drawing.steps[-1].pictures[0], asked.text))
    if any(statement["verdict"] != "true" for statement in read):
        raise ValueError(f"The captioner does not confirm all of “{asked.text}” with seed {SEED}: choose another one.")
    return drawing

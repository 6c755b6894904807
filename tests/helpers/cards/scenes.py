"""Tables of the card of the model of drawn scenes."""

from tests.helpers.cards.cells import Figures, recalls, table
from tests.helpers.cards.shared import KEPT, METHODS, SHORTER, contrast, contrast_pairs
from tests.helpers.cards.shared import grounding as grounding_table

__all__ = ["contrast", "contrast_pairs", "grounding", "kept", "misses", "retrieval"]

POINTING = {
    "energy_inside": "energy inside",
    "pointing_game": "pointing game",
    "deletion": "deletion (lower is better)",
    "insertion": "insertion (higher is better)",
}
QUERIES = {
    "all": "**SEPS**",
    "seen": "**SEPS**, queries of scenes with seen combinations",
    "unseen": "**SEPS**, queries of scenes with an unseen one",
}
RIVALS = {
    "scenes_pooled": "the same model, mean patch against mean word, no network",
    "all_patches": "the same without patch selection: all 196 patches kept (`recipe-4-all-patches.json`), "
    "without `recipe-5` to `recipe-7`",
    "pooled": "pooled two-tower (`recipe-4-pooled.json`), without `recipe-5` to `recipe-7`",
    "warmup_pooled": "pooled two-tower: the model after step 1",
}


def retrieval(results: Figures) -> str:
    """Recalls of the model, by type of query, and of its rivals."""
    rows = [[title, *recalls(results["scenes"]["recalls"][queries])] for queries, title in QUERIES.items()]
    rows += [[title, *recalls(results[rival]["recalls"]["all"])] for rival, title in RIVALS.items()]
    return table(["", "scene to text", "text to scene"], rows)


def misses(results: Figures) -> str:
    """How many captions were true of the scene that they were wrongly matched with."""
    first, second = (
        "{true:,} of {misses:,} misses (of {queries:,} queries)".format(**results["scenes"]["misses"][direction])
        for direction in ("image_to_text", "text_to_image")
    )
    return f"scene to text, {first};\ntext to scene, {second}."


def grounding(results: Figures) -> str:
    """Where each method's maps point."""
    return grounding_table(results, METHODS, POINTING)


def kept(results: Figures) -> str:
    """The first patches of each method."""
    return grounding_table(results, METHODS | SHORTER, KEPT)

"""Tables of the card of the model of photographs."""

from tests.helpers.cards.cells import Figures, recalls, table
from tests.helpers.cards.shared import KEPT, METHODS, SHORTER, contrast, contrast_pairs
from tests.helpers.cards.shared import grounding as grounding_table

__all__ = ["added_scores", "contrast", "contrast_pairs", "decision", "grounding", "kept", "retrieval"]

SCORES = ("seps", "pooled", "added")
TITLES = METHODS | {"seps": "**SEPS's word map**", "centre": "centred blob (pointing: central patches)"}
POINTING = {
    "energy_inside": "energy inside the boxes",
    "pointing_game": "pointing game",
    "deletion": "deletion",
    "insertion": "insertion",
}
RECIPES = {  # of the decision
    "before": "after step 2",
    "network_alone": "network only, blind 2, decision 0.3",
    "heads_too": "step 3: heads too, and all phrase losses",
    "class_names": "step 3 with 32 class names a step, blind 3",
    "network_and_s_p": "step 4 with the whole network learning and the loss on word maps",
    "shipped": "step 4: s^p only (the shipped weights)",
}
DENSE = {
    "captions_only": "captions only",
    "own_dense": "with its own dense caption",
    "other_dense": "with another image's dense caption",
}


def retrieval(dev: Figures, mllm: Figures, open_photos: Figures, examples: Figures) -> str:
    """Recalls on each split, with and without dense captions."""
    measured = [(split[name], title) for split in (dev, mllm) for name, title in DENSE.items() if name in split]
    rows = [("{split}, {images:,} images, {captions:,} captions; ".format(**m) + title, m) for m, title in measured]
    rows.append(("open_photos, 79 images, 395 captions; captions only", open_photos["pooled"]["seps"]))
    shown = examples["examples"]
    rows.append((f"{shown['images']} example photographs, {shown['captions']} captions", shown))
    cells = [[title, *recalls(figures), f"{figures['rsum']:.1f}"] for title, figures in rows]
    return table(["", "image to text", "text to image", "rSum"], cells)


def added_scores(dev: Figures, open_photos: Figures, labelled: Figures) -> str:
    """rSum of S(I, T), of pooled embeddings, and of both added."""
    named = labelled["labelled"]
    splits = {
        "dev": dev["pooled"],
        "open_photos": open_photos["pooled"],
        f"labelled, {named['photographs']} photographs": named,
    }
    titles = ["", "SEPS, S(I, T)", "pooled embeddings (mean patch against mean word)", "both added"]
    rows = [[title, *(f"{scores[name]['rsum']:.1f}" for name in SCORES)] for title, scores in splits.items()]
    return table(titles, rows)


def decision(results: Figures) -> str:
    """The kept patches of each decision recipe, and its ranking."""
    titles = ["", "contrast", "IoU", "rSum, first 300 of dev", "pooled", "labelled", "pooled"]
    rows = []
    for name, figures in results["recipes"].items():
        mask = figures["contrast"]
        kept_cells = [f"{mask['contrast']:.3f}", f"{mask['iou']:.3f}"]
        ranked = [f"{figures[split][score]:.1f}" for split in ("dev_300", "labelled") for score in ("seps", "pooled")]
        rows.append([RECIPES[name], *kept_cells, *ranked])
    return table(titles, rows)


def grounding(results: Figures) -> str:
    """Where each method's maps point."""
    return grounding_table(results, TITLES, POINTING)


def kept(results: Figures) -> str:
    """The first patches of each method."""
    return grounding_table(results, TITLES | SHORTER, KEPT)

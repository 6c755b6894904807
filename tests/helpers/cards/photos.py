"""Tables of the card of the model of photographs."""

from __future__ import annotations

from collections.abc import Mapping

from tests.helpers.cards.cells import Figures, recalls, slashed, table
from tests.helpers.cards.shared import KEPT, contrast, contrast_pairs, words
from tests.helpers.cards.shared import grounding as grounding_table

__all__ = [
    "added_scores",
    "class_weights",
    "contrast",
    "contrast_pairs",
    "decision",
    "further_step",
    "grounding",
    "kept",
    "kinds",
    "known_captions",
    "retrieval",
    "rivals_of_the_decision",
    "seeds",
    "seeds_of_the_decision",
    "tried",
    "words",
]

SCORES = ("seps", "pooled", "added")
METHODS = {
    "seps": "**SEPS's word map**",
    "effect": "effects: each patch's decision flipped",
    "blanked": "blanked: each patch replaced by the mean patch",
    "cosine": "plain patch-word cosine",
    "gradient": "the score's own gradient",
    "centre": "centred blob (pointing: central patches)",
    "random": "random patches",
}
POINTING = {
    "energy_inside": "energy inside the boxes",
    "pointing_game": "pointing game",
    "deletion": "deletion",
    "insertion": "insertion",
}
SEED_ROWS = {  # the row's title, and the path of its figures in the results
    "dev, rSum: SEPS, S(I, T)": ("dev", "seps"),
    "dev: pooled embeddings": ("dev", "pooled"),
    "dev: both added": ("dev", "added"),
    "open_photos, rSum: SEPS": ("open_photos", "seps"),
    "open_photos: pooled embeddings": ("open_photos", "pooled"),
    "open_photos: both added": ("open_photos", "added"),
    "14 example photographs, rSum: SEPS": ("examples", "seps"),
    "pointing game, dev: word map": ("pointing_game", "seps"),
    "pointing game: effects": ("pointing_game", "effect"),
    "pointing game: plain cosine": ("pointing_game", "cosine"),
    "energy inside, dev: word map": ("energy_inside", "seps"),
    "energy inside: effects": ("energy_inside", "effect"),
    "energy inside: plain cosine": ("energy_inside", "cosine"),
    "kept on mentioned objects / on the background": ("mentioned_to_background", "seps"),
}
RANKED = ("dev", "open_photos", "examples")  # of SEED_ROWS; the others are fractions
DECISION_SPLITS = {"dev": "dev, rSum", "open_photos": "open_photos, rSum", "labelled": "labelled, six recalls added"}
DECISION_SCORES = {
    "seps": "SEPS, S(I, T)",
    "pooled": "the same models' pooled embeddings",
    "added": "both added",
    "rival": "pooled two-tower, trained as long",
}
DECISION_RIVALS = {
    "seps": "SEPS, the decision taught",
    "as_it_was": "SEPS, without the two losses on the decision",
    "all_patches": "all patches kept, without them",
    "rival": "pooled two-tower",
}
DECISION_MASKS = {
    "contrast": "contrast, dev",
    "own": "own region kept",
    "other": "the other one's",
    "iou": "IoU of both masks",
}
TRIED_ROWS = {
    "dev: SEPS": ("dev", "seps"),
    "dev: pooled embeddings": ("dev", "pooled"),
    "dev: both added": ("dev", "added"),
    "first 300 of dev: SEPS": ("dev_300", "seps"),
    "first 300 of dev: pooled embeddings": ("dev_300", "pooled"),
    "open_photos: SEPS": ("open_photos", "seps"),
    "open_photos: pooled embeddings": ("open_photos", "pooled"),
    "open_photos: both added": ("open_photos", "added"),
    "14 example photographs: SEPS": ("examples", "seps"),
}
RECIPES = {  # of the decision
    "before": "after step 2",
    "network_alone": "network only, blind 2, decision 0.3",
    "heads_too": "step 3: heads too, and all phrase losses",
    "class_names": "step 3 with 32 class names a step, blind 3",
    "network_and_s_p": "step 4 with the whole network learning and the loss on word maps",
    "shipped": "step 4: s^p only (shipped)",
}
RIVALS = {  # of the further step
    "seps": "SEPS, S(I, T)",
    "seps_pooled": "the same models' pooled embeddings",
    "seps_added": "both scores added, each over its standard deviation",
    "pooled": "pooled two-tower, trained alike",
    "all_patches": "all patches kept, trained alike",
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


def seeds(results: Figures) -> str:
    """Recalls of three seeds of steps 1 and 2, and their mean."""
    rows = []
    for title, (measure, reading) in SEED_ROWS.items():
        rows.append([title, *with_mean(results[measure][reading], 1 if measure in RANKED else 3)])
    return table(["", "seed 0 / 1 / 2", "mean"], rows)


def seeds_of_the_decision(results: Figures) -> str:
    """Recalls of three seeds of steps 3 and 4, and their mean, next to the rival that was trained as long."""
    rows = [
        [f"{split_title}: {title}", *with_mean(results[split][score], 1)]
        for split, split_title in DECISION_SPLITS.items()
        for score, title in DECISION_SCORES.items()
    ]
    rows += [[title, *with_mean(results["masks"][name], 3)] for name, title in DECISION_MASKS.items()]
    return table(["", "seed 0 / 1 / 2", "mean"], rows)


def rivals_of_the_decision(results: Figures) -> str:
    """Recalls of three seeds of step 3 and of its rivals, each after two epochs, and their mean."""
    rows = [[title, *with_mean(results["after_two_epochs"][name], 1)] for name, title in DECISION_RIVALS.items()]
    return table(["rSum, first 300 of dev", "seed 0 / 1 / 2", "mean"], rows)


def with_mean(values: list[float], digits: int) -> list[str]:
    """A cell of all seeds, and a cell of their mean."""
    return [slashed(values, digits), f"{sum(values) / len(values):.{digits}f}"]


def decision(results: Figures) -> str:
    """The kept patches of each decision recipe, and its ranking."""
    titles = ["", "contrast", "own / other kept", "IoU", "rSum, first 300 of dev", "pooled", "labelled", "pooled"]
    rows = []
    for name, figures in results["recipes"].items():
        mask = figures["contrast"]
        kept_cells = [f"{mask['contrast']:.3f}", slashed((mask["own"], mask["other"])), f"{mask['iou']:.3f}"]
        ranked = [f"{figures[split][score]:.1f}" for split in ("dev_300", "labelled") for score in ("seps", "pooled")]
        rows.append([RECIPES[name], *kept_cells, *ranked])
    return table(titles, rows)


def tried(results: Figures) -> str:
    """rSum of the recipe, with class names, and with random crops."""
    runs = [results[name] for name in ("as_it_is", "class_names_64", "random_crops")]

    def cell(run: Figures, measure: str, reading: str) -> str:
        return f"{run[measure][reading]:.1f}" if measure in run else "not measured"

    rows = [[title, *(cell(run, *where) for run in runs)] for title, where in TRIED_ROWS.items()]
    return table(["", "default", "class names", "random crops"], rows)


def class_weights(results: Figures) -> str:
    """The shipped model with class vectors of several weights, without training and after a short run."""
    titles = ["weight of the patch's / the image's", "short captions first, of 28"]
    titles += ["first 200 of dev", "pooled", "coco_dev", "pooled", "agiqa3k, every 8th", "pooled"]
    splits = ("dev_200", "coco_dev", "agiqa3k")
    rows = []
    for row in [*results["weights"], results["short_run"]]:
        cells = [f"{row[split][score]:.1f}" for split in splits for score in ("seps", "pooled")]
        title = f"{row['local']:g} / {row['image']:g}{', after a short run' if 'recipe' in row else ''}"
        rows.append([title, str(row["short_captions"]), *cells])
    return table(titles, rows)


def further_step(results: Figures) -> str:
    """rSum of three seeds of the further step and of its rivals."""
    rows = []
    for rival, title in RIVALS.items():
        rsums = [entry["rsum"] if isinstance(entry, Mapping) else entry for entry in results[rival]]
        rows.append([title, *with_mean(rsums, 1)])
    return table(["", "seed 0 / 1 / 2", "mean"], rows)


def grounding(results: Figures) -> str:
    """Where each method's maps point."""
    return grounding_table(results, METHODS, POINTING)


def kept(results: Figures) -> str:
    """The first patches of each method."""
    shorter = {"effect": "effects", "blanked": "blanked"}
    return grounding_table(results, METHODS | shorter, KEPT)


def kinds(results: Figures) -> str:
    """Where word maps point, by kind of phrase."""
    rows = [
        [kind, f"{figures['phrases']:,.0f}", f"{figures['energy_inside']:.2f}", f"{figures['pointing_game']:.2f}"]
        for kind, figures in results["grounding"]["kinds"].items()
    ]
    return table(["kind", "phrases", "energy inside", "pointing"], rows)


def known_captions(facts: Figures) -> str:
    """How many captions of each split are unlike those learnt from."""
    splits = (("`dev`", ""), ("`open_photos`, COCO's", "others_"))
    rows = [
        [
            title,
            f"{facts[f'{prefix}captions']:,}",
            f"{100 * facts[f'{prefix}below']:.1f}%",
            f"{facts[f'{prefix}median']:.3f}",
        ]
        for title, prefix in splits
    ]
    return table(["captions", "", "below", "median"], rows)

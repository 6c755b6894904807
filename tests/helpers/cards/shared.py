"""Tables that the models of photographs and of scenes both have."""

from collections.abc import Mapping, Sequence

from tests.helpers.cards.cells import Figures, estimate, mean, table

CONTRAST_TITLES = {
    "score": "**decision mask, score**",
    "s_st": "s^st only",
    "word_map": "word map",
    "cosine": "plain patch-word cosine",
    "gradient": "gradient",
    "centre": "centred blob",
    "random": "random",
}
METHODS = {
    "seps": "**SEPS**",
    "effect": "effects: each patch's decision flipped",
    "blanked": "blanked: each patch replaced by the mean patch",
    "cosine": "plain patch-word cosine",
    "gradient": "the score's own gradient",
    "centre": "centred blob",
    "random": "random patches",
}
SHORTER = {"seps": "**SEPS's decision mask**", "effect": "effects", "blanked": "blanked"}  # in tables of kept patches
KEPT = {
    "kept_mentioned": "on mentioned objects",
    "kept_unmentioned": "on objects not mentioned",
    "kept_background": "on the background",
    "mentioned_to_background": "mentioned / background",
}


def contrast(results: Figures) -> str:
    """A row for each map: own and other region kept, contrast with its interval, IoU, own above, AUC, weight inside."""
    weight = "in" if results["contrast"]["regions"] == "boxes" else "on"
    titles = ["", "own / other kept", "contrast", "IoU", "own above", "AUC", f"weight {weight} own / other"]
    rows = []
    for method, title in CONTRAST_TITLES.items():
        figures = results["contrast"]["maps"][method]
        kept, inside = (
            " / ".join(filter(None, (mean(figures[first]), mean(figures[second]))))
            for first, second in (("own", "other"), ("inside_own", "inside_other"))
        )
        cells = [
            kept,
            estimate(figures["contrast"]),
            *(mean(figures[name]) for name in ("iou", "above", "auc")),
            inside,
        ]
        rows.append([title, *cells])
    return table(titles, rows)


def contrast_pairs(results: Figures) -> str:
    """Count the pairs, and give the share of the score's variance that depends on the caption."""
    measured = results["contrast"]
    percent = {name: 100 * value for name, value in measured["caption_share"].items()}
    return (
        f"{measured['pairs']:,} pairs of phrases on {measured['images']:,} images of {measured['split']}; the caption "
        f"accounts for {percent['mean']:.1f}% [{percent['low']:.1f}, {percent['high']:.1f}] of the score's variance."
    )


def grounding(results: Figures, titles: Mapping[str, str], measures: Mapping[str, str]) -> str:
    """A row for each method of explaining: its title, and its measurements, by column."""
    methods = results["grounding"]["methods"]
    rows: list[Sequence[str]] = [
        [title, *(estimate(methods[method][name]) for name in measures)] for method, title in titles.items()
    ]
    return table(["", *measures.values()], rows)

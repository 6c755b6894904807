"""Tables that the models of photographs and of scenes both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.helpers.cards.cells import Figures, estimate, mean, table

CONTRAST_TITLES = {
    "score": "**decision mask, score**",
    "s_p": "s^p only",
    "s_st": "s^st only",
    "s_im": "s^im only",
    "word_map": "word map",
    "cosine": "plain patch-word cosine",
    "gradient": "gradient",
    "centre": "centred blob",
    "random": "random",
}
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
    for method, figures in results["contrast"]["maps"].items():
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
        rows.append([CONTRAST_TITLES[method], *cells])
    return table(titles, rows)


def contrast_pairs(results: Figures) -> str:
    """How many pairs there are, and the caption's part of the score's spread."""
    measured = results["contrast"]
    percent = {name: 100 * value for name, value in measured["caption_share"].items()}
    return (
        f"{measured['pairs']:,} pairs of phrases on {measured['images']:,} images of {measured['split']}; of the "
        f"score's spread {percent['mean']:.1f}% [{percent['low']:.1f}, {percent['high']:.1f}] is the caption's."
    )


def grounding(results: Figures, titles: Mapping[str, str], measures: Mapping[str, str]) -> str:
    """A row for each method of explaining: its title, and its measurements, by column."""
    methods = results["grounding"]["methods"]
    rows: list[Sequence[str]] = [
        [title, *(estimate(methods[method][name]) for name in measures)] for method, title in titles.items()
    ]
    return table(["", *measures.values()], rows)

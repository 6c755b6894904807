"""Tables of the README and of the guide's page of results: the models side by side."""

from tests.helpers.cards.cells import Figures, mean, recalls, slashed, table

__all__ = ["contrast", "grounding", "recall"]

METHODS = ("seps", "cosine", "random")


def recall(photos_dev: Figures, photos_mllm: Figures, scenes_test: Figures) -> str:
    """Recalls with captions only, one row per split."""
    card = "[`{0}`](assets/models/{0}/README.md)".format
    splits = [
        (card("photos"), "Flickr8k {split}, {images:,} photographs, {captions:,} captions", photos_dev),
        ("`photos`", "Flickr8k {split}, {images:,} photographs, {captions:,} captions", photos_mllm),
        (card("scenes"), "drawn scenes {split}, {images:,} scenes, {captions:,} captions", scenes_test),
    ]
    rows = []
    for model, title, results in splits:
        figures = results["captions_only"]
        rows.append([model, title.format(**figures), *recalls(figures), f"{figures['rsum']:.1f}"])
    return table(["model", "split", "image to text R@1 / 5 / 10", "text to image R@1 / 5 / 10", "rSum"], rows)


def grounding(*models: Figures) -> str:
    """Energy inside and pointing game of word maps, of plain cosine and of random patches, a row a model."""
    titles = ["model, split", "phrases"]
    for measure in ("energy inside", "pointing game"):
        titles += [f"{measure}: SEPS", "cosine", "random"]
    rows = []
    for results in models:
        figures = results["grounding"]
        measured = [
            mean(figures["methods"][method][name]) for name in ("energy_inside", "pointing_game") for method in METHODS
        ]
        rows.append([regions(figures), f"{figures['phrases']:,}", *measured])
    return table(titles, rows)


def contrast(*models: Figures) -> str:
    """How far the decision mask follows the caption, and rivals' contrast, a row a model."""
    titles = ["model, split", "pairs", "own / other kept", "contrast", "IoU", "s^st", "cosine", "random"]
    rows = []
    for results in models:
        figures = results["contrast"]
        maps = figures["maps"]
        mask = maps["score"]
        kept = [slashed((mask["own"]["mean"], mask["other"]["mean"])), mean(mask["contrast"]), mean(mask["iou"])]
        rivals = [mean(maps[name]["contrast"]) for name in ("s_st", "cosine", "random")]
        rows.append([regions(figures), f"{figures['pairs']:,}", *kept, *rivals])
    return table(titles, rows)


def regions(figures: Figures) -> str:
    """Whose figures they are, on which split, against boxes or masks."""
    return "`{model}`, {split}, {regions}".format(**figures)

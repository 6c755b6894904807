"""Write the measured numbers into the tables of the README, the guide and the cards: `python -m tests.helpers.cards`.

A line `<!-- table: NAME FILE ... -->` stands above a table. Its cells come from the function NAME of the page in PAGES,
which receives the files of figures; their paths are relative to the page, as in links. Head and row titles are the
page's own. `sentence` instead of `table` marks a paragraph. A table of figures that others published is marked
`<!-- cited -->` and not changed.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MARKED = re.compile(r"^(<!-- (?:table|sentence): (\w+) ([^>]+) -->\n)((?:(?!<!--).+\n)*)", re.MULTILINE)
Rows = list[str]  # cells are separated by "|"; "." keeps the page's cell


class Figures(dict[str, Any]):
    """Figures by name, also as attributes; none where something was not measured.

    In a cell, `{figure:.3f}` is a figure's mean and `{figure:~.3f}` the mean with its interval, which files of results
    hold as "low" and "high" or as one pair.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"There is no figure {name!r}. Choose one of: {', '.join(self)}.") from None

    def __format__(self, digits: str) -> str:
        if not self:
            return ""
        mean, digits = format(self.get("mean", self.get("value")), digits.lstrip("~")), digits.partition("~")[2]
        ends = self.get("interval") or (self.get("low"), self.get("high"))
        return f"{mean} [{', '.join(format(end, digits) for end in ends)}]" if digits else mean


def read_figures(file: Path) -> Any:
    """Read a file of figures: JSON parsed, CSV as a dict per row with text cells."""

    def figures(pairs: list[tuple[str, Any]]) -> Figures:
        return Figures({name: Figures() if value is None else value for name, value in pairs})

    with file.open(encoding="utf-8", newline="") as stream:
        if file.suffix == ".csv":
            return [Figures(row) for row in csv.DictReader(stream)]
        return json.load(stream, object_pairs_hook=figures)


def recalls(figures: Mapping[str, Any]) -> str:
    """Recall at 1 / 5 / 10 in per cent, one cell per direction."""
    cell = "{r1:.1f} / {r5:.1f} / {r10:.1f}"
    return " | ".join(cell.format(**figures[direction]) for direction in ("image_to_text", "text_to_image"))


def each(cells: str, figures: Iterable[Mapping[str, Any]]) -> Rows:
    """Write a row of cells for each of several figures."""
    return [cells.format(**values) for values in figures]


def chosen(cells: str, figures: Mapping[str, Any], names: str) -> Rows:
    """Write a row of cells for each of the named figures."""
    return each(cells, (figures[name] for name in names.split()))


SPOILT = ("blur", "noise", "blocks")
SCORES, CORRELATIONS = ("quality", "consistency"), ("srocc", "plcc", "krcc")
MEASURES = ("energy_inside", "pointing_game", "deletion", "insertion")
KEPT = ("kept_mentioned", "kept_unmentioned", "kept_background", "mentioned_to_background")
DENSE = {
    "captions_only": "captions only",
    "own_dense": "with its own dense caption",
    "other_dense": "with another image's dense caption",
}


def explained(results: Figures, measures: Iterable[str]) -> Rows:
    """A row for each method of explaining, a column for each measure."""
    cells = " | ".join([".", *(f"{{{name}:~.3f}}" for name in measures)])
    return chosen(cells, results.grounding.methods, "seps effect blanked cosine gradient centre random")


def contrast(results: Figures) -> Rows:
    """A row for each map: own and other region kept, contrast with its interval, IoU, own above, AUC, weight inside."""
    cells = ". | {own:.3f} / {other:.3f} | {contrast:~.3f} | {iou:.3f} | {above:.3f} | {auc:.3f} | "
    cells += "{inside_own:.3f} / {inside_other:.3f}"
    return chosen(cells, results.contrast.maps, "score s_st word_map cosine gradient centre random")


def contrast_pairs(results: Figures) -> str:
    """Count the pairs, and give the share of the score's variance that depends on the caption."""
    share = {name: 100 * part for name, part in results.contrast.caption_share.items()}
    interval = "{mean:.1f}% [{low:.1f}, {high:.1f}]".format(**share)
    text = "{pairs:,} pairs of phrases on {images:,} images of {split}; the caption accounts for "
    return text.format(**results.contrast) + interval + " of the score's variance."


def recall(*models: Figures) -> Rows:
    """Recalls with captions only, one row per split."""
    shown = zip(("Flickr8k", "Flickr8k", "drawn scenes"), ("photographs", "photographs", "scenes"), models, strict=True)
    cells = ". | {0} {split}, {images:,} {1}, {captions:,} captions | {2} | {rsum:.1f}"
    return [cells.format(data, kind, recalls(r.captions_only), **r.captions_only) for data, kind, r in shown]


def grounding_of_models(*models: Figures) -> Rows:
    """Energy inside and pointing game of word maps, of plain cosine and of random patches, one row per model."""
    cells = ["`{model}`, {split}, {regions} | {phrases:,}"]
    for measure in MEASURES[:2]:
        cells += [f"{{methods.{method}.{measure}:.3f}}" for method in ("seps", "cosine", "random")]
    return each(" | ".join(cells), (results.grounding for results in models))


def contrast_of_models(*models: Figures) -> Rows:
    """How far the decision mask follows the caption, and the contrast of baselines, one row per model."""
    cells = "`{model}`, {split}, {regions} | {pairs:,} | {maps.score.own:.3f} / {maps.score.other:.3f}"
    cells += " | {maps.score.contrast:.3f} | {maps.score.iou:.3f} | {maps.s_st.contrast:.3f}"
    cells += " | {maps.cosine.contrast:.3f} | {maps.random.contrast:.3f}"
    return each(cells, (results.contrast for results in models))


def sizes(results: Figures) -> Rows:
    """Resources of a gallery on disk, one row per size."""
    cells = "{photographs:,} | {seconds:,.0f} s | {table:,.0f} MB | {exact.p50_ms:,.0f} ms | "
    cells += "{fresh.first_answer_seconds:.1f} s | {memory:,.0f} MB"
    for r in results.sizes:
        r.update(seconds=r.table.write_seconds + r.table.tidy_seconds, table=r.table.bytes / 1e6)
        r.update(memory=r.fresh.resident_bytes / 1e6)
    return each(cells, results.sizes)


def shortlists(results: Figures) -> Rows:
    """Time and yield of shortlists in the largest gallery, one row per length."""
    largest = max(results.sizes, key=lambda size: size.photographs)
    return each("{shortlist:,} | {top:.3f} | {p50_ms:.0f} / {p95_ms:.0f} ms", largest.two_stages)


def photos_retrieval(dev: Figures, mllm: Figures, open_photos: Figures, examples: Figures) -> Rows:
    """Recalls on each split, with and without dense captions."""
    cells = "{split}, {images:,} images, {captions:,} captions; "
    measured = [(cells + title, split[name]) for split in (dev, mllm) for name, title in DENSE.items() if name in split]
    measured.append(("open_photos, 79 images, 395 captions; captions only", open_photos.pooled.seps))
    measured.append(("{images} example photographs, {captions} captions", examples.examples))
    return [f"{cells.format(**r)} | {recalls(r)} | {r.rsum:.1f}" for cells, r in measured]


def added_scores(dev: Figures, open_photos: Figures, labelled: Figures) -> Rows:
    """rSum of S(I, T), of pooled embeddings, and of both added."""
    cells = " | {seps.rsum:.1f} | {pooled.rsum:.1f} | {added.rsum:.1f}"
    rows = each("." + cells, (dev.pooled, open_photos.pooled))
    return [*rows, ("labelled, {photographs} photographs" + cells).format(**labelled.labelled)]


def decision(results: Figures) -> Rows:
    """The kept patches of each decision recipe, and its ranking."""
    cells = ". | {contrast.contrast:.3f} | {contrast.iou:.3f} | {dev_300.seps:.1f} | {dev_300.pooled:.1f}"
    cells += " | {labelled.seps:.1f} | {labelled.pooled:.1f}"
    return each(cells, results.recipes.values())


def scenes_retrieval(results: Figures) -> Rows:
    """Recalls of the model, by type of query, and of baselines."""
    shown = [results.scenes.recalls[queries] for queries in ("all", "seen", "unseen")]
    shown += [results[name].recalls.all for name in ("scenes_pooled", "all_patches", "pooled", "warmup_pooled")]
    return [f". | {recalls(r)}" for r in shown]


def misses(results: Figures) -> str:
    """How many captions were true of the scene that they were wrongly matched with."""
    cells = "{true:,} of {misses:,} misses (of {queries:,} queries)"
    first, second = chosen(cells, results.scenes.misses, "image_to_text text_to_image")
    return f"scene to text, {first};\ntext to scene, {second}."


def agreement(results: Figures) -> Rows:
    """Rank and linear correlations with people's ratings: the shipped seed with intervals, and the mean of all."""
    rows = []
    for score in SCORES:
        seeds = [seed[score] for seed in (results.shipped, *results.seeds[1:])]
        cells = [f"{Figures(mean=seeds[0][name], interval=seeds[0].intervals[name]):~.3f}" for name in CORRELATIONS]
        means = [f"{fmean(seed[name] for seed in seeds):.3f}" for name in CORRELATIONS]
        rows += [" | ".join([".", *cells]), " | ".join([".", *means])]
    return rows


def by_generator(results: Figures) -> Rows:
    """Agreement among the pictures of each system that made them."""
    cells = ["{0} | {pictures}", *(f"{{{score}.srocc:.3f}} | {{{score}.error:+.3f}}" for score in SCORES)]
    return [" | ".join(cells).format(name, **r) for name, r in results.shipped.by_generator.items()]


def falls(qualities: Iterable[float]) -> bool:
    """Whether each strength lies below the one before it; once quality is 0 it stays there."""
    return all(after < before or after == before == 0.0 for before, after in pairwise(qualities))


def spoilt(results: Figures) -> Rows:
    """Mean quality at each strength of each way to spoil a picture, and on how many pictures it falls throughout."""
    rows = []
    for kind in SPOILT:
        curves = list(results.spoilt[kind].values())
        means = (f"{fmean(qualities):.2f}" for qualities in zip(*curves, strict=True))
        rows.append(" | ".join([kind, f"{sum(map(falls, curves))} of {len(curves)}", *means]))
    return rows


def ablation(runs: list[Figures]) -> Rows:
    """SROCC of each form of the network on a split by prompt, mean of its seeds (lowest to highest)."""
    rows = []
    for variant in dict.fromkeys(run.variant for run in runs):
        cells = [variant]
        for score in SCORES:
            values = [float(run[score]) for run in runs if (run.variant, run.split) == (variant, "prompt")]
            cells.append(f"{fmean(values):.3f} ({min(values):.3f} to {max(values):.3f})")
        rows.append(" | ".join(cells))
    return rows


def scene_captions(results: Figures) -> Rows:
    """How true the captions of test's scenes are."""
    cells = """. | {true_statements:~.3f} | .
        . | {seen.true_statements:.3f} | .
        . | {unseen.true_statements:.3f} | .
        . | {wholly_true:~.3f} | .
        . | {seen.wholly_true:.3f} / {unseen.wholly_true:.3f} | .
        . | {objects:~.3f} | .
        . | {distinct:.3f} | .
        the scenes model finds the scene by the caption, R@1 of {scenes:,} | {r1:.1f} | .
        . | {r1_grammar:.1f} | ."""
    return cells.format(scenes=results.scenes, **results.captions).splitlines()


def pictures(results: Figures) -> Rows:
    """The share of a caption that is found in its drawing."""
    cells = """. | {r1:~.1f} | . | {r1_true_scenes:.1f} | .
        . | {objects:~.3f} | . | {true_scenes.objects:.3f} | {shuffled.objects:.3f}
        . | {seen.objects:.3f} / {unseen.objects:.3f} | . | . | .
        . | {colours:~.3f} | . | {true_scenes.colours:.3f} | {shuffled.colours:.3f}
        . | {seen.colours:.3f} / {unseen.colours:.3f} | . | . | .
        . | {nearest_training:~.1f} | . | {nearest_training_true_scenes:.1f} | ."""
    return cells.format(**results.pictures).splitlines()


def ceiling(results: Figures) -> Rows:
    """Statements found in true scenes, and in their reconstructions."""
    cells = ". | {r1:~.1f} | {objects:~.3f} | {colours:~.3f}"
    return chosen(cells, results, "true_scenes small autoencoded")


def photo_captions(results: Figures) -> Rows:
    """How near captions are to people's, one row for each way of writing them."""
    cells = ". | {bleu_1:.1f} | {bleu_2:.1f} | {bleu_3:.1f} | {bleu_4:.1f} | {meteor:.1f}"
    ways = [results[way] for way in ("greedy", "beam", "reranked", "people")]
    for r in ways:
        r |= {name: Figures(mean=r[name], interval=r.intervals[name]) for name in ("rouge_l", "cider")}
    return each(cells + " | {rouge_l:~.1f} | {cider:~.3f} | {distinct:.2f}", ways)


PAGES: dict[str, dict[str, Callable[..., Rows | str]]] = {
    "README.md": {"recall": recall},
    "assets/guide/experiments.md": {"ablation": ablation, "decision": decision},
    "assets/guide/results.md": {"contrast": contrast_of_models, "grounding": grounding_of_models},
    "assets/guide/scale.md": {"shortlists": shortlists, "sizes": sizes},
    "assets/models/photos/README.md": {
        "added_scores": added_scores,
        "contrast": contrast,
        "contrast_pairs": contrast_pairs,
        "grounding": partial(explained, measures=MEASURES),
        "kept": partial(explained, measures=KEPT),
        "retrieval": photos_retrieval,
    },
    "assets/models/scenes/README.md": {
        "contrast": contrast,
        "contrast_pairs": contrast_pairs,
        "grounding": partial(explained, measures=MEASURES),
        "kept": partial(explained, measures=KEPT),
        "misses": misses,
        "retrieval": scenes_retrieval,
    },
    "assets/models/judge/README.md": {"agreement": agreement, "by_generator": by_generator, "spoilt": spoilt},
    "assets/models/generator/README.md": {"captions": scene_captions, "ceiling": ceiling, "pictures": pictures},
    "assets/models/captioner/README.md": {"captions": photo_captions},
}


def filled(table: str, rows: Rows) -> str:
    """Write rows below a table's head; ValueError for a row with another number of cells, or without a title."""
    head, line, *before = table.splitlines()
    written = [head, line]
    for number, row in enumerate(rows):
        cells = [cell.strip(" /") for cell in row.split("|")]
        kept = before[number].split("|")[1:-1] if number < len(before) else cells
        if len(cells) != head.count("|") - 1 or len(kept) != len(cells) or (kept is cells and "." in cells):
            raise ValueError(f"The row {number + 1}, {row}, does not fit the table {head}: change the page by hand.")
        cells = [old.strip() if cell == "." else cell for cell, old in zip(cells, kept, strict=True)]
        written.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join(written)


def rebuild(page: str) -> str:
    """Return a page's whole text with its figures; ValueError for a marker with a name that PAGES lacks."""

    def block(match: re.Match[str]) -> str:
        marker, name, files, before = match.groups()
        if name not in PAGES[page]:
            raise ValueError(f"{page} has a table {name!r}, but PAGES has only {', '.join(PAGES[page])}.")
        result = PAGES[page][name](*(read_figures((ROOT / page).parent / file) for file in files.split()))
        return f"{marker}{result if isinstance(result, str) else filled(before, result)}\n"

    return MARKED.sub(block, (ROOT / page).read_text(encoding="utf-8"))


def main() -> None:
    """Write the pages with changed figures, and print their names."""
    for page in PAGES:
        text = rebuild(page)
        if text != (ROOT / page).read_text(encoding="utf-8"):
            (ROOT / page).write_text(text, encoding="utf-8")
            print(f"{page}: updated")


if __name__ == "__main__":
    main()

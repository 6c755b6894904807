"""Measure a generator's captions of photographs against people's, and whether SEPS's score chooses better ones."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from seps.common.checks import check_whole
from seps.common.progress import Progress, batch_indices
from seps.data import open_image, read_split
from seps.generator.caption_metrics import caption_metrics, coco_metrics
from seps.generator.generator import ImageTextGenerator, WrittenCaption
from seps.generator.model.captioner import Decoding
from seps.generator.ranking import AGREEMENT, BEAMS, RANKER, WEIGHT, order, scores_of_patches
from seps.models.hub import load_model
from seps.runs.bootstrap import estimate

WEIGHTS = (0.0, 0.25, 0.5, 1.0)  # of that score, added to the mean log probability of a caption's tokens
AGREEMENTS = (0.0, AGREEMENT)  # weights of a caption's agreement with the others
BATCH_SIZE = 16
COLUMNS = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr", "distinct")  # of the printed table
RATED = (("rouge_l", 1), ("cider", 3))  # those with an interval, and their digits
Scored = tuple[list[WrittenCaption], list[float]]  # a picture's captions, and SEPS's score of each


def evaluate_photos(
    generator: ImageTextGenerator,
    data: Path,
    split_name: str,
    images: Path | None = None,
    beams: int = Decoding.beams,
    last: int = 0,
    progress: Progress = False,
) -> dict[str, Any]:
    """Measure captions of a split's photographs, or of the `last` of them."""
    check_whole("--last", last, least=0)
    searches = {number: Decoding("beam", number) for number in dict.fromkeys((beams, BEAMS))}
    coco_metrics()
    split = read_split(data, split_name, images=images)
    k, count = split.captions_per_image, len(split.image_files)
    chosen = range(count)[-last:]
    truths = [split.captions[k * i : k * (i + 1)] for i in chosen]
    model = load_model(RANKER)
    greedy: list[str] = []
    beamed: dict[int, list[Scored]] = {number: [] for number in searches}
    for batch in batch_indices(len(chosen), BATCH_SIZE, progress, "Writing captions"):
        pictures = [open_image(split.image_files[chosen[i]]) for i in batch]
        greedy += generator.captions(pictures, Decoding("greedy"))
        patches = model.encode_photos(pictures)  # (B, N[+1], C)
        for number, how in searches.items():
            written = generator.write(pictures, how)
            scores = [scores_of_patches(model, *pair) for pair in zip(patches, written, strict=True)]
            beamed[number] += zip(written, scores, strict=True)
    result: dict[str, Any] = {"split": split_name, "photographs": len(chosen), "beams": beams}
    result["greedy"] = figures(greedy, truths)
    result["beam"] = figures(best_captions(beamed[beams], 0.0, 0.0), truths)
    result["reranked"] = {"ranker": RANKER, "beams": BEAMS, "weight": WEIGHT, "agreement": AGREEMENT}
    result["reranked"] |= figures(best_captions(beamed[BEAMS]), truths)
    result["choices"] = []
    for number, agreement, weight in product(searches, AGREEMENTS, WEIGHTS):
        metrics = caption_metrics(best_captions(beamed[number], weight, agreement), truths, meteor=False)
        measured = {name: round(metrics[name], 4) for name in ("bleu_4", "cider")}
        result["choices"].append({"beams": number, "agreement": agreement, "weight": weight} | measured)
    result["people"] = figures([captions[0] for captions in truths], [captions[1:] for captions in truths])
    return result


def best_captions(beamed: Sequence[Scored], weight: float = WEIGHT, agreement: float = AGREEMENT) -> list[str]:
    """Return the text of each picture's best caption, see `order`."""
    return [captions[order(captions, scores, weight, agreement)[0]].text for captions, scores in beamed]


def figures(written: Sequence[str], truths: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the metrics of captions, with intervals of ROUGE-L and CIDEr."""
    metrics = caption_metrics(written, truths)
    each = metrics.pop("each")
    intervals = {name: estimate(values, np.arange(len(values))) for name, values in each.items()}
    rounded = {name: round(value, 4) for name, value in metrics.items()}
    return {
        **rounded,
        "intervals": {name: [round(value.low, 4), round(value.high, 4)] for name, value in intervals.items()},
        "distinct": round(len({text.lower() for text in written}) / len(written), 4),
        "words": round(float(np.mean([len(text.split()) for text in written])), 2),
    }


def table(result: dict[str, Any]) -> str:
    """Return the report to print, as in the captioner's card."""
    rows = [("", *COLUMNS), *((way, *cells(result[way])) for way in ("greedy", "beam", "reranked", "people"))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"{result['photographs']:,} photographs of {result['split']}, {result['beams']} beams, 95% intervals"]
    lines += ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    if "meteor" not in result["beam"]:
        lines.append("METEOR is a program in Java, which is not here.")
    chosen = result["reranked"]
    lines.append(
        f"reranked: {chosen['beams']} beams, by log probability, agreement with each other times "
        f"{chosen['agreement']:g}, and SEPS's score, model {chosen['ranker']}, times {chosen['weight']:g}."
    )
    for values in result["choices"]:
        lines.append(
            f"{values['beams']} beams, agreement times {values['agreement']:g}, SEPS's score times "
            f"{values['weight']:g}: BLEU-4 {values['bleu_4']:.1f}, CIDEr {values['cider']:.3f}"
        )
    return "\n".join(lines)


def cells(measured: dict[str, Any]) -> list[str]:
    """Return a row of COLUMNS: rounded values of `figures`; "-" for METEOR without Java."""
    names = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "meteor")
    row = [f"{measured[name]:.1f}" if name in measured else "-" for name in names]
    for name, digits in RATED:
        low, high = measured["intervals"][name]
        row.append(f"{measured[name]:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]")
    return [*row, f"{measured['distinct']:.2f}"]

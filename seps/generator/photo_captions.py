"""Measure a generator's captions of photographs against people's, and whether SEPS's score chooses better ones.

    python -m seps.generator evaluate --model photos --data DATA --split SPLIT --json FILE

Intervals are 95%, photographs drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from seps.data import open_image, read_split
from seps.generator.caption_metrics import caption_metrics
from seps.generator.captioner import Decoding
from seps.generator.generator import ImageTextGenerator, WrittenCaption
from seps.generator.ranking import RANKER, WEIGHT, order, seps_scores
from seps.models.hub import load_model
from seps.progress import Progress, batch_indices
from seps.runs.bootstrap import estimate

WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # of that score beside the mean log probability of a caption's tokens
BEAMS = 4
BATCH_SIZE = 16


def evaluate_photos(
    generator: ImageTextGenerator,
    data: Path,
    split_name: str,
    images: Path | None = None,
    beams: int = BEAMS,
    last: int = 0,
    progress: Progress = False,
) -> dict[str, Any]:
    """Measure captions of a split's photographs.

    Args:
        generator: a trained one; data, split_name, images: as `read_split`.
        beams: of its search; last: measure on so many images alone, the last ones; 0 for all.

    Returns:
        Plain values for JSON: "greedy", "beam" and "reranked", which chooses among the beams by SEPS's score too with
        WEIGHT, see `figures`; "weights": BLEU-4 and CIDEr with other weights; "people": the first caption of people
        against the others.

    Raises:
        ValueError: as `read_split` and `caption_metrics`.
    """
    split = read_split(data, split_name, images=images)
    k, count = split.captions_per_image, len(split.image_files)
    chosen = range(count - (last or count), count)
    photos = [open_image(split.image_files[i]) for i in chosen]
    truths = [split.captions[k * i : k * (i + 1)] for i in chosen]
    greedy: list[str] = []
    beamed: list[list[WrittenCaption]] = []
    for batch in batch_indices(len(photos), BATCH_SIZE, progress, "Writing captions"):
        pictures = [photos[i] for i in batch]
        greedy += generator.captions(pictures, Decoding("greedy"))
        beamed += generator.write(pictures, Decoding("beam", beams))
    model = load_model(RANKER)
    scores = [seps_scores(model, photo, captions) for photo, captions in zip(photos, beamed, strict=True)]
    result: dict[str, Any] = {"split": split_name, "photographs": len(photos), "beams": beams}
    result["greedy"] = figures(greedy, truths)
    result["beam"] = figures(best_captions(beamed, scores, 0.0), truths)
    result["reranked"] = {"ranker": RANKER, "weight": WEIGHT}
    result["reranked"] |= figures(best_captions(beamed, scores, WEIGHT), truths)
    result["weights"] = {f"{weight:g}": brief(best_captions(beamed, scores, weight), truths) for weight in WEIGHTS}
    result["people"] = figures([captions[0] for captions in truths], [captions[1:] for captions in truths])
    return result


def best_captions(
    beamed: Sequence[Sequence[WrittenCaption]], scores: Sequence[Sequence[float]], weight: float
) -> list[str]:
    """The text of each picture's best caption, see `order`."""
    return [captions[order(captions, each, weight)[0]].text for captions, each in zip(beamed, scores, strict=True)]


def figures(written: Sequence[str], truths: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What is measured of captions: BLEU and METEOR, ROUGE-L and CIDEr with intervals, "distinct", the share of
    captions that no other equals, and "words", the mean length of one."""
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


def brief(written: Sequence[str], truths: Sequence[Sequence[str]]) -> dict[str, float]:
    """BLEU-4 and CIDEr of captions."""
    metrics = caption_metrics(written, truths, meteor=False)
    return {name: round(metrics[name], 4) for name in ("bleu_4", "cider")}


def table(result: dict[str, Any]) -> str:
    """What the program prints."""
    names = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "meteor", "cider")
    lines = [f"{result['photographs']:,} photographs of {result['split']}, {result['beams']} beams"]
    lines += [" " * 10 + "".join(f"{name:>9}" for name in names)]
    for way in ("greedy", "beam", "reranked", "people"):
        values = (f"{result[way][name]:9.3f}" if name in result[way] else f"{'-':>9}" for name in names)
        lines.append(f"{way:10}" + "".join(values))
    for weight, values in result["weights"].items():
        lines.append(f"SEPS's score times {weight}: BLEU-4 {values['bleu_4']:.2f}, CIDEr {values['cider']:.3f}")
    return "\n".join(lines)

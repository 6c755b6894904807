"""Measure the similarity below which a caption differs from the training captions.

    python -m seps.evaluate --measure known_captions --model photos --data DIR --split dev --others DIR --json FILE

The captions of the split "train" are clustered by k-means of the text encoder's mean words. The nearness of a caption
is its mean cosine with the three nearest centres. The threshold is exceeded by 95 of 100 captions of `--split`, of
the same domain; `--others`, of another domain, is only reported. FILE is `known-captions.json` next to the model's
weights, which the app reads; the centres are written to a safetensors file next to it.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from safetensors.torch import save_file
from scipy.cluster.vq import kmeans2
from torch import Tensor

from seps.checks import check_whole
from seps.cli import whole_number
from seps.data import read_split
from seps.data.layout import sole_split
from seps.evaluation.cli import Result, add_model_and_split, prepare
from seps.models.known_captions import CENTRES, JSON_NAME, TENSORS_NAME, KnownCaptions, caption_vectors
from seps.models.model import SEPSModel
from seps.progress import Progress

COUNT = 64  # centres; of 16 to 1,024, with 1 or 3 nearest, this separated most captions of COCO's dev from Flickr8k's
ROUNDS = 20  # of k-means
QUANTILE = 0.05
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class KnownFigures:
    """Results of the measurement.

    Attributes:
        threshold: nearness below which a caption differs from the training captions, see `KnownCaptions.nearness`.
        below, others_below: share of the split's and of the others' captions below it, in [0, 1].
        median, others_median: of the nearness.
        auc: probability that a caption of the split is nearer than one of the others.
    """

    model: str
    split: str
    others: str
    centres: int
    train_captions: int
    captions: int
    others_captions: int
    threshold: float
    below: float
    others_below: float
    median: float
    others_median: float
    auc: float

    def table(self) -> str:
        """Return the report to print."""
        return "\n".join(
            [
                f"{self.model or 'model'}: {self.train_captions:,} captions around {self.centres:,} centres, threshold "
                f"{self.threshold:.4f}",
                f"  {self.split}: {self.captions:,} captions, {100 * self.below:.1f}% below, median {self.median:.3f}",
                f"  {self.others}: {self.others_captions:,} captions, {100 * self.others_below:.1f}% below, median "
                f"{self.others_median:.3f}",
                f"  a caption of {self.split} lies nearer than one of {self.others} in {100 * self.auc:.1f}%",
            ]
        )


def centres_of(vectors: Tensor, count: int, seed: int = 0) -> Tensor:
    """Cluster unit vectors (T, D) into unit centres (K, D) by k-means; ValueError if there are fewer than K."""
    check_whole("centres", count, len(vectors))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a centre that no caption is nearest to stays where it was
        centres, _ = kmeans2(vectors.numpy(), count, ROUNDS, minit="points", rng=np.random.default_rng(seed))
    return F.normalize(torch.from_numpy(centres).float(), dim=1)


def measure_known_captions(
    model: SEPSModel,
    train: Sequence[str],
    captions: Sequence[str],
    others: Sequence[str],
    count: int = COUNT,
    names: tuple[str, str, str] = ("", "dev", "others"),
    progress: Progress = False,
) -> tuple[KnownCaptions, KnownFigures]:
    """Compute the centres of training captions, and the threshold of the nearness.

    Args:
        captions: of the training domain; others: of another domain, only reported.
        names: of model, split and others, for the record.

    Raises:
        ValueError: fewer training captions than centres; no captions.
    """
    vectors = [caption_vectors(model, texts, progress) for texts in (train, captions, others)]
    centres = centres_of(vectors[0], count).half().float()  # as they are kept
    known = KnownCaptions(F.normalize(centres, dim=1), 0.0)
    nearness, other_nearness = (known.nearness(vectors_of).double().numpy() for vectors_of in vectors[1:])
    threshold = round(float(np.quantile(nearness, QUANTILE)), 4)
    figures = KnownFigures(
        *names,
        centres=count,
        train_captions=len(train),
        captions=len(captions),
        others_captions=len(others),
        threshold=threshold,
        below=round(float((nearness < threshold).mean()), 4),
        others_below=round(float((other_nearness < threshold).mean()), 4),
        median=round(float(np.median(nearness)), 4),
        others_median=round(float(np.median(other_nearness)), 4),
        auc=round(area(nearness, other_nearness), 4),
    )
    return KnownCaptions(known.centres, threshold), figures


def area(larger: Floats, smaller: Floats) -> float:
    """Return the area under the ROC curve: how often `larger` exceeds `smaller`, ties counting half."""
    ordered = np.sort(smaller)
    counts = np.searchsorted(ordered, larger, "left") + np.searchsorted(ordered, larger, "right")
    return float(counts.mean() / (2 * len(smaller)))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `known_captions`."""
    add_model_and_split(parser)
    parser.add_argument("--train", default="train", help="the split of the training captions (train)")
    parser.add_argument("--others", type=Path, required=True, help="folder of photographs of another domain")
    parser.add_argument("--others-split", help="which split of it; optional where it has a manifest.json")
    parser.add_argument("--centres", type=whole_number, default=COUNT, help=f"number of centres ({COUNT})")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure the threshold of a model; write its centres next to the results file."""
    model, split = prepare(options)
    others_split = options.others_split or sole_split(options.others)
    if others_split is None:
        raise ValueError("--others-split is needed: dev, test, ...; only a folder with a manifest.json has one.")
    train, others = read_split(options.data, options.train), read_split(options.others, others_split)
    names = options.model, options.split, others_split
    known, figures = measure_known_captions(
        model, train.captions, split.captions, others.captions, options.centres, names, True
    )
    text = figures.table()
    if options.json is not None:
        save_file({CENTRES: known.centres.half()}, options.json.with_name(TENSORS_NAME), {"format": "pt"})
        if options.json.name != JSON_NAME:
            text += f"\nThe app reads this file as {JSON_NAME}, next to the model's weights."
    yield Result(text, asdict(figures), None)

"""Which captions are unlike those that a model learnt from?

    python -m seps.evaluation.known_captions --model photos --data DIR --split dev --others FOLDER --json FILE

The captions of the split "train" of DIR are gathered around centres (k-means of the text encoder's mean words); of each
caption of `--split`, which is of the same world, and of `--others`, which is of another, the mean cosine with its three
nearest centres is taken. The threshold is what 95 of 100 captions of the split lie above: what lies below it is told to
be unlike what the model learnt from. FILE is `known-captions.json` beside the model's weights, where the app looks for
it; the centres go into a safetensors file beside it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
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
from seps.cli import Parser, check_output, errors_in_one_line, whole_number
from seps.data import read_split
from seps.data.layout import sole_split
from seps.evaluation.cli import add_arguments, prepare
from seps.files import write_json
from seps.models.known_captions import CENTRES, JSON_NAME, TENSORS_NAME, KnownCaptions, caption_vectors
from seps.models.model import SEPSModel
from seps.progress import Progress

COUNT = 64  # centres; of 16 to 1,024, with 1 or 3 nearest, they told most captions of COCO's dev from Flickr8k's
ROUNDS = 20  # of k-means
QUANTILE = 0.05
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class KnownFigures:
    """What was measured.

    Attributes:
        model, split, others: their names.
        centres: how many; train_captions, captions, others_captions: how many of each set.
        threshold: the nearness below which a caption is unlike what was learnt from, see `KnownCaptions.nearness`.
        below, others_below: the share of the split's and of the others' captions below it, in [0, 1].
        median, others_median: of the nearness.
        auc: how often a caption of the split lies nearer than one of the others.
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
        """Return what the program prints."""
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
    """Gather captions (T, D) of unit length around centres (K, D) of unit length by k-means, as scipy has it.

    Raises:
        ValueError: fewer captions than centres.
    """
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
    """Find the centres of training captions, and the threshold that tells others from captions of their world.

    Args:
        model: whose text encoder reads them; train: what it learnt from.
        captions: of the same world, others: of another one, which choose nothing.
        count: of centres; names: of model, split and others, for the record.

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
    """Return how often a value of `larger` exceeds one of `smaller`, ties counting half: the area under the ROC
    curve."""
    ordered = np.sort(smaller)
    counts = np.searchsorted(ordered, larger, "left") + np.searchsorted(ordered, larger, "right")
    return float(counts.mean() / (2 * len(smaller)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    parser = Parser(
        prog="python -m seps.evaluation.known_captions", description="Which captions are unlike those learnt from?"
    )
    add_arguments(parser)
    parser.add_argument("--train", default="train", help="the split that the model learnt from (train)")
    parser.add_argument("--others", type=Path, required=True, help="folder of photographs of another world")
    parser.add_argument("--others-split", help="which split of it; not needed where it has a manifest.json")
    parser.add_argument("--centres", type=whole_number, default=COUNT, help=f"how many ({COUNT})")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        if options.json is not None:
            check_output(options.json)
        model, split = prepare(options)
        others_split = options.others_split or sole_split(options.others)
        if others_split is None:
            raise ValueError("--others-split is needed: dev, test, ...; only a folder with a manifest.json has one.")
        train, others = read_split(options.data, options.train), read_split(options.others, others_split)
        names = options.model, options.split, others_split
        known, figures = measure_known_captions(
            model, train.captions, split.captions, others.captions, options.centres, names, True
        )
        print(figures.table())
        if options.json is not None:
            save_file({CENTRES: known.centres.half()}, options.json.with_name(TENSORS_NAME), {"format": "pt"})
            write_json(options.json, asdict(figures))
            if options.json.name != JSON_NAME:
                print(f"The app looks for it as {JSON_NAME} beside the model's weights.")


if __name__ == "__main__":
    main()

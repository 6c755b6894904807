"""Similarity matrices in files, and the mean of two models' similarities, as in the authors' ensembles.

python -m seps.evaluate --model A --data DIR --split test --save-similarity a.npy
python -m seps.evaluate --measure ensemble --files a.npy b.npy
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seps.cli import check_output
from seps.evaluation.cli import Result
from seps.evaluation.results import CocoFolds, coco_folds, plain_recalls, recall_lines
from seps.files import write_atomically
from seps.search.metrics import RetrievalMetrics, retrieval_metrics

SUFFIX = ".npy"


@dataclass(frozen=True)
class Measured:
    """The recalls of one matrix of similarities, and MS-COCO's folds where it has at least 5,000 images."""

    metrics: RetrievalMetrics
    coco: CocoFolds | None


@dataclass(frozen=True)
class Ensemble:
    """Two files of similarities and their mean.

    Attributes:
        each: results of the files; both: results of their mean.
    """

    files: tuple[Path, Path]
    images: int
    captions: int
    each: tuple[Measured, Measured]
    both: Measured

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, recalls in per cent."""
        return {
            "files": [str(file) for file in self.files],
            "images": self.images,
            "captions": self.captions,
            "each": [plain_recalls(result.metrics, result.coco) for result in self.each],
            "both": plain_recalls(self.both.metrics, self.both.coco),
        }

    def table(self) -> str:
        """Return the report to print."""
        counts = f"{self.images:,} images, {self.captions:,} captions"
        titles = (*map(str, self.files), "both, similarities averaged")
        parts = zip(titles, (*self.each, self.both), strict=True)
        return "\n".join(
            line for title, result in parts for line in recall_lines(title, counts, result.metrics, result.coco)
        )


def check_similarity_file(path: Path, matrices: int) -> None:
    """Raise ValueError where a file cannot take the similarities of this many protocols."""
    if path.suffix != SUFFIX:
        raise ValueError(f"--save-similarity {path} is a NumPy file, so its name must end in {SUFFIX}.")
    if matrices > 1:
        raise ValueError(f"--save-similarity takes one matrix, but --dense names {matrices} protocols: name one.")
    check_output(path)


def save_similarity(path: Path, similarity: Tensor) -> None:
    """Write similarities (V, V * k) as float32, whole or not at all."""
    with write_atomically(path) as partial, partial.open("wb") as file:
        np.save(file, similarity.float().numpy())


def read_similarity(path: Path) -> Tensor:
    """Read similarities of images and captions, (V, V * k) float32.

    Raises:
        ValueError: a missing file, or one without such a matrix.
    """
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist: give a file that --save-similarity wrote.") from None
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        raise ValueError(f"{path} cannot be read as a NumPy file of numbers ({error}).") from error
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        raise ValueError(f"{path} holds no matrix of real numbers: give a file that --save-similarity wrote.")
    if values.ndim != 2 or not values.size or values.shape[1] % values.shape[0]:
        raise ValueError(
            f"{path} has shape {values.shape}, but images by captions is needed, the same number of captions an image."
        )
    return torch.from_numpy(np.array(values, dtype=np.float32))


def measured(similarity: Tensor) -> Measured:
    """Measure similarities (V, V * k)."""
    k = similarity.shape[1] // similarity.shape[0]
    return Measured(retrieval_metrics(similarity, k), coco_folds(similarity, k))


def measure_ensemble(first: Path, second: Path) -> Ensemble:
    """Measure two files of similarities and their mean.

    Raises:
        ValueError: as `read_similarity`; different shapes; values that are not finite.
    """
    similarity, other = read_similarity(first), read_similarity(second)
    if similarity.shape != other.shape:
        raise ValueError(
            f"{first} has shape {tuple(similarity.shape)}, but {second} has {tuple(other.shape)}: both must be of one "
            "split."
        )
    each = measured(similarity), measured(other)
    images, captions = similarity.shape
    return Ensemble((first, second), images, captions, each, measured(similarity.add_(other).div_(2)))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `ensemble`."""
    parser.add_argument(
        "--files",
        type=Path,
        nargs=2,
        required=True,
        metavar=("A.npy", "B.npy"),
        help="files that `python -m seps.evaluate --save-similarity` wrote",
    )


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure two files of similarities and their mean."""
    ensemble = measure_ensemble(*options.files)
    yield Result(ensemble.table(), ensemble.as_dict(), "ensemble")

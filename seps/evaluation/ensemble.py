"""Similarity matrices in files, and the mean of two models' similarities, as in the authors' ensembles."""

import argparse
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from seps.common.cli import check_output
from seps.common.files import write_atomically
from seps.evaluation.cli import Result
from seps.evaluation.results import CocoFolds, coco_folds, plain_recalls, recall_lines
from seps.search.metrics import RetrievalMetrics, retrieval_metrics

SUFFIX = ".npy"


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
    """Read similarities of images and captions, (V, V * k) float32; ValueError if the file has none."""
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


def measure_ensemble(first: Path, second: Path) -> Result:
    """Measure two files of similarities, and their mean."""
    similarity, other = read_similarity(first), read_similarity(second)
    if similarity.shape != other.shape:
        raise ValueError(
            f"{first} has shape {tuple(similarity.shape)}, but {second} has {tuple(other.shape)}: both must be of one "
            "split."
        )
    results = [measured(similarity), measured(other)]
    results.append(measured(similarity.add_(other).div_(2)))
    images, captions = similarity.shape
    titles, counts = (first, second, "both, similarities averaged"), f"{images:,} images, {captions:,} captions"
    lines = (recall_lines(str(title), counts, *result) for title, result in zip(titles, results, strict=True))
    *each, both = (plain_recalls(*result) for result in results)
    values = {"files": [str(first), str(second)], "images": images, "captions": captions, "each": each, "both": both}
    return Result("\n".join(chain(*lines)), values, "ensemble")


def measured(similarity: Tensor) -> tuple[RetrievalMetrics, CocoFolds | None]:
    """Measure similarities (V, V * k): recalls, and MS-COCO's folds where there are at least 5,000 images."""
    k = similarity.shape[1] // similarity.shape[0]
    return retrieval_metrics(similarity, k), coco_folds(similarity, k)


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
    yield measure_ensemble(*options.files)

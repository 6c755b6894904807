"""Similarity matrices in files, and the mean of two models' similarities, as in the authors' ensembles."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seps.common.cli import check_output
from seps.common.files import write_atomically
from seps.evaluation.cli import Result
from seps.evaluation.results import coco_folds, plain_recalls, recall_lines
from seps.search.metrics import retrieval_metrics


def check_similarity_file(path: Path, matrices: int) -> None:
    """Raise ValueError where a file cannot take the similarities of this many protocols."""
    if path.suffix != ".npy":
        raise ValueError(f"--save-similarity {path} is a NumPy file, so its name must end in .npy.")
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
        needed = "images by captions is needed, the same number of captions an image"
        raise ValueError(f"{path} has shape {values.shape}, but {needed}.")
    return torch.from_numpy(np.array(values, dtype=np.float32))


def measure_ensemble(first: Path, second: Path) -> Result:
    """Measure two files of similarities, and their mean."""
    similarity, other = read_similarity(first), read_similarity(second)
    if similarity.shape != other.shape:
        shapes = f"{first} has shape {tuple(similarity.shape)}, but {second} has {tuple(other.shape)}"
        raise ValueError(f"{shapes}: both must be of one split.")
    images, captions = similarity.shape
    counts, k = f"{images:,} images, {captions:,} captions", captions // images
    lines: list[str] = []

    def measure(title: str, scores: Tensor) -> dict[str, Any]:
        result = retrieval_metrics(scores, k), coco_folds(scores, k)
        lines.extend(recall_lines(title, counts, *result))
        return plain_recalls(*result)

    each = [measure(str(first), similarity), measure(str(second), other)]
    both = measure("both, similarities averaged", similarity.add_(other).div_(2))  # in place of the first
    values = {"files": [str(first), str(second)], "images": images, "captions": captions, "each": each, "both": both}
    return Result("\n".join(lines), values, "ensemble")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `ensemble`."""
    names = ("A.npy", "B.npy")
    parser.add_argument("--files", type=Path, nargs=2, required=True, metavar=names, help="from --save-similarity")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure two files of similarities and their mean."""
    yield measure_ensemble(*options.files)

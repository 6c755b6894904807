"""Zero-shot ranking of class names for photographs.

DIR holds `images/` and `manifest.json`, a list of objects with "file" and "label". Every name makes one caption,
"a photo of a NAME".
"""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from seps.common.progress import Progress
from seps.data.manifest import Labelled, class_caption, read_labelled
from seps.evaluation.cli import Result, add_model, prepare_model
from seps.evaluation.pooled import compare_scores, score_result
from seps.evaluation.retrieval import encode_files
from seps.evaluation.scenes import compute_pooled_cosines
from seps.models.model import SEPSModel
from seps.search.engine import ScoringEngine
from seps.search.metrics import RetrievalMetrics, summarize


def rank_first_right(similarity: Tensor, right: Tensor) -> Tensor:
    """Return the rank of each query's best right answer, (queries,), from 1; ties count against it."""
    best = similarity.masked_fill(~right, -torch.inf).amax(dim=1, keepdim=True)  # (queries, 1)
    return ((similarity >= best) & ~right).sum(dim=1) + 1


def labelled_metrics(similarity: Tensor, labels: Sequence[int]) -> RetrievalMetrics:
    """Return the recalls of V photographs that rank T names, and of names that rank photographs."""
    right = torch.tensor(labels)[:, None] == torch.arange(similarity.shape[1])  # (V, T)
    ranks = rank_first_right(similarity, right), rank_first_right(similarity.T, right.T)
    return RetrievalMetrics(*map(summarize, ranks))


def measure_labelled(model: SEPSModel, labelled: Labelled, progress: Progress = False) -> dict[str, RetrievalMetrics]:
    """Measure "seps", "pooled" and "added" on labelled photographs; ValueError for an unreadable one."""
    engine = ScoringEngine(model.cross_net, progress=progress)
    photos = encode_files(model, labelled.files, progress)  # (V, N[+1], C)
    words, lengths = model.encode_captions([class_caption(name) for name in labelled.names])  # (T, L, C)
    similarity = engine.score(engine.encode_images(photos), engine.encode_captions(words, lengths)).cpu()
    pooled = compute_pooled_cosines(photos[:, -model.img_enc.num_patches :], words, lengths)
    return compare_scores(similarity, pooled, partial(labelled_metrics, labels=labelled.labels))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `labelled`."""
    add_model(parser)
    parser.add_argument("--data", required=True, type=Path, help="folder with images/ and manifest.json")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure a model on labelled photographs."""
    labelled = read_labelled(options.data)
    measured = measure_labelled(prepare_model(options), labelled, progress=True)
    sizes = {"photographs": len(labelled.files), "names": len(labelled.names)}
    counts = ", ".join(f"{size:,} {name}" for name, size in sizes.items())
    yield score_result(f"{options.model} on labelled photographs", counts, measured, "labelled", **sizes)

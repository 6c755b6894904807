"""Zero-shot ranking of class names for photographs.

    python -m seps.evaluate --measure labelled --model photos --data DIR --json results.json

DIR holds `images/` and `manifest.json`, a list of objects with "file" and "label", one name for the photograph's
content. Every name makes one caption, "a photo of a NAME". Each photograph ranks all names, and each name all
photographs; a name's right answers are all photographs with that label, and the best of them counts. Recall at 1, 5
and 10 both ways, and the six added, for S(I, T), for pooled embeddings, and for both added as `seps.evaluation.pooled`
adds them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor

from seps.data.labelled import Labelled, class_caption, read_labelled
from seps.evaluation.cli import Result, add_model, prepare_model
from seps.evaluation.pooled import added, score_table
from seps.evaluation.results import plain
from seps.evaluation.retrieval import encode_files
from seps.evaluation.scenes import compute_pooled_cosines
from seps.models.model import SEPSModel
from seps.progress import Progress
from seps.search.engine import ScoringEngine
from seps.search.metrics import RetrievalMetrics, summarize


def rank_first_right(similarity: Tensor, right: Tensor) -> Tensor:
    """Return the rank of each query's best right answer, (queries,), from 1; ties with wrong answers count against it.

    Args:
        similarity: (queries, answers); right: the same shape, bool, at least one per query.
    """
    best = similarity.masked_fill(~right, -torch.inf).amax(dim=1, keepdim=True)  # (queries, 1)
    return ((similarity >= best) & ~right).sum(dim=1) + 1


def labelled_metrics(similarity: Tensor, labels: Sequence[int]) -> RetrievalMetrics:
    """Return the recalls of photographs that rank names, and of names that rank photographs.

    Args:
        similarity: (V, T); labels: (V,), each photograph's name, every name at least once.
    """
    right = torch.tensor(labels)[:, None] == torch.arange(similarity.shape[1])  # (V, T)
    return RetrievalMetrics(
        summarize(rank_first_right(similarity, right)), summarize(rank_first_right(similarity.T, right.T))
    )


def measure_labelled(model: SEPSModel, labelled: Labelled, progress: Progress = False) -> dict[str, RetrievalMetrics]:
    """Measure "seps", "pooled" and "added" on labelled photographs; ValueError for an unreadable one."""
    engine = ScoringEngine(model.cross_net, progress=progress)
    photos = encode_files(model, labelled.files, progress)  # (V, N[+1], C)
    words, lengths = model.encode_captions([class_caption(name) for name in labelled.names])  # (T, L, C)
    similarity = engine.score(engine.encode_images(photos), engine.encode_captions(words, lengths)).cpu()
    pooled = compute_pooled_cosines(photos[:, -model.img_enc.num_patches :], words, lengths)
    scores = {"seps": similarity, "pooled": pooled, "added": added(similarity, pooled)}
    return {name: labelled_metrics(score, labelled.labels) for name, score in scores.items()}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `labelled`."""
    add_model(parser)
    parser.add_argument("--data", required=True, type=Path, help="folder with images/ and manifest.json")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure a model on labelled photographs."""
    labelled = read_labelled(options.data)
    measured = measure_labelled(prepare_model(options), labelled, progress=True)
    counts = f"{len(labelled.files):,} photographs, {len(labelled.names):,} names"
    sizes = {"photographs": len(labelled.files), "names": len(labelled.names)}
    yield Result(
        score_table(f"{options.model} on labelled photographs", counts, measured),
        {**sizes, **{name: plain(metrics) for name, metrics in measured.items()}},
        "labelled",
    )

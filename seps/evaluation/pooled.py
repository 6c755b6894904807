"""Recall of a model's pooled embeddings, and of both scores added."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path

from torch import Tensor

from seps.common.progress import Progress
from seps.data import Split
from seps.evaluation.cli import Result, add_model_and_split, prepare
from seps.evaluation.ensemble import read_similarity
from seps.evaluation.results import plain, recall_lines
from seps.evaluation.retrieval import similarity_matrix
from seps.evaluation.scenes import pooled_similarity
from seps.models.model import SEPSModel
from seps.search.metrics import RetrievalMetrics, retrieval_metrics

TITLES = {
    "seps": "S(I, T)",
    "pooled": "cosine of mean patch and mean word, without the network",
    "added": "both added, each over its standard deviation",
}


def added(similarity: Tensor, pooled: Tensor) -> Tensor:
    """Add two scores (V, T) of the same pairs, each over its standard deviation."""
    return similarity / similarity.std() + pooled / pooled.std()


def compare_scores(
    similarity: Tensor, pooled: Tensor, measure: Callable[[Tensor], RetrievalMetrics]
) -> dict[str, RetrievalMetrics]:
    """Measure S(I, T), pooled embeddings, and both added: the names of `TITLES`."""
    scores = {"seps": similarity, "pooled": pooled, "added": added(similarity, pooled)}
    return {name: measure(score) for name, score in scores.items()}


def measure_pooled(
    model: SEPSModel, split: Split, similarity: Tensor | None = None, progress: Progress = False
) -> dict[str, RetrievalMetrics]:
    """Measure retrieval by S(I, T), computed if `similarity` is None, by pooled embeddings, and by both added."""
    needed = (len(split.image_files), len(split.captions))
    if similarity is not None and similarity.shape != needed:  # check before encoding
        wanted = f"{needed}, images by captions of the split, is needed"
        raise ValueError(f"The similarity has shape {tuple(similarity.shape)}, but {wanted}.")
    pooled = pooled_similarity(model, split, progress)
    if similarity is None:
        similarity = similarity_matrix(model, split, progress=progress)
    return compare_scores(similarity, pooled, partial(retrieval_metrics, captions_per_image=split.captions_per_image))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `pooled`."""
    add_model_and_split(parser)
    parser.add_argument("--similarity", type=Path, metavar="F.npy", help="S(I, T), as --save-similarity wrote it")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure S(I, T), pooled embeddings, and both added on a split."""
    similarity = None if options.similarity is None else read_similarity(options.similarity)
    model, split = prepare(options)
    measured = measure_pooled(model, split, similarity, progress=True)
    counts = f"{len(split.image_files):,} images, {len(split.captions):,} captions"
    yield score_result(f"{options.model} on {split.name}", counts, measured, "pooled")


def score_result(title: str, counts: str, measured: Mapping[str, RetrievalMetrics], key: str, **sizes: int) -> Result:
    """Return the result of `compare_scores`: one table of recalls per score, and plain values with `sizes`."""
    tables = (recall_lines(f"{title}: {TITLES[name]}", counts, metrics, None) for name, metrics in measured.items())
    values = sizes | {name: plain(metrics) for name, metrics in measured.items()}
    return Result("\n".join(chain(*tables)), values, key)

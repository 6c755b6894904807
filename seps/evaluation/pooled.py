"""What do a model's pooled embeddings rank, and both scores added? `python -m seps.evaluation.pooled`.

    python -m seps.evaluate --model photos --data DIR --split dev --save-similarity seps.npy
    python -m seps.evaluation.pooled --model photos --data DIR --split dev --similarity seps.npy --json results.json

The pooled score is the cosine of mean patch and mean word, without the network: a two-tower's. Added to S(I, T), each
over its standard deviation among all pairs, it makes the ranking of two stages that people use who have both.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from torch import Tensor

from seps.cli import Parser, errors_in_one_line
from seps.data import Split
from seps.evaluation.cli import add_arguments, prepare, write_result
from seps.evaluation.ensemble import read_similarity
from seps.evaluation.results import plain, recall_lines
from seps.evaluation.retrieval import similarity_matrix
from seps.evaluation.scenes import pooled_similarity
from seps.models.model import SEPSModel
from seps.progress import Progress
from seps.search.metrics import RetrievalMetrics, retrieval_metrics

TITLES = {
    "seps": "S(I, T)",
    "pooled": "cosine of mean patch and mean word, without the network",
    "added": "both added, each over its standard deviation",
}


def added(similarity: Tensor, pooled: Tensor) -> Tensor:
    """Add two scores (V, T) of the same pairs, each over its standard deviation."""
    return similarity / similarity.std() + pooled / pooled.std()


def measure_pooled(
    model: SEPSModel, split: Split, similarity: Tensor | None = None, progress: Progress = False
) -> dict[str, RetrievalMetrics]:
    """Measure retrieval by S(I, T), by pooled embeddings, and by both added.

    Args:
        model: whose embeddings are pooled; split: V images with k captions each.
        similarity: S(I, T) of its pairs, (V, V * k), captions alone; computed where left out.

    Returns:
        "seps", "pooled" and "added".

    Raises:
        ValueError: a similarity of another shape.
    """
    needed = (len(split.image_files), len(split.captions))
    if similarity is not None and similarity.shape != needed:  # told before the encoding
        raise ValueError(
            f"The similarity has shape {tuple(similarity.shape)}, but {needed}, images by captions of the split, is "
            "needed."
        )
    pooled = pooled_similarity(model, split, progress)
    if similarity is None:
        similarity = similarity_matrix(model, split, progress=progress)
    scores = {"seps": similarity, "pooled": pooled, "added": added(similarity, pooled)}
    return {name: retrieval_metrics(score, split.captions_per_image) for name, score in scores.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    parser = Parser(prog="python -m seps.evaluation.pooled", description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    parser.add_argument("--similarity", type=Path, metavar="F.npy", help="S(I, T), as --save-similarity wrote it")
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        similarity = None if options.similarity is None else read_similarity(options.similarity)
        model, split = prepare(options)
        measured = measure_pooled(model, split, similarity, progress=True)
        counts = f"{len(split.image_files):,} images, {len(split.captions):,} captions"
        for name, metrics in measured.items():
            print("\n".join(recall_lines(f"{options.model} on {split.name}: {TITLES[name]}", counts, metrics, None)))
        if options.json is not None:
            write_result(options.json, "pooled", {name: plain(metrics) for name, metrics in measured.items()})


if __name__ == "__main__":
    main()

"""What an evaluation found: a record, its JSON and its table."""

from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from statistics import fmean
from typing import Any

from torch import Tensor

from seps.search.metrics import Recall, RetrievalMetrics, retrieval_metrics

FOLDS, FOLD_IMAGES = 5, 1000  # of MS-COCO's test split
TITLES = {  # by protocol
    "captions_only": "captions only",
    "own_dense": "own dense captions",
    "other_dense": "dense captions of other images",
    "authors_protocol": "the authors' protocol, each query with its own image's dense caption, repeated five times",
}


@dataclass(frozen=True)
class CocoFolds:
    """MS-COCO's two results on the first 5,000 images: `folds` of 1,000 consecutive images, and `whole`."""

    folds: tuple[RetrievalMetrics, ...]
    whole: RetrievalMetrics

    @property
    def mean(self) -> RetrievalMetrics:
        """The folds' mean, number by number: what is reported as 1K."""

        def mean(recalls: Iterator[Recall]) -> Recall:
            return Recall(*map(fmean, zip(*map(astuple, recalls), strict=True)))

        return RetrievalMetrics(
            mean(fold.image_to_text for fold in self.folds), mean(fold.text_to_image for fold in self.folds)
        )


@dataclass(frozen=True)
class Evaluation:
    """A model's retrieval on a split; `dense_source`: "written", "joined" of the image's other captions, or None."""

    protocol: str
    model: str
    split: str
    images: int
    captions: int
    dense_source: str | None
    metrics: RetrievalMetrics
    coco: CocoFolds | None
    device: str
    encoding_seconds: float
    scoring_seconds: float
    peak_memory_mb: float
    max_words: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; recalls in per cent, "coco" and "max_words" only where there are any."""
        values = {name: value for name, value in vars(self).items() if name not in ("protocol", "metrics", "coco")}
        if self.max_words is None:
            del values["max_words"]
        return values | plain_recalls(self.metrics, self.coco)

    def table(self) -> str:
        """Return what the program prints."""
        title = TITLES[self.protocol]
        if self.dense_source == "joined":
            title += " (the image's other captions joined)"
        if self.max_words is not None:
            title += f", captions cut at {self.max_words} tokens"
        counts = f"{self.images:,} images, {self.captions:,} captions"
        times = f"encoding {self.encoding_seconds:,.1f} s, scoring {self.scoring_seconds:,.1f} s"
        memory = f"peak memory {self.peak_memory_mb:,.0f} MB on {self.device}"
        lines = recall_lines(f"{self.model or 'model'} on {self.split}: {title}", counts, self.metrics, self.coco)
        hits = []  # queries with a right answer among the first 1, 5 and 10
        for (name, recall), queries in zip(directions(self.metrics), (self.images, self.captions), strict=True):
            right = ", ".join(f"{round(value / 100 * queries):,}" for value in (recall.r1, recall.r5, recall.r10))
            hits.append(f"{name} {right} of {queries:,}")
        return "\n".join([*lines, f"hits at 1, 5 and 10: {'; '.join(hits)}", f"{times}, {memory}"])


def recall_lines(title: str, counts: str, metrics: RetrievalMetrics, coco: CocoFolds | None) -> list[str]:
    """Return a table: its title, what its columns are, the whole split under `counts`, and MS-COCO's folds if any."""
    rows = rows_of(counts, metrics)
    if coco is not None:
        rows += rows_of(f"{FOLDS} folds of {FOLD_IMAGES:,} images, mean", coco.mean)
        for number, fold in enumerate(coco.folds, start=1):
            rows += rows_of(f"fold {number}", fold)
        rows += rows_of(f"{FOLDS * FOLD_IMAGES:,} images", coco.whole)
    heads = "".join(f"{head:>13}" for head in ("R@1", "R@5", "R@10", "median rank", "rSum"))
    return [title, f"{'':36}{heads}", *rows]


def plain_recalls(metrics: RetrievalMetrics, coco: CocoFolds | None) -> dict[str, Any]:
    """Return a split's recalls as JSON holds them, with "coco" only where there are folds."""
    values = plain(metrics)
    if coco is not None:
        folds = [plain(fold) for fold in coco.folds]
        values["coco"] = {"1k": plain(coco.mean), "1k_folds": folds, "5k": plain(coco.whole)}
    return values


def directions(metrics: RetrievalMetrics) -> tuple[tuple[str, Recall], ...]:
    """Return both directions with their titles."""
    return ("image to text", metrics.image_to_text), ("text to image", metrics.text_to_image)


def plain(metrics: RetrievalMetrics) -> dict[str, Any]:
    """Metrics as JSON holds them."""
    return asdict(metrics) | {"rsum": metrics.rsum}


def rows_of(title: str, metrics: RetrievalMetrics) -> list[str]:
    """Return a table's lines: a title with rSum, and one a direction."""
    lines = [f"{title:36}{'':52}{metrics.rsum:13.1f}"]
    for name, recall in directions(metrics):
        recalls = "".join(f"{number:13.1f}" for number in (recall.r1, recall.r5, recall.r10))
        lines.append(f"  {name:34}{recalls}{recall.median_rank:13g}")
    return lines


def coco_folds(similarity: Tensor, captions_per_image: int) -> CocoFolds | None:
    """MS-COCO's folds of a matrix (V, V * k); None where there are fewer than 5,000 images."""

    def metrics(first: int, last: int) -> RetrievalMetrics:
        columns = slice(first * captions_per_image, last * captions_per_image)
        return retrieval_metrics(similarity[first:last, columns], captions_per_image)

    if len(similarity) < FOLDS * FOLD_IMAGES:
        return None
    starts = range(0, FOLDS * FOLD_IMAGES, FOLD_IMAGES)
    return CocoFolds(tuple(metrics(first, first + FOLD_IMAGES) for first in starts), metrics(0, FOLDS * FOLD_IMAGES))

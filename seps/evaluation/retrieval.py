"""How well does a model find captions for images and images for captions?

    python -m seps.evaluate --model photos --data DIR --split dev --dense none --json results.json

prints recall at 1, 5 and 10 both ways, and writes it under the key of the protocol: `captions_only`, as a person
types; `own_dense`, each caption with its own image's dense caption; `other_dense`, with another image's.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from seps.cli import errors_in_one_line
from seps.data import PROTOCOLS, Split, dense_captions, open_image
from seps.evaluation.cli import add_arguments, prepare, write_result
from seps.evaluation.results import Evaluation, coco_folds
from seps.models.model import PHOTOS_AT_ONCE, SEPSModel
from seps.progress import Progress, batches
from seps.search.engine import ScoringEngine
from seps.search.index import CaptionIndex, ImageIndex
from seps.search.metrics import retrieval_metrics

KEYS = {"none": "captions_only", "own": "own_dense", "other": "other_dense"}  # by protocol
CAPTIONS_AT_ONCE = 500  # encoded, scored and forgotten again


class Stopwatch:
    """Adds up the seconds spent inside `with`, work on a GPU included."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.seconds = 0.0

    def __enter__(self) -> None:
        self.seconds -= time.perf_counter()

    def __exit__(self, *_: object) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self.seconds += time.perf_counter()


def evaluate(
    model: SEPSModel, split: Split, protocol: str = "none", progress: Progress = False, name: str = ""
) -> Evaluation:
    """Measure retrieval on a split: every image against every caption.

    Memory holds the images' embeddings (V, N[+1], C) and the scores (V, V * k). Captions come and go 500 at a time,
    a dense caption that several of them share encoded once, so that dense captions of 200 words and 512 channels
    take 200 MB, and a few times that while they are indexed, however many there are.

    Args:
        model: in whatever mode; it is measured as in evaluation mode, and its mode stays.
        split: V images with k captions each.
        protocol: "none", "own" or "other", see `seps.data.dense_captions`.
        progress: as in `ScoringEngine`.
        name: the model's, for the record.

    Raises:
        ValueError: a protocol or a split that `dense_captions` refuses, a photograph that cannot be read.
    """
    encoding, scoring = Stopwatch(model.device), Stopwatch(model.device)
    if model.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(model.device)
    similarity = similarity_matrix(model, split, protocol, progress, encoding, scoring)
    k = split.captions_per_image
    return Evaluation(
        protocol=KEYS[protocol],
        model=name,
        split=split.name,
        images=len(split.image_files),
        captions=len(split.captions),
        dense_source=None if protocol == "none" else "joined" if split.dense is None else "written",
        metrics=retrieval_metrics(similarity, k),
        coco=coco_folds(similarity, k),
        device=str(model.device),
        encoding_seconds=encoding.seconds,
        scoring_seconds=scoring.seconds,
        peak_memory_mb=peak_memory_mb(model.device),
    )


def similarity_matrix(
    model: SEPSModel,
    split: Split,
    protocol: str = "none",
    progress: Progress = False,
    encoding: Stopwatch | None = None,
    scoring: Stopwatch | None = None,
) -> Tensor:
    """S(I, T) of every image and every caption of a split, (V, V * k); arguments and errors as `evaluate`.

    Args:
        encoding, scoring: count the seconds of each.
    """
    dense = dense_captions(split, protocol)
    encoding, scoring = encoding or Stopwatch(model.device), scoring or Stopwatch(model.device)
    engine = ScoringEngine(model.cross_net, progress=progress)

    def encode(part: slice) -> CaptionIndex:
        with encoding:
            embeddings, lengths = model.encode_captions(split.captions[part])
            if dense is None:
                return engine.encode_captions(embeddings, lengths)
            return engine.encode_captions(embeddings, lengths, *encode_dense(model, dense[part]))

    with encoding:
        images = engine.encode_images(encode_files(model, split.image_files, progress))
    return score_in_parts(engine, images, len(split.captions), encode, scoring)


def score_in_parts(
    engine: ScoringEngine,
    images: ImageIndex,
    captions: int,
    encode: Callable[[slice], CaptionIndex],
    stopwatch: Stopwatch,
) -> Tensor:
    """S(I, T) of all pairs, (V, T), with no more captions in memory than `CAPTIONS_AT_ONCE`."""
    similarity = torch.empty(len(images), captions)
    for part in batches(captions, CAPTIONS_AT_ONCE, engine.progress, "Captions"):
        texts = encode(part)
        with stopwatch:
            similarity[:, part] = engine.score(images, texts)
    return similarity


def encode_files(model: SEPSModel, files: Sequence[Path], progress: Progress = False) -> Tensor:
    """Patch embeddings (V, N[+1], C) of image files, of which a few are open at a time."""
    embeddings: Tensor | None = None
    for part in batches(len(files), PHOTOS_AT_ONCE, progress, "Encoding photographs"):
        encoded = model.encode_photos([open_image(file) for file in files[part]])
        if embeddings is None:
            embeddings = encoded.new_empty(len(files), *encoded.shape[1:])
        embeddings[part] = encoded
    if embeddings is None:
        raise ValueError("files has 0 photographs, but at least 1 is needed.")
    return embeddings


def encode_dense(model: SEPSModel, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Dense captions (T, L_d, C) and their lengths (T,); a text that comes again is encoded once."""
    number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    embeddings, lengths = model.encode_captions(list(number), dense=True)
    rows = torch.tensor([number[text] for text in texts])  # (T,)
    return embeddings[rows.to(embeddings.device)], lengths[rows]


def peak_memory_mb(device: torch.device) -> float:
    """As `Evaluation` has it."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (2**20 if sys.platform == "darwin" else 2**10)  # Linux counts in kilobytes, macOS in bytes


def main(arguments: Sequence[str] | None = None) -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m seps.evaluate", description="Recall at 1, 5 and 10, both ways.")
    add_arguments(parser)
    parser.add_argument(
        "--dense", choices=PROTOCOLS, default="none", help="dense captions beside the captions: none, own, another's"
    )
    options = parser.parse_args(arguments)
    with errors_in_one_line():
        model, split = prepare(options)
        evaluation = evaluate(model, split, options.dense, progress=True, name=options.model)
        print(evaluation.table())
        if options.json is not None:
            write_result(options.json, evaluation.protocol, evaluation.as_dict())

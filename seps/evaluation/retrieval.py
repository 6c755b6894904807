"""Recall of a model: captions for images and images for captions."""

import argparse
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from seps.common.cli import whole_number
from seps.common.progress import Progress, batches
from seps.data import PROTOCOLS, Split, dense_captions, no_dense, open_image
from seps.evaluation.cli import Result, add_model_and_split, prepare
from seps.evaluation.ensemble import check_similarity_file, save_similarity
from seps.evaluation.results import Evaluation, coco_folds
from seps.models.model import SEPSModel, photo_batch_size
from seps.search.engine import ScoringEngine
from seps.search.metrics import retrieval_metrics

AUTHORS = "authors"
KEYS = {"none": "captions_only", "own": "own_dense", "other": "other_dense", AUTHORS: "authors_protocol"}
CAPTION_BATCH_SIZE = 500  # encoded, scored and forgotten again

Seconds = defaultdict[str, float]  # of "encoding" and "scoring"


@contextmanager
def timed(seconds: Seconds, part: str, device: torch.device) -> Iterator[None]:
    """Add the seconds spent inside `with` to a part's, work on a GPU included."""
    start = time.perf_counter()
    yield
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    seconds[part] += time.perf_counter() - start


def evaluate(
    model: SEPSModel,
    split: Split,
    protocol: str = "none",
    progress: Progress = False,
    name: str = "",
    max_words: int | None = None,
    similarity_file: Path | None = None,
) -> Evaluation:
    """Measure retrieval on a split, every image against every caption, under a protocol of `query_dense`.

    The scores, (V, V * k) float32, go to `similarity_file` (.npy).
    """
    seconds: Seconds = defaultdict(float)
    if model.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(model.device)
    with cut_at(model, max_words):
        similarity = similarity_matrix(model, split, protocol, progress, seconds)
    if similarity_file is not None:
        save_similarity(similarity_file, similarity)
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
        encoding_seconds=seconds["encoding"],
        scoring_seconds=seconds["scoring"],
        peak_memory_mb=peak_memory_mb(model.device),
        max_words=max_words,
    )


@contextmanager
def cut_at(model: SEPSModel, max_words: int | None) -> Iterator[None]:
    """Cut a model's captions at `max_words` tokens, including [CLS] and [SEP]; None: at the model's limit."""
    if max_words is None:
        yield
        return
    config = model.config
    text = replace(config.text, max_words=max_words)
    model.txt_enc.check_positions(text)
    model.config = replace(config, text=text)
    try:
        yield
    finally:
        model.config = config


def query_dense(split: Split, protocol: str) -> list[str] | None:
    """Return the dense caption of each query, (V * k), as `seps.data.dense_captions`, or as "authors" measure."""
    if protocol != AUTHORS:
        return dense_captions(split, protocol)
    if split.dense is None:
        raise ValueError(f"{no_dense(split)}, but the authors' protocol needs one an image: write them.")
    if len(split.dense) != len(split.image_ids):
        counts = f"{len(split.dense)} dense captions for {len(split.image_ids)} images"
        raise ValueError(f"Split {split.name} has {counts}, but the authors' protocol needs one an image: choose own.")
    return dense_captions(split, "own")


def similarity_matrix(
    model: SEPSModel, split: Split, protocol: str = "none", progress: Progress = False, seconds: Seconds | None = None
) -> Tensor:
    """S(I, T) of every image and every caption of a split, (V, V * k), with few captions in memory at a time."""
    dense, seconds = query_dense(split, protocol), defaultdict(float) if seconds is None else seconds
    engine = ScoringEngine(model.cross_net, progress=progress)
    with timed(seconds, "encoding", model.device):
        images = engine.encode_images(encode_files(model, split.image_files, progress))
    similarity = torch.empty(len(images), len(split.captions))
    for part in batches(len(split.captions), CAPTION_BATCH_SIZE, progress, "Captions"):
        with timed(seconds, "encoding", model.device):
            texts = model.encode_captions(split.captions[part])
            captions = engine.encode_captions(*texts, *(encode_dense(model, dense[part]) if dense else ()))
        with timed(seconds, "scoring", model.device):
            similarity[:, part] = engine.score(images, captions)
    return similarity


def encode_files(model: SEPSModel, files: Sequence[Path], progress: Progress = False) -> Tensor:
    """Patch embeddings (V, N[+1], C) of image files, of which a few are open at a time."""
    embeddings = torch.empty(0)
    for part in batches(len(files), photo_batch_size(model.device), progress, "Encoding photographs"):
        encoded = model.encode_photos([open_image(file) for file in files[part]])
        if not part.start:
            embeddings = encoded.new_empty(len(files), *encoded.shape[1:])
        embeddings[part] = encoded
    return embeddings


def encode_dense(model: SEPSModel, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Dense captions (T, L_d, C) and their lengths (T,); a text that comes again is encoded once."""
    number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    embeddings, lengths = model.encode_captions(list(number), dense=True)
    rows = torch.tensor([number[text] for text in texts])  # (T,)
    return embeddings[rows.to(embeddings.device)], lengths[rows]


def peak_memory_mb(device: torch.device) -> float:
    """Return the peak memory in MB, of the GPU or of the process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (2**20 if sys.platform == "darwin" else 2**10)  # Linux counts in kilobytes, macOS in bytes


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `recall`."""
    add_model_and_split(parser)
    help_text = "dense captions: none, own, another image's, or own as the authors measure; or several of these"
    parser.add_argument("--dense", choices=(*PROTOCOLS, AUTHORS), nargs="+", default=["none"], help=help_text)
    parser.add_argument("--max-words", type=whole_number, metavar="N", help="cut captions at N tokens")
    parser.add_argument("--save-similarity", type=Path, metavar="F.npy", help="write the scores, images by captions")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure a model under each requested protocol."""
    if options.save_similarity is not None:
        check_similarity_file(options.save_similarity, len(options.dense))
    model, split = prepare(options)
    for protocol in options.dense:
        query_dense(split, protocol)  # fail before hours of work
    for protocol in options.dense:
        evaluation = evaluate(model, split, protocol, True, options.model, options.max_words, options.save_similarity)
        yield Result(evaluation.table(), evaluation.as_dict(), evaluation.protocol)

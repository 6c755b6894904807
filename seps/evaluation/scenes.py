"""Retrieval among scenes: colours left out of training, and errors whose caption still describes the scene."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.common.progress import Progress
from seps.data import Split
from seps.data.problems import parse_object
from seps.evaluation.cli import Result, add_model_and_split, prepare
from seps.evaluation.retrieval import encode_files, similarity_matrix
from seps.models.model import SEPSModel
from seps.scenes.captions.phrases import Statement
from seps.scenes.captions.truth import true_of
from seps.scenes.graph import Scene, from_json
from seps.search.metrics import Recall, image_to_text_ranks, summarize, text_to_image_ranks

GROUPS = ("all", "seen", "unseen")


@dataclass(frozen=True)
class Graphs:
    """Graphs of a split's V scenes, and the statements of each of the V * k captions."""

    scenes: tuple[Scene, ...]
    statements: tuple[tuple[Statement, ...], ...]


@dataclass(frozen=True)
class Misses:
    """Queries of one direction with a wrong first answer; `true` counts captions that still hold."""

    queries: int
    misses: int
    true: int


@dataclass(frozen=True)
class SceneRetrieval:
    """Recalls by group of queries ("all", "seen", "unseen") and direction, and misses by direction."""

    model: str
    scored: str
    split: str
    images: int
    captions: int
    recalls: dict[str, dict[str, Recall]]
    misses: dict[str, Misses]

    def table(self) -> str:
        """Return the report to print."""
        lines = [f"{self.model or 'model'} on {self.split}, by {self.scored}: {self.images:,} scenes, captions only"]
        for group, directions in self.recalls.items():
            for name, recall in directions.items():
                numbers = f"R@1 {recall.r1:5.1f}  R@5 {recall.r5:5.1f}  R@10 {recall.r10:5.1f}"
                lines.append(f"  {group:7} {name.replace('_', ' '):14} {numbers}  mean rank {recall.mean_rank:.1f}")
        for name, missed in self.misses.items():
            lines.append(
                f"  {name.replace('_', ' ')}: {missed.misses:,} of {missed.queries:,} first answers are another "
                f"scene's; of {missed.true:,} of these the caption is true all the same"
            )
        return "\n".join(lines)


def read_graphs(folder: Path, split: Split) -> Graphs:
    """Read `{split}_scenes.jsonl` for the images of the split; ValueError if it is unreadable or does not match."""
    path = folder / f"{split.name}_scenes.jsonl"
    try:
        with path.open("rb") as lines:
            numbered = enumerate(zip(lines, split.image_files, strict=False), start=1)
            records = [parse_object(line, f"{path}, line {number},") for number, (line, _) in numbered]
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error}): only scenes that seps.scenes wrote have graphs.") from error
    try:
        captions = [caption for record in records for caption in record["captions"]]
        texts = [caption["text"] for caption in captions]
        statements = tuple(tuple(map(tuple, caption["statements"])) for caption in captions)
        scenes = tuple(map(from_json, records))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds a scene without its graph ({error}): write the split again.") from error
    if texts != list(split.captions):
        raise ValueError(f"{path} holds other captions than {split.name}_caps.txt: write the split again.")
    return Graphs(scenes, statements)


def measure(similarity: Tensor, graphs: Graphs, captions_per_image: int) -> tuple[dict[str, dict[str, Recall]], Any]:
    """Return `SceneRetrieval.recalls` and `SceneRetrieval.misses` of similarities (V, V * k)."""
    k = captions_per_image
    unseen = torch.tensor([scene.unseen for scene in graphs.scenes])  # (V,)
    ranks = {
        "image_to_text": (image_to_text_ranks(similarity, k), unseen),
        "text_to_image": (text_to_image_ranks(similarity, k), unseen.repeat_interleave(k)),
    }
    recalls: dict[str, dict[str, Recall]] = {group: {} for group in GROUPS}
    for name, (rank, strange) in ranks.items():
        for group, chosen in zip(GROUPS, (rank, rank[~strange], rank[strange]), strict=True):
            if len(chosen):
                recalls[group][name] = summarize(chosen)
    pairs = {  # scene and caption of each query's first answer
        "image_to_text": list(enumerate(similarity.argmax(dim=1).tolist())),
        "text_to_image": [(image, caption) for caption, image in enumerate(similarity.argmax(dim=0).tolist())],
    }
    misses = {}
    for name, answers in pairs.items():
        wrong = [(image, caption) for image, caption in answers if caption // k != image]
        true = sum(true_of(graphs.scenes[image], graphs.statements[caption]) for image, caption in wrong)
        misses[name] = Misses(len(answers), len(wrong), true)
    return {group: by_direction for group, by_direction in recalls.items() if by_direction}, misses


def pooled_similarity(model: SEPSModel, split: Split, progress: Progress = False) -> Tensor:
    """Cosine of each image's mean patch and each caption's mean word: (V, V * k)."""
    patches = encode_files(model, split.image_files, progress)[:, -model.img_enc.num_patches :]  # (V, N, C)
    return compute_pooled_cosines(patches, *model.encode_captions(split.captions, progress=progress))


def compute_pooled_cosines(patches: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
    """Return the cosine of each image's mean patch and each caption's mean word: (V, T), on the CPU."""
    means = words.sum(dim=1) / lengths[:, None].to(words.device)
    return (F.normalize(patches.mean(dim=1), dim=-1) @ F.normalize(means, dim=-1).T).cpu()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `scenes`."""
    add_model_and_split(parser)
    parser.add_argument("--pooled", action="store_true", help="score by mean patch and mean word, without the network")
    parser.add_argument("--key", help="key of the result in FILE (default: scenes, or scenes_pooled)")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure retrieval among drawn scenes."""
    model, split = prepare(options)
    graphs = read_graphs(options.data, split)
    score = pooled_similarity if options.pooled else similarity_matrix
    recalls, misses = measure(score(model, split, progress=True), graphs, split.captions_per_image)
    scored = "pooled" if options.pooled else "seps"
    result = SceneRetrieval(options.model, scored, split.name, len(graphs.scenes), len(split.captions), recalls, misses)
    yield Result(result.table(), asdict(result), options.key or "scenes" + "_pooled" * options.pooled)

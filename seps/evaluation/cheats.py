"""Three degenerate selectors that L_ratio prevents, measured with the losses."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import torch
from torch import Tensor

from seps.common.checks import check_whole
from seps.common.cli import whole_number
from seps.data import open_image, read_split
from seps.evaluation.cli import Result
from seps.method.losses import align_loss, ratio_loss
from seps.method.selection import count_kept, top_k_mask
from seps.models.hub import load_model
from seps.models.model import SEPSModel
from seps.scenes import write_split
from seps.search.engine import ScoringEngine
from seps.search.metrics import retrieval_metrics

MODEL, BATCH, SEED = "scenes", 64, 5


class Cheat(NamedTuple):
    """A selector's kept ratio in [0, 1], L_align (all and hardest negatives), L_ratio, and mean R@1 in per cent."""

    name: str
    kept: float
    align: float
    hardest: float
    ratio: float
    recall: float


def measure_cheats(model: SEPSModel, folder: Path, split: str) -> list[Cheat]:
    """Measure a model's own decisions and the three cheats on a split, with the first caption of each image."""
    scenes = read_split(folder, split)
    captions = scenes.captions[:: scenes.captions_per_image]
    network, engine = model.cross_net, ScoringEngine(model.cross_net)
    embeddings = model.encode_photos([open_image(file) for file in scenes.image_files])
    images = engine.encode_images(embeddings)
    texts = engine.encode_captions(*model.encode_captions(captions))
    with torch.inference_mode():
        by_image = network.encode_images(embeddings.to(model.device)).s_im.cpu()  # (B, N)
    count = count_kept(network.num_patches, network.sparse_ratio)
    masks: dict[str, Tensor | None] = {
        "its own decision": None,
        "keeps all": torch.ones_like(by_image, dtype=torch.bool),
        "keeps one": top_k_mask(by_image, 1),
        "keeps the same for every caption": top_k_mask(by_image, count),
    }
    rows = []
    for name, mask in masks.items():
        similarity = engine.score(images, texts, mask=mask)  # (B, B)
        kept = torch.full((1,), count / network.num_patches) if mask is None else mask.float()
        metrics = retrieval_metrics(similarity)
        recall = (metrics.image_to_text.r1 + metrics.text_to_image.r1) / 2
        align, hardest = align_loss(similarity), align_loss(similarity, max_violation=True)
        ratio = ratio_loss(kept, network.sparse_ratio)
        rows.append(Cheat(name, float(kept.mean()), float(align), float(hardest), float(ratio), recall))
    return rows


def table(rows: Sequence[Cheat]) -> str:
    """Return the measurement as a Markdown table."""
    head = ("selector", "kept", "L_align", "hardest negatives", "L_ratio", "mean R@1")
    cells = [
        (row.name, f"{row.kept:.3f}", f"{row.align:.2f}", f"{row.hardest:.2f}", f"{row.ratio:.4f}", f"{row.recall:.1f}")
        for row in rows
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *cells))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measure `cheats`."""
    parser.add_argument("--scenes", type=whole_number, default=BATCH, metavar="N", help=f"how many are drawn ({BATCH})")


def run(options: argparse.Namespace) -> Iterator[Result]:
    """Measure cheating selectors of the model that ships on new scenes, drawn for it and thrown away."""
    with TemporaryDirectory() as folder:
        write_split(folder, "dev", check_whole("--scenes", options.scenes), SEED)
        rows = measure_cheats(load_model(MODEL), Path(folder), "dev")
    yield Result(table(rows), {row.name: row._asdict() for row in rows}, "cheats")

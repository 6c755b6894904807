"""Batches of a training stage: pictures, captions and their precomputed features."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from seps.generator.config import GeneratorConfig
from seps.generator.model.network import normalise
from seps.generator.training.data import Captioned, Features, features_of, maps_of, objects_of
from seps.generator.training.losses import Batch, Objective
from seps.generator.training.settings import Stage
from seps.generator.training.teacher import TeacherPatches

POOL = 16  # number of batches sorted by caption length together


class Source(NamedTuple):
    """Data of a split from which batches are made, each part None if it is not precomputed."""

    captioned: Captioned
    latents: Tensor | None = None
    teacher: TeacherPatches | None = None
    places: Tensor | None = None
    features: Tensor | None = None
    cells: Features | None = None


@torch.no_grad()
def prepare(objective: Objective, stage: Stage, source: Source, cache: Path) -> Source:
    """Precompute what a stage needs of a split's pictures; ValueError where weighted places find no objects."""
    settings, network, captioned = objective.settings, objective.network, source.captioned
    losses, more = {*stage.losses}, settings.object_weight - 1
    if "diffusion" in losses and more:
        covered = objects_of(captioned.split, network.config.latent_size)  # (V, h, w)
        source = source._replace(places=1 + more * covered)
    if "diffusion" in losses and not losses - {"diffusion", "representation"}:
        latents, seen = [], []
        rows = torch.arange(len(captioned)).split(settings.batch(stage))
        for chosen in tqdm(rows, f"Latents of {captioned.split.name}", leave=False):
            pictures = normalise(captioned.values(chosen)).to(network.device)
            latents.append(network.autoencoder.encode(pictures).cpu())
            if "representation" in losses:
                seen.append(network.images.maps(pictures).half().cpu())
        source = source._replace(latents=torch.cat(latents), features=torch.cat(seen) if seen else None)
    if needs_only_cells(network.config, stage):
        cells = features_of(network, captioned.split, cache, settings.mirrored, settings.crops)
        source = source._replace(cells=cells)
    return source


def needs_only_cells(config: GeneratorConfig, stage: Stage) -> bool:
    """Return whether a stage needs of pictures only what a frozen image encoder makes of them."""
    return config.encoders.frozen and not {*stage.losses} - {"captions", "contrastive"}


def epoch_batches(objective: Objective, stage: Stage, source: Source) -> Iterator[Batch]:
    """Yield an epoch's shuffled batches, each image once with one of its captions."""
    size, count = objective.settings.batch(stage), len(source.captioned)
    order = torch.randperm(count)
    which = torch.randint(source.captioned.split.captions_per_image, (count,))
    if source.cells is not None:
        order = batch_by_length(order, source.captioned.captions(order, which[order])[1], size)
    for start in range(0, max(count - size, 0) + 1, size):
        rows = order[start : start + size]
        yield make_batch(objective, stage, source, rows, which[rows])


def batch_by_length(order: Tensor, lengths: Tensor, size: int) -> Tensor:
    """Reorder random rows (n,) into shuffled batches of `size` with captions of similar `lengths` (n,)."""
    pools = [
        rows[kept.argsort()] for rows, kept in zip(order.split(POOL * size), lengths.split(POOL * size), strict=True)
    ]
    batches = torch.cat(pools).split(size)
    whole, rest = [batch for batch in batches if len(batch) == size], [batch for batch in batches if len(batch) < size]
    return torch.cat([*(whole[i] for i in torch.randperm(len(whole)).tolist()), *rest])


def make_batch(objective: Objective, stage: Stage, source: Source, rows: Tensor, which: Tensor) -> Batch:
    """Return the images of these rows, each with its caption number `which`, on the generator's device."""
    device = objective.network.device
    captioned, latents, teacher, places, features, cells = source
    ids, lengths = captioned.captions(rows, which)
    pictures = None if latents is not None or cells is not None else normalise(captioned.values(rows)).to(device)
    chosen = None if latents is None else latents[rows].to(device)
    patches = teacher.of(rows).to(device) if teacher is not None and "teacher" in stage.losses else None
    counting = places[rows].to(device) if places is not None and "diffusion" in stage.losses else None
    seen = None if features is None else features[rows].to(device)
    if cells is not None:
        images = objective.network.images
        seen = maps_of(cells, rows, images.side, objective.network.captioner.training).to(device)
    return Batch(pictures, chosen, ids.to(device), lengths, patches, counting, seen)

"""What changes as training goes on: learning rates, the weight of the ratio loss, which batches meet."""

from __future__ import annotations

import torch
from torch import Tensor

MILESTONES, DECAY = (9, 15, 20, 25), 0.3
LAST_SHARE = 0.02
FAR, NEAR = 0.1, 0.02


def rate_factor(schedule: str, epoch: int, step: int, total: int, warm_steps: int) -> float:
    """The learning rate of a step as a share of its setting.

    Args:
        schedule: "multistep", times 0.3 from epochs 9, 15, 20 and 25 on; "linear", down to 2% at the end.
        epoch: counted from 0; step: of all `total` steps, counted from 0.
        warm_steps: steps over which the rate rises.
    """
    rise = min(1.0, (step + 1) / warm_steps) if warm_steps else 1.0
    if schedule == "multistep":
        return rise * DECAY ** sum(epoch >= milestone for milestone in MILESTONES)
    return rise * max(LAST_SHARE, 1.0 - step / total)


def adapt_ratio_weight(weight: float, kept: float, target: float) -> float:
    """The ratio loss's weight for the next epoch: doubled while the kept ratio is more than 0.1 off its target,
    halved when within 0.02, otherwise as it was."""
    off = abs(kept - target)
    if off > FAR:
        return 2.0 * weight
    return 0.5 * weight if off <= NEAR else weight


def shuffled_batches(captions: int, batch_size: int, generator: torch.Generator) -> list[Tensor]:
    """An epoch's batches of caption indices, each (B,); what does not fill a batch is left out."""
    order = torch.randperm(captions, generator=generator)
    return list(order[: captions // batch_size * batch_size].view(-1, batch_size))


def similar_batches(
    pooled: Tensor, captions_per_image: int, taken: int, batch_size: int, noise: float, generator: torch.Generator
) -> list[Tensor]:
    """An epoch's batches of caption indices whose images are alike, no image twice in a batch.

    Images are sorted along a random direction of their pooled embeddings, with noise, and cut into batches.

    Args:
        pooled: (V, C), the images' pooled embeddings.
        captions_per_image: k; taken: how many of them, drawn at random, meet in this epoch, 1 to k.
        batch_size: B, at most V.
        noise: in standard deviations along the direction.
        generator: of direction, noise and order.
    """
    along = pooled.float() @ torch.randn(pooled.shape[1], generator=generator)  # (V,)
    along = along + noise * along.std() * torch.randn(len(along), generator=generator)
    images = along.argsort()  # (V,)
    turns = torch.stack([torch.randperm(captions_per_image, generator=generator) for _ in range(len(images))])  # (V, k)
    batches = []
    for turn in turns.T[:taken]:  # one caption of every image at a time
        captions = images * captions_per_image + turn[images]  # (V,)
        batches += list(captions[: len(captions) // batch_size * batch_size].view(-1, batch_size))
    return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]

"""The loss on s^p of equation (1): what the image's captions name is significant, the rest is not."""

from __future__ import annotations

import torch
from torch import Tensor

MIN_PROBABILITY = 1e-4  # bounds the logarithms where s^p is all but 0 or 1


def significance_loss(s_p: tuple[Tensor, ...], named: Tensor) -> Tensor:
    """Compute the binary cross-entropy of s^p and the named patches, both classes weighted equally per image.

    With top-k decisions the ranking loss hardly reaches s^p; see also `seps.training.selecting.compute_learning_mask`.

    Args:
        s_p: per branch (B', N) in (0, 1); named: (B', N) bool; both from `seps.training.selecting.named_s_p`, without
            images in which nothing or everything is named.

    Returns:
        Scalar, mean over branches and images; log 2 if s^p is 1/2 everywhere, 0 without images.
    """
    if not len(named):
        return s_p[0].new_zeros((), dtype=torch.float32)
    losses = []
    for probability in s_p:
        probability = probability.clamp(MIN_PROBABILITY, 1 - MIN_PROBABILITY)
        inside = -(probability.log() * named).sum(dim=1) / named.sum(dim=1)  # (B',)
        outside = -((1 - probability).log() * ~named).sum(dim=1) / (~named).sum(dim=1)  # (B',)
        losses.append((inside + outside).mean() / 2)
    return torch.stack(losses).mean().float()

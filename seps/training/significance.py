"""The loss on s^p of equation (1): what the image's captions name is significant, the rest is not."""

from __future__ import annotations

import torch
from torch import Tensor

MIN_PROBABILITY = 1e-4  # bounds the logarithms where s^p is all but 0 or 1


def significance_loss(s_p: tuple[Tensor, ...], named: Tensor) -> Tensor:
    """Compare s^p with what captions name: binary cross-entropy, in which each image's named patches weigh as much
    together as its others.

    Under top-k decisions the ranking loss hardly reaches s^p, see `seps.training.selecting.learning_mask` for another
    way.

    Args:
        s_p: of each branch (B', N) in (0, 1); named: (B', N) bool, True on patches that a phrase of any of the image's
            captions names. Both from `seps.training.selecting.named_s_p`, without images of which nothing or
            everything is named: they teach nothing.

    Returns:
        Scalar, mean over branches and images; log 2 where s^p is 1/2 everywhere, 0 without images.
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

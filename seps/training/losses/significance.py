"""The loss on s^p of equation (1): what the image's captions name is significant, the rest is not."""

import torch
from torch import Tensor

MIN_PROBABILITY = 1e-4  # bounds the logarithms where s^p is all but 0 or 1


def significance_loss(s_p: tuple[Tensor, ...], named: Tensor) -> Tensor:
    """Compute the binary cross-entropy of s^p and the named patches, both classes weighted equally per image."""
    if not len(named):
        return s_p[0].new_zeros((), dtype=torch.float32)
    losses = []
    for probability in s_p:
        probability = probability.clamp(MIN_PROBABILITY, 1 - MIN_PROBABILITY)
        inside = -(probability.log() * named).sum(dim=1) / named.sum(dim=1)  # (B',)
        outside = -((1 - probability).log() * ~named).sum(dim=1) / (~named).sum(dim=1)  # (B',)
        losses.append((inside + outside).mean() / 2)
    return torch.stack(losses).mean().float()

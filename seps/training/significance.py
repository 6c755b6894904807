"""The loss on s^p of equation (1): what the image's captions name is significant, the rest is not."""

from __future__ import annotations

import torch
from torch import Tensor

from seps.method.selection import TokenSparse

MIN_PROBABILITY = 1e-4  # bounds the logarithms where s^p is all but 0 or 1


def significance_loss(predictors: tuple[TokenSparse, ...], patches: Tensor, named: Tensor) -> Tensor:
    """Compare s^p with what captions name: binary cross-entropy, in which each image's named patches weigh as much
    together as its others.

    Under top-k decisions the ranking loss hardly reaches s^p, see `seps.training.maps.learning_mask` for another way.
    Embeddings receive no gradient.

    Args:
        predictors: the branches' of the paper variant; patches: (B, N, C).
        named: (B, N) bool, True on patches that a phrase of any of the image's captions names. An image of which
            nothing or everything is named teaches nothing.

    Returns:
        Scalar, mean over branches and images; log 2 where s^p is 1/2 everywhere.
    """
    chosen = named.any(dim=1) & ~named.all(dim=1)  # (B,)
    if not bool(chosen.any()):
        return patches.new_zeros(())
    patches, named = patches.detach()[chosen], named[chosen]
    losses = []
    for predictor in predictors:
        s_p = predictor.predict(patches)  # (B', N)
        if s_p is None:
            raise ValueError(
                "The released variant has no s^p: set use_paper_version to true or significance_weight to 0."
            )
        s_p = s_p.clamp(MIN_PROBABILITY, 1 - MIN_PROBABILITY)
        inside = -(s_p.log() * named).sum(dim=1) / named.sum(dim=1)  # (B',)
        outside = -((1 - s_p).log() * ~named).sum(dim=1) / (~named).sum(dim=1)  # (B',)
        losses.append((inside + outside).mean() / 2)
    return torch.stack(losses).mean().to(patches.dtype)

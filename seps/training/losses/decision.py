"""The loss on the decision: a phrase's mask keeps what the phrase names, and leaves what another phrase names."""

import torch
from torch import Tensor

from seps.training.batches.phrases import PhraseRegions

SOFTNESS = 0.05  # of a kept patch, in units of the score
MIN_KEPT = 1e-3  # bounds the logarithms where a region is all kept or all dropped


def decision_loss(margins: Tensor, regions: PhraseRegions) -> Tensor:
    """Compute -log of the kept share of the own region plus -log of the dropped share of others, means over phrases.

    The mask is the top k of equation (3), softened to a sigmoid of margins (P, N), scores minus the lowest kept one.
    """
    kept = (margins / SOFTNESS).sigmoid()  # (P, N)
    losses = []
    for region, right in ((regions.positive, kept), (regions.other, 1 - kept)):
        present = region.any(dim=1)  # (P,)
        if bool(present.any()):
            fraction = (right * region)[present].sum(dim=1) / region[present].sum(dim=1)
            losses.append(-fraction.clamp_min(MIN_KEPT).log().mean())
    return torch.stack(losses).sum().float() if losses else margins.new_zeros((), dtype=torch.float32)


def blind_loss(scores: Tensor, beta: float) -> Tensor:
    """Compute the spread over patches of `selecting.blind_scores` (B, N), divided by beta, mean over images."""
    spread = scores.var(dim=-1, correction=0).clamp_min(1e-8).sqrt()  # (B,)
    return (spread.mean() / beta).float()

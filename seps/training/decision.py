"""The loss on the decision: a phrase's mask keeps what the phrase names, and leaves what another phrase names."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

SOFTNESS = 0.05  # of a kept patch, in units of the score
MIN_KEPT = 1e-3  # bounds the logarithms where a region is all kept or all dropped


@dataclass(frozen=True)
class PhraseRegions:
    """Phrases used as captions, with their region and the regions of other objects in the image.

    Attributes:
        rows: (P,), image of the batch.
        words: (P, L, D_t) features, or embeddings once projected; lengths: (P,).
        positive: (P, N) bool, patches of the named object.
        other: (P, N) bool, patches of other phrases that do not overlap it; all False without any.
    """

    rows: Tensor
    words: Tensor
    lengths: Tensor
    positive: Tensor
    other: Tensor


def decision_loss(margins: Tensor, regions: PhraseRegions) -> Tensor:
    """Compute how much of the phrase's region each mask drops, and how much of other regions it keeps.

    The mask is the top k of equation (3), softened to a sigmoid of each score's distance from the lowest kept one. The
    gradient reaches s^p, and patches and words through their attentions. s^p and s^im do not depend on the caption and
    rank two regions equally for both of their phrases, so only the caption's attention can separate them.

    Args:
        margins: (P, N), a branch's scores minus the lowest kept one, from `seps.training.selecting.score_margins`.

    Returns:
        Scalar: -log of the kept share of the own region, plus -log of the dropped share of the others, each averaged
            over the phrases that have such a region.
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
    """Compute the spread within an image of the part of equation (3) that does not depend on the caption.

    Args:
        scores: (B, N), a branch's, from `seps.training.selecting.blind_scores`; beta: the caption's weight.

    Returns:
        Scalar: standard deviation over patches, divided by beta, mean over images; 0 if only the caption decides.
    """
    spread = scores.var(dim=-1, correction=0).clamp_min(1e-8).sqrt()  # (B,)
    return (spread.mean() / beta).float()

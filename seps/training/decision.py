"""The loss on the decision: a phrase's mask keeps what the phrase names, and leaves what another phrase names."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

SOFTNESS = 0.05  # of a kept patch, in units of the score
MIN_KEPT = 1e-3  # bounds the logarithms where a region is all kept or all dropped


@dataclass(frozen=True)
class PhraseRegions:
    """Phrases as captions of their own, each with its region and those of the same image's other objects.

    Attributes:
        rows: (P,), the image of the batch that each phrase speaks of.
        words: (P, L, D_t) features, or embeddings once they are projected; lengths: (P,).
        positive: (P, N) bool, patches of what the phrase names.
        other: (P, N) bool, patches of what other phrases of the image name, which lie apart from it; all False
            where there are none.
    """

    rows: Tensor
    words: Tensor
    lengths: Tensor
    positive: Tensor
    other: Tensor


def decision_loss(margins: Tensor, regions: PhraseRegions) -> Tensor:
    """Compute how much of its own region each phrase's mask drops, and how much of the others' regions it keeps.

    The mask is the top k of equation (3), softened to a sigmoid of each score's distance from the lowest kept one, so
    that s^p learns, and with it patches and words, whose attentions carry a gradient here. What knows no caption, s^p
    and s^im, ranks two regions alike for both of their phrases: it helps one as much as it harms the other, so that
    the caption's attention is left to tell them apart.

    Args:
        margins: (P, N), a branch's scores over the lowest kept one, from `seps.training.selecting.score_margins`.

    Returns:
        Scalar: -log of the kept share of the own region, plus -log of the dropped share of the others', mean over the
        phrases that have an own region, and over those that have others.
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
    """Compute the spread within an image of what of equation (3) knows no caption.

    Args:
        scores: (B, N), a branch's, from `seps.training.selecting.blind_scores`; beta: the caption's weight.

    Returns:
        Scalar: the standard deviation over the patches, mean over images, over beta; 0 where the caption alone decides.
    """
    spread = scores.var(dim=-1, correction=0).clamp_min(1e-8).sqrt()  # (B,)
    return (spread.mean() / beta).float()

"""The loss on the decision: a phrase's mask keeps what the phrase names, and leaves what another phrase names."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from seps.method.selection import TokenSparse, kept_count

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


def decision_loss(predictor: TokenSparse, patches: Tensor, directions: Tensor, regions: PhraseRegions) -> Tensor:
    """Compute how much of its own region each phrase's mask drops, and how much of the others' regions it keeps.

    The mask is the top k of equation (3), softened to a sigmoid of each score's distance from the lowest kept one, so
    that s^p learns, and with it patches and words, whose attentions carry a gradient here. What knows no caption, s^p
    and s^im, ranks two regions alike for both of their phrases: it helps one as much as it harms the other, so that
    the caption's attention is left to tell them apart.

    Args:
        predictor: a branch's selection, of the paper variant.
        patches: (B, N, C); directions: (P, C) of unit length, the phrases' mean words.

    Returns:
        Scalar: -log of the kept share of the own region, plus -log of the dropped share of the others', mean over the
        phrases that have an own region, and over those that have others.
    """
    score = phrase_scores(predictor, patches, directions, regions.rows)  # (P, N)
    n = score.shape[-1]
    # With its gradient: a score that rises everywhere keeps no patch more.
    lowest = score.kthvalue(n - kept_count(n, predictor.sparse_ratio) + 1, dim=-1, keepdim=True).values  # (P, 1)
    kept = ((score - lowest) / SOFTNESS).sigmoid()  # (P, N)
    losses = []
    for region, right in ((regions.positive, kept), (regions.other, 1 - kept)):
        present = region.any(dim=1)  # (P,)
        if bool(present.any()):
            fraction = (right * region)[present].sum(dim=1) / region[present].sum(dim=1)
            losses.append(-fraction.clamp_min(MIN_KEPT).log().mean())
    return torch.stack(losses).sum().to(patches.dtype) if losses else patches.new_zeros(())


def phrase_scores(predictor: TokenSparse, patches: Tensor, directions: Tensor, rows: Tensor) -> Tensor:
    """Compute the significance scores of equation (3), with gradients through the attentions too: (P, N).

    Args:
        predictor, patches, directions: as in `decision_loss`.
        rows: (P,), the image of each phrase.
    """
    unit = F.normalize(patches, dim=-1)  # (B, N, C)
    s_im = (unit @ F.normalize(patches.mean(dim=1), dim=-1)[..., None]).squeeze(-1)  # (B, N), equation (2)
    s_st = (unit[rows] @ directions[..., None]).squeeze(-1)  # (P, N), equation (2)
    s_p = known_s_p(predictor, patches)  # (B, N), equation (1)
    return predictor.combine(s_p[rows], {"s_im": s_im[rows].double(), "s_st": s_st.double()})[1]


def blind_loss(predictor: TokenSparse, patches: Tensor) -> Tensor:
    """Compute the spread within an image of what of equation (3) knows no caption, (1 - 2 beta) s^p + 2 beta s^im.

    Args:
        predictor: a branch's selection, of the paper variant; patches: (B, N, C).

    Returns:
        Scalar: the standard deviation over the patches, mean over images, over the caption's weight beta; 0 where the
        caption alone decides.
    """
    unit = F.normalize(patches, dim=-1)
    s_im = (unit @ F.normalize(patches.mean(dim=1), dim=-1)[..., None]).squeeze(-1)  # (B, N), equation (2)
    _, blind = predictor.combine(known_s_p(predictor, patches), {"s_im": s_im.double()})  # (B, N)
    spread = blind.var(dim=-1, correction=0).clamp_min(1e-8).sqrt()  # (B,)
    return (spread.mean() / predictor.coefficients["s_st"]).to(patches.dtype)


def known_s_p(predictor: TokenSparse, patches: Tensor) -> Tensor:
    """Compute s^p of patches (B, N, C): (B, N).

    Raises:
        ValueError: the released variant, which has none.
    """
    s_p = predictor.predict(patches)
    if s_p is None:
        raise ValueError(
            "The released variant has no s^p: set use_paper_version to true, or decision_weight and blind_weight to 0."
        )
    return s_p

"""Share of the variance of an image's patch scores that depends on the caption."""

from __future__ import annotations

from torch import Tensor


def caption_spread(scores: Tensor) -> tuple[float, float]:
    """Split the sum of squares of one image's scores under P captions: the captions' part, and the total.

    Each caption's mean over the patches is subtracted first, since a decision compares patches under one caption. The
    total is over all P N values; the captions' part is around each patch's mean over the captions. Their ratio is the
    caption's share, in [0, 1]: 0 if every caption scores the patches alike.

    Args:
        scores: (P, N), in float64.
    """
    centred = scores - scores.mean(dim=1, keepdim=True)
    return float((centred - centred.mean(dim=0)).square().sum()), float(centred.square().sum())

"""How much of a score's spread within an image is the caption's, and how much any caption would find alike."""

from __future__ import annotations

from torch import Tensor


def caption_spread(scores: Tensor) -> tuple[float, float]:
    """Split the spread of one image's scores under P captions: the sum of squares that is the captions', and all of it.

    Each caption's mean over the patches is taken away first, since a decision compares patches under one caption. The
    whole is then the spread over all P N values; the captions' is that around each patch's mean over the captions. The
    first over the second is the caption's share, in [0, 1]: 0 where every caption scores the patches alike.

    Args:
        scores: (P, N), in float64.
    """
    centred = scores - scores.mean(dim=1, keepdim=True)
    return float((centred - centred.mean(dim=0)).square().sum()), float(centred.square().sum())

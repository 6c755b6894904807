"""Share of the variance of an image's patch scores that depends on the caption."""

from torch import Tensor


def caption_spread(scores: Tensor) -> tuple[float, float]:
    """Split the variance of one image's scores (P, N): the captions' part, and the total."""
    centred = scores - scores.mean(dim=1, keepdim=True)
    return float((centred - centred.mean(dim=0)).square().sum()), float(centred.square().sum())

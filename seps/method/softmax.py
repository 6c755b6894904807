"""The softmax among the patches that a mask keeps: aggregation weights, equation (4), and the extra token's weights."""

import math

from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last dimension among the positions that the mask keeps; zero elsewhere.

    The mask multiplies the exponentials, so that a straight-through mask receives its gradient.

    Args:
        logits: (..., N).
        mask: broadcastable to logits, 1 keeps and 0 drops.

    Returns:
        (..., N), each row summing to 1, or all zero where the mask keeps nothing.
    """
    mask = mask.to(logits.dtype)
    highest = logits.detach().masked_fill(mask == 0, -math.inf).amax(dim=-1, keepdim=True)
    highest = highest.masked_fill(highest.isinf(), 0.0)
    # At most 0 where kept. Where dropped it may be anything, and only a straight-through gradient sees it: the
    # clamp keeps that gradient bounded.
    weights = (logits - highest).clamp(max=5.0).exp() * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1.0)  # the highest kept one adds exactly 1

"""Equation (5) from products of words and tokens: what a block's pairs have of `seps.method.alignment`."""

from __future__ import annotations

import torch
from torch import Tensor

from seps.method.network import CrossSparseAggrNet


def align(model: CrossSparseAggrNet, products: Tensor, norms: Tensor, cls: Tensor | None, lengths: Tensor) -> Tensor:
    """Compute S of every pair from its tokens' products with the words, equation (5).

    Args:
        model: either variant.
        products: (..., T, L, M), words by tokens; overwritten.
        norms: (..., T, M), the tokens' lengths, above 0.
        cls: (..., T, L), cosines of words and [CLS], if images have one.
        lengths: (T,), words a caption.

    Returns:
        (..., T).
    """
    hrpa = model.hrpa
    beyond = torch.arange(products.shape[-2], device=lengths.device) >= lengths[:, None]  # (T, L)
    cosines = products.div_(norms.unsqueeze(-2))  # (..., T, L, M)
    best_of_word = cosines.amax(dim=-1)  # (..., T, L)
    shortest = int(lengths.min())
    cosines[..., shortest:, :].masked_fill_(beyond[:, shortest:, None], -torch.inf)
    best_of_token = cosines.amax(dim=-2)  # (..., T, M)
    if cls is not None:
        best_of_word = torch.maximum(best_of_word, cls)
        best_of_cls = cls.masked_fill(beyond, -torch.inf).amax(dim=-1, keepdim=True)  # (..., T, 1)
        best_of_token = torch.cat([best_of_cls, best_of_token], dim=-1)
    # The leaky ReLU rises everywhere, so that the maximum may be taken first.
    best_of_word, best_of_token = hrpa.activate(best_of_word), hrpa.activate(best_of_token)
    similarity = best_of_token.mean(dim=-1) + best_of_word.masked_fill(beyond, 0.0).sum(dim=-1) / lengths
    for best in (best_of_token, best_of_word.masked_fill(beyond, -torch.inf)):
        similarity = similarity + hrpa.relevance(best.to(model.dtype))
    return similarity

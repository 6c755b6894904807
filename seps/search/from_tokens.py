"""The first order of multiplication: tokens are built, w X, and then meet the words, for many captions at a time."""

from __future__ import annotations

import torch
from torch import Tensor

from seps.search.workspace import Workspace

SHORTEST = 1e-12  # a token shorter than this counts as zero, as in torch's normalize


def from_tokens(weights: Tensor, patches: Tensor, words: Tensor, workspace: Workspace) -> tuple[Tensor, Tensor]:
    """Multiply all tokens of V images with all words of T captions.

    Args:
        weights: (V, T, M, N), the tokens' over patches.
        patches: (V, N, C).
        words: (T, L, C).
        workspace: holds the tokens.

    Returns:
        Products (V, T, L, M) of words and tokens, and the tokens' lengths (V, T, M), at least `SHORTEST`.
    """
    v, t, m, n = weights.shape
    tokens = workspace.buffer("tokens", v, t, m, words.shape[-1])
    torch.bmm(weights.view(v, t * m, n), patches, out=tokens.view(v, t * m, -1))
    # All images' tokens of a caption in one product; where V or T is 1 nothing is copied.
    by_caption = tokens.transpose(0, 1).reshape(t, v * m, -1)  # (T, V * M, C)
    products = torch.bmm(words, by_caption.transpose(1, 2)).view(t, -1, v, m)  # (T, L, V, M)
    return products.permute(2, 0, 1, 3), tokens.norm(dim=-1).clamp_(min=SHORTEST)

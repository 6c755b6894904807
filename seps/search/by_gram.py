"""The third order of multiplication, which builds no tokens: (w X) u = w (X u), and |w X|^2 = w G w with G = X X'."""

from __future__ import annotations

import torch
from torch import Tensor

from seps.search.from_tokens import SHORTEST
from seps.search.workspace import Workspace

CANCELLED = 0.03  # a token shorter than this fraction of what it was summed from is summed directly instead


class ByGram:
    """Multiplies tokens and words of a block of V images, whose Gram matrices are made once.

    Args:
        patches: (V, N, C) float32; norms: (V, N), their lengths.
        workspace: holds what comes between.
    """

    def __init__(self, patches: Tensor, norms: Tensor, workspace: Workspace) -> None:
        self.patches, self.norms, self.workspace = patches, norms, workspace
        self.grams: list[Tensor | None] = [None] * len(patches)  # (N, N), made when first used

    def products(self, i: int, weights: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Multiply the tokens of image `i`, weights (T, M, N), with words (T, L, C): (T, L, M), lengths (T, M)."""
        t, m, n = weights.shape
        every_word = words.view(-1, words.shape[-1])  # (T * L, C)
        met = self.workspace.buffer("words by patches", len(every_word), n)
        torch.mm(every_word, self.patches[i].T, out=met)
        norms = self.lengths(i, weights.view(t * m, n)).view(t, m)
        return torch.bmm(met.view(t, -1, n), weights.transpose(1, 2)), norms

    def lengths(self, i: int, weights: Tensor) -> Tensor:
        """Return the lengths (K,), at least `SHORTEST`, of the tokens of image `i` with these weights (K, N)."""
        patches, gram = self.patches[i], self.grams[i]
        if gram is None:
            gram = self.grams[i] = patches @ patches.T  # (N, N)
        projected = self.workspace.buffer("projected", *weights.shape)
        torch.mm(weights, gram, out=projected)
        squared = projected.mul_(weights).sum(dim=-1)  # (K,)
        longest_possible = weights @ self.norms[i].float()  # (K,)
        lost = (squared < (CANCELLED * longest_possible) ** 2).nonzero().squeeze(1)  # rare: patches that cancel out
        if len(lost):
            squared[lost] = (weights[lost] @ patches).square().sum(dim=-1)
        return squared.clamp_(min=SHORTEST**2).sqrt_()

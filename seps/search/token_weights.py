"""Tokens as weights over patches, before any of them is built."""

from __future__ import annotations

import torch
from torch import Tensor

from seps.method.selection import Selection, masked_softmax
from seps.search.index import ImageIndex
from seps.search.workspace import Workspace

FLAT_LOGITS = 30.0  # within this spread exp(logit) and its products stay in float32's range


class TokenWeights:
    """Weighs the N patches of a block of V images for the M = N_c + 1 tokens of each pair with T captions.

    Args:
        images: the block.
        num_tokens: N_c.
        workspace: holds the weights.
    """

    def __init__(self, images: ImageIndex, num_tokens: int, workspace: Workspace) -> None:
        self.logits, self.num_tokens, self.workspace = images.logits, num_tokens, workspace
        sparse, dense = images.logits
        first = exponentials(sparse)
        self.exponentials = (first, first if dense is sparse else exponentials(dense))  # (V, N_c, N), or None

    def of(self, images: slice, sparse: Selection, dense: Selection | None) -> Tensor:
        """Weigh some images' patches, as `AlignmentExplanation.token_weights` has them: (V, T, M, N)."""
        weights = self.of_branch("sparse weights", images, sparse, 0)
        if dense is None:
            return weights
        weights += self.of_branch("dense weights", images, dense, 1)
        weights[:, :, -1] /= 2  # the extra token is the mean of both branches'
        return weights

    def of_branch(self, name: str, images: slice, selection: Selection, branch: int) -> Tensor:
        """Weigh one branch's patches, (V, T, M, N), each row summing to 1."""
        mask = selection.mask[images].float()  # (V, T, N)
        weights = self.workspace.buffer(name, *mask.shape[:2], self.num_tokens + 1, mask.shape[2])
        aggregated = weights[:, :, :-1]  # (V, T, N_c, N)
        exponential = self.exponentials[branch]
        if exponential is None:  # each pair's own maximum must be found
            logits = self.logits[branch][images].float()
            aggregated.copy_(masked_softmax(logits[:, None], mask[:, :, None]))
        else:
            exponential = exponential[images]  # (V, N_c, N)
            torch.mul(exponential[:, None], mask[:, :, None], out=aggregated)
            aggregated /= (mask @ exponential.transpose(1, 2))[..., None]  # (V, T, N_c, 1)
        weights[:, :, -1] = selection.extra_weights[images]
        return weights


def exponentials(logits: Tensor) -> Tensor | None:
    """Return exp(logit - highest) of (V, N_c, N); None where the spread is too wide for one scale to serve any mask."""
    logits = logits.float()
    low, high = logits.aminmax(dim=-1, keepdim=True)
    if logits.numel() and float((high - low).max()) > FLAT_LOGITS:
        return None
    return (logits - high).exp()

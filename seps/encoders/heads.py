"""Projection heads: map an encoder's features to C channels, with or without context.

A frozen backbone's patch or word contains little information about the whole. With context, the summary of the image or
caption is added to each token: token = A (feature - mean) / std + B (summary - mean) / std + b. Means and standard
deviations come from the training features.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Standardize(nn.Module):
    """(feature - mean) / std per channel, with the training features' statistics; the identity before `fit`."""

    mean: Tensor
    std: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("std", torch.ones(width))

    @torch.no_grad()
    def fit(self, features: Tensor, floor: float = 1e-3) -> None:
        """Set the statistics from features (..., width); channels with little variance get std `floor`."""
        flat = features.reshape(-1, features.shape[-1]).float()
        self.mean.copy_(flat.mean(dim=0))
        self.std.copy_(flat.std(dim=0).clamp(min=floor))

    def forward(self, features: Tensor) -> Tensor:
        """Standardize features (..., width)."""
        return (features - self.mean) / self.std


class ContextHead(nn.Module):
    """Context part of a head; the owner holds the plain projection.

    Args:
        width: channels of the encoder's features.
        summary_width: channels of the summary.
        embed_size: C.
        dropout: fraction of channels dropped in training; one draw for all tokens of an image or caption.
    """

    def __init__(self, width: int, summary_width: int, embed_size: int, dropout: float) -> None:
        super().__init__()
        self.features = Standardize(width)
        self.summary = Standardize(summary_width)
        self.proj = nn.Linear(summary_width, embed_size, bias=False)
        self.dropout = dropout

    def forward(self, projection: nn.Linear, features: Tensor, summary: Tensor) -> Tensor:
        """Compute tokens with context.

        Args:
            projection: the plain head, width -> C.
            features: (B, n, width); summary: (B, summary_width), of the whole image or caption.

        Returns:
            (B, n, C).
        """
        local = self.features(features)  # (B, n, width)
        whole = self.summary(summary)  # (B, summary_width)
        if self.training and self.dropout > 0:
            local = local * F.dropout(torch.ones_like(local[:, :1]), self.dropout)
            whole = F.dropout(whole, self.dropout)
        return projection(local) + self.proj(whole)[:, None]  # (B, n, C)

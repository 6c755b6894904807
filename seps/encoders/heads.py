"""Projection heads: map an encoder's features to C channels, with or without context.

token = A (feature - mean) / std + B (summary - mean) / std + b, with the training features' statistics.
"""

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
    """Context part of a head for features of `width` and a summary of `summary_width` channels."""

    def __init__(self, width: int, summary_width: int, embed_size: int, dropout: float) -> None:
        super().__init__()
        self.features = Standardize(width)
        self.summary = Standardize(summary_width)
        self.proj = nn.Linear(summary_width, embed_size, bias=False)
        self.dropout = dropout

    def forward(self, projection: nn.Linear, features: Tensor, summary: Tensor) -> Tensor:
        """Compute tokens with context (B, n, C) of features (B, n, width) and summary (B, summary_width)."""
        local = self.features(features)  # (B, n, width)
        whole = self.summary(summary)  # (B, summary_width)
        if self.training and self.dropout > 0:
            local = local * F.dropout(torch.ones_like(local[:, :1]), self.dropout)
            whole = F.dropout(whole, self.dropout)
        return projection(local) + self.proj(whole)[:, None]  # (B, n, C)

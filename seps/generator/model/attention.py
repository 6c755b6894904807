"""Where the UNet looked for each word of a caption, while it drew."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


class WordAttention:
    """Records a UNet's cross-attention while it draws, of the first `count` captions of each batch."""

    def __init__(self, unet: Any, count: int = 1) -> None:
        self.unet, self.count = unet, count
        self._sums: dict[str, Tensor] = {}  # a layer's weights, summed over steps: (count, N, L)
        self._before: dict[str, Any] = {}

    def __enter__(self) -> WordAttention:
        self._before = dict(self.unet.attn_processors)
        watched = {name: _Watched(self, name) for name in self._before if ".attn2." in name}
        self.unet.set_attn_processor(self._before | watched)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unet.set_attn_processor(self._before)

    def add(self, name: str, weights: Tensor) -> None:
        """Count one step of one layer: (count, N, L), the mean of its heads."""
        self._sums[name] = self._sums[name] + weights if name in self._sums else weights

    def maps(self, side: int) -> Tensor:
        """Return each word's mean weight per place over steps and layers: (count, L, side, side), summing to 1."""
        if not self._sums:
            raise RuntimeError("Nothing was drawn while the attention was watched.")
        maps = []
        for summed in self._sums.values():
            grid = round(summed.shape[1] ** 0.5)
            weights = summed.transpose(1, 2).unflatten(2, (grid, grid))  # (count, L, g, g)
            weights = F.interpolate(weights, (side, side), mode="nearest")
            maps.append(weights / weights.sum(dim=(2, 3), keepdim=True).clamp_min(torch.finfo(weights.dtype).tiny))
        return torch.stack(maps).mean(dim=0)


class _Watched:
    """Attention as diffusers' first processor computes it, with its weights reported."""

    def __init__(self, watch: WordAttention, name: str) -> None:
        self.watch, self.name = watch, name

    def __call__(
        self,
        attn: Any,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        temb: Tensor | None = None,
    ) -> Tensor:
        batch, length, _ = encoder_hidden_states.shape
        mask = attn.prepare_attention_mask(attention_mask, length, batch)
        query = attn.head_to_batch_dim(attn.to_q(hidden_states))  # (B * heads, N, d)
        key = attn.head_to_batch_dim(attn.to_k(encoder_hidden_states))  # (B * heads, L, d)
        value = attn.head_to_batch_dim(attn.to_v(encoder_hidden_states))
        if mask is not None:
            mask = mask.expand(-1, query.shape[1], -1)
        weights = attn.get_attention_scores(query, key, mask)  # (B * heads, N, L)
        self.watch.add(self.name, weights.unflatten(0, (batch, -1))[: self.watch.count].mean(dim=1).detach())
        attended = attn.batch_to_head_dim(torch.bmm(weights, value))
        return attn.to_out[1](attn.to_out[0](attended))

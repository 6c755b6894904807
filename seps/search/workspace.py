"""Large buffers that are used again and again."""

from __future__ import annotations

import math
import threading

import torch
from torch import Tensor


class Workspace(threading.local):
    """Large buffers that blocks share: on a CPU fresh memory for each would cost as much as the arithmetic in it.

    Each thread has buffers of its own.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.buffers: dict[str, Tensor] = {}

    def buffer(self, name: str, *shape: int) -> Tensor:
        """Return an uninitialised float32 tensor; what was taken under the same name before is gone."""
        count = math.prod(shape)
        buffer = self.buffers.get(name)
        if buffer is None or buffer.numel() < count:
            buffer = self.buffers[name] = torch.empty(count, device=self.device)
        return buffer[:count].view(shape)

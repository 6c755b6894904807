"""GPU leases for single calls on Spaces with ZeroGPU; without effect elsewhere.

Only uploads are encoded there, since encoding photographs is slow. Ranking and explaining take milliseconds, less than
a lease, and stay on the app's device.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import torch
from PIL import Image
from torch import Tensor

from seps import SEPSModel, load_model

Encode = Callable[[Sequence[Image.Image]], Tensor]


@lru_cache(maxsize=1)
def _model_on_gpu(name: str) -> SEPSModel:
    return load_model(name).to("cuda")


def encode_photos(name: str, photos: Sequence[Image.Image]) -> Tensor:
    """Encode photographs as patch embeddings (B, N[+1], C) on the CPU, with the shipped model `name` on the GPU."""
    return _model_on_gpu(name).encode_photos(photos).cpu()


def zero_gpu() -> Any:
    """Return the package `spaces` on ZeroGPU, else None.

    `app.py` imports it in the main thread before PyTorch; other programs get no GPU.
    """
    spaces = sys.modules.get("spaces")
    return spaces if spaces is not None and spaces.config.Config.zero_gpu else None


def lease_encoder(name: str) -> Encode | None:
    """Return a function that encodes photographs on a leased GPU; None without ZeroGPU."""
    spaces = zero_gpu()
    if spaces is None:
        return None
    lent = spaces.GPU(encode_photos)
    return lambda photos: lent(name, photos)


def best_device() -> torch.device:
    """Return CUDA, then MPS, then the CPU; the CPU on ZeroGPU, which reports CUDA that does not exist."""
    if zero_gpu() is not None:
        return torch.device("cpu")
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")

"""A GPU lent for the length of a call, on Spaces with ZeroGPU; elsewhere nothing is lent and nothing changes.

What takes long is encoding photographs, so uploads are encoded there. Ranking and explaining take milliseconds, less
than lending does, and stay where the app's own model is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from PIL import Image
from torch import Tensor

from seps import SEPSModel, load_model

Encode = Callable[[Sequence[Image.Image]], Tensor]


@lru_cache(maxsize=1)
def _model_on_gpu(name: str) -> SEPSModel:
    return load_model(name).to("cuda")


def encode_photos(name: str, photos: Sequence[Image.Image]) -> Tensor:
    """Patch embeddings (B, N[+1], C) on the CPU, by the shipped model `name` on the GPU."""
    return _model_on_gpu(name).encode_photos(photos).cpu()


def lent_encoder(name: str) -> Encode | None:
    """Return what encodes photographs on a lent GPU; None where no GPU is lent."""
    if find_spec("spaces") is None:
        return None
    spaces: Any = import_module("spaces")
    if not spaces.config.Config.zero_gpu:
        return None
    lent = spaces.GPU(encode_photos)
    return lambda photos: lent(name, photos)

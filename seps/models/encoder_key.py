"""Short hash of everything that image embeddings depend on besides the photograph, to validate caches."""

from __future__ import annotations

import hashlib
import json

import torch

from seps.models.model import SEPSModel
from seps.photos import READING


def encoder_key(model: SEPSModel) -> str:
    """Hash the reading of files, preprocessing, image encoder parameters and arithmetic: 16 hex digits."""
    config = json.dumps(model.config.as_dict()["vision"], sort_keys=True)
    key = hashlib.sha256(f"{READING} {config} {model.device.type} {torch.__version__}".encode())
    for name, values in model.img_enc.state_dict().items():
        key.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        key.update(values.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return key.hexdigest()[:16]

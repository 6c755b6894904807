"""What image embeddings depend on besides the photograph, in a short key: embeddings that are kept belong to one."""

from __future__ import annotations

import hashlib
import json

import torch

from seps.models.model import SEPSModel


def encoder_key(model: SEPSModel) -> str:
    """Hash preprocessing, the image encoder's parameters, and the arithmetic: 16 hexadecimal digits."""
    config = json.dumps(model.config.as_dict()["vision"], sort_keys=True)
    key = hashlib.sha256(f"{config} {model.device.type} {torch.__version__}".encode())
    for name, values in model.img_enc.state_dict().items():
        key.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        key.update(values.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return key.hexdigest()[:16]

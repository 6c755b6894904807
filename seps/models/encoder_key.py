"""Short hash of everything that image embeddings depend on besides the photograph, to validate caches."""

import hashlib
import json
from pathlib import Path

import torch
from huggingface_hub.constants import SAFETENSORS_SINGLE_FILE

from seps.encoders.sources import package_folder
from seps.media.photos import READING
from seps.models.config import ModelConfig
from seps.models.model import SEPSModel
from seps.models.shipped import CONFIG_NAME


def encoder_key(model: SEPSModel) -> str:
    """Hash the reading of files, preprocessing, image encoder parameters and arithmetic: 16 hex digits."""
    config = json.dumps(model.config.as_dict()["vision"], sort_keys=True)
    key = hashlib.sha256(f"{READING} {config} {model.device.type} {torch.__version__}".encode())
    for name, values in model.img_enc.state_dict().items():
        key.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        key.update(values.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return key.hexdigest()[:16]


def files_key(folder: Path, device: torch.device) -> str:
    """Hash what `encoder_key` depends on without loading it, from a model's files: 16 hex digits or ""."""
    config = ModelConfig.from_json(folder / CONFIG_NAME)
    kind, _, name = config.vision.weights.partition(":")
    derived = config.vision.classes.names and not config.is_saved("img_enc.classes.vectors")  # from the text encoder
    if derived or kind not in ("none", "package"):
        return ""
    key = hashlib.sha256(f"{READING} {device.type} {torch.__version__}".encode())
    packaged = sorted(package_folder(name).glob("*.pth")) if kind == "package" else []
    for file in (folder / CONFIG_NAME, folder / SAFETENSORS_SINGLE_FILE, *packaged):
        key.update(hashlib.sha256(file.read_bytes()).digest())
    return key.hexdigest()[:16]

"""Reading and strict loading of model.safetensors."""

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import torch
from huggingface_hub import constants
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from seps.common.checks import check_finite
from seps.common.files import check_weights_file
from seps.models.config import ModelConfig
from seps.models.int8 import from_int8, is_large, to_int8
from seps.models.shipped import CONFIG_NAME

FLOATS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
WHOLES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


def list_saved_keys(model: nn.Module, config: ModelConfig) -> list[str]:
    """List the state dict keys that model.safetensors contains; ValueError for a pattern that matches none."""
    keys = list(model.state_dict())
    for pattern in config.saved:
        if not any(fnmatchcase(key, pattern) for key in keys):
            raise ValueError(f"saved has the pattern {pattern!r}, but no parameter of the model has such a name.")
    return [key for key in keys if config.is_saved(key)]


def collect_saved_tensors(model: nn.Module, config: ModelConfig) -> dict[str, Tensor]:
    """Return the tensors for model.safetensors, in the precision of the config."""
    dtype = torch.float32 if config.stored_as == "float32" else torch.float16
    state = model.state_dict()
    tensors = {}
    for key in list_saved_keys(model, config):
        tensor = state[key].detach().cpu().contiguous()
        large = config.stored_as == "int8" and is_large(tensor)
        tensors[key] = tensor.to(dtype) if tensor.is_floating_point() and not large else tensor
        if not bool(torch.isfinite(tensors[key]).all()):
            raise ValueError(f"{key} holds values that are not finite in {config.stored_as}: the model is not saved.")
    return to_int8(tensors) if config.stored_as == "int8" else tensors


def load_saved(model: nn.Module, config: ModelConfig, file: Path, without: str = "") -> None:
    """Load model.safetensors; keys with the prefix `without` are left out."""
    tensors = read_tensors(file)
    if config.stored_as == "int8":
        tensors = from_int8(tensors, file)
    state = model.state_dict()
    if without:
        tensors = {key: tensor for key, tensor in tensors.items() if not key.startswith(without)}
        config = replace(config, saved=tuple(p for p in config.saved if any(fnmatchcase(key, p) for key in state)))
    check_tensors(file, tensors, {key: state[key] for key in list_saved_keys(model, config)})
    model.load_state_dict(tensors, strict=False)  # the others belong to the backbones


def read_tensors(file: Path) -> dict[str, Tensor]:
    """Read the tensors of a safetensors file, by key; ValueError if it is missing, a Git LFS pointer or damaged."""
    check_weights_file(file)
    try:
        return load_file(file)
    except (SafetensorError, OSError, KeyError) as error:  # KeyError: a dtype that torch does not have
        raise ValueError(f"{file} is no safetensors file, or damaged or cut short ({error}).") from error


def contains_model(folder: Path, config: ModelConfig, tensors: Mapping[str, Tensor]) -> bool:
    """Return whether a folder contains exactly this model, so that its measured results apply."""
    file, weights = folder / CONFIG_NAME, folder / constants.SAFETENSORS_SINGLE_FILE
    if not file.is_file() or not weights.is_file() or ModelConfig.from_json(file) != config:
        return False
    there = read_tensors(weights)
    return there.keys() == tensors.keys() and all(
        there[key].dtype == tensor.dtype and torch.equal(there[key], tensor) for key, tensor in tensors.items()
    )


def check_tensors(file: object, tensors: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    """Raise ValueError unless a file's tensors have the expected keys, shapes and kinds, and finite values."""
    missing, unknown = expected.keys() - tensors.keys(), tensors.keys() - expected.keys()
    if missing or unknown:
        faults = [
            f"{title} {min(keys)}" + (f" ({len(keys)} keys in all)" if len(keys) > 1 else "")
            for title, keys in (("lacks", missing), ("has the unexpected", unknown))
            if keys
        ]
        raise ValueError(f"{file} {', and '.join(faults)}: it is of another model.")
    for key, tensor in tensors.items():
        needed = expected[key]
        if tensor.shape != needed.shape:
            raise ValueError(
                f"{file} has {key} {tuple(tensor.shape)}, but {tuple(needed.shape)} is needed: it is of another model."
            )
        if tensor.dtype not in (FLOATS if needed.is_floating_point() else WHOLES):
            raise ValueError(
                f"{file} has {key} of {tensor.dtype}, but {needed.dtype} is needed: it is another model's."
            )
        check_finite(file, key, tensor.to(needed.dtype))

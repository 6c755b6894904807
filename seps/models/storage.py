"""model.safetensors: which parameters it holds, and a load that is strict about them."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import torch
from huggingface_hub import constants
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from seps.checks import check_finite
from seps.files import check_weights_file
from seps.models.config import ModelConfig
from seps.models.int8 import from_int8, is_large, to_int8
from seps.models.shipped import CONFIG_NAME

FLOATS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
WHOLES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


def saved_keys(model: nn.Module, config: ModelConfig) -> list[str]:
    """List the keys of the state dict that model.safetensors holds.

    Raises:
        ValueError: a pattern of `config.saved` that fits no key.
    """
    keys = list(model.state_dict())
    for pattern in config.saved:
        if not any(fnmatchcase(key, pattern) for key in keys):
            raise ValueError(f"saved has the pattern {pattern!r}, but no parameter of the model has such a name.")
    return [key for key in keys if config.is_saved(key)]


def saved_tensors(model: nn.Module, config: ModelConfig) -> dict[str, Tensor]:
    """Return what model.safetensors holds: floating-point tensors in the precision that the config names.

    Raises:
        ValueError: a value that is not finite, or not in that precision; as `saved_keys`.
    """
    dtype = torch.float32 if config.stored_as == "float32" else torch.float16
    state = model.state_dict()
    tensors = {}
    for key in saved_keys(model, config):
        tensor = state[key].detach().cpu().contiguous()
        large = config.stored_as == "int8" and is_large(tensor)
        tensors[key] = tensor.to(dtype) if tensor.is_floating_point() and not large else tensor
        if not bool(torch.isfinite(tensors[key]).all()):
            raise ValueError(
                f"{key} holds values that are not finite in {config.stored_as}, so the model is not saved."
            )
    return to_int8(tensors) if config.stored_as == "int8" else tensors


def load_saved(model: nn.Module, config: ModelConfig, file: Path) -> None:
    """Load model.safetensors; parameters outside `config.saved` stay as they are.

    Raises:
        ValueError: as `read_tensors`, `from_int8` and `check_tensors`.
    """
    tensors = read_tensors(file)
    if config.stored_as == "int8":
        tensors = from_int8(tensors, file)
    state = model.state_dict()
    check_tensors(file, tensors, {key: state[key] for key in saved_keys(model, config)})
    model.load_state_dict(tensors, strict=False)  # the rest is the backbones'


def read_tensors(file: Path) -> dict[str, Tensor]:
    """Read the tensors of a safetensors file, by key.

    Raises:
        ValueError: no such file, a Git LFS pointer, or no safetensors; the message names it.
    """
    check_weights_file(file)
    try:
        return load_file(file)
    except (SafetensorError, OSError, KeyError) as error:  # KeyError: a type of number that torch has not
        raise ValueError(f"{file} is no safetensors file, or damaged or cut short ({error}).") from error


def holds_model(folder: Path, config: ModelConfig, tensors: Mapping[str, Tensor]) -> bool:
    """Return whether a folder holds a model of this config and these tensors, so that what was measured there is true
    of it; errors as `read_tensors` and `ModelConfig.from_json`."""
    file, weights = folder / CONFIG_NAME, folder / constants.SAFETENSORS_SINGLE_FILE
    if not file.is_file() or not weights.is_file() or ModelConfig.from_json(file) != config:
        return False
    there = read_tensors(weights)
    return there.keys() == tensors.keys() and all(
        there[key].dtype == tensor.dtype and torch.equal(there[key], tensor) for key, tensor in tensors.items()
    )


def check_tensors(file: Path, tensors: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    """Check what a file holds against what is to take it up, before any of it is taken up.

    Args:
        file: as messages name it.
        tensors: what it holds; expected: tensors of the keys, shapes and kinds that are needed.

    Raises:
        ValueError: a key too few or too many, a tensor of another shape, whole numbers where floating-point ones are
            needed or the other way round, a value that is not finite in the precision that is needed.
    """
    for title, keys in (
        ("lacks", expected.keys() - tensors.keys()),
        ("has the unexpected", tensors.keys() - expected.keys()),
    ):
        if keys:
            raise ValueError(f"{file} {title} {min(keys)} and {len(keys) - 1} more keys: it is of another model.")
    for key, tensor in tensors.items():
        needed = expected[key]
        if tensor.shape != needed.shape:
            raise ValueError(
                f"{file} has {key} {tuple(tensor.shape)}, but {tuple(needed.shape)} is needed: it is of another model."
            )
        if tensor.dtype not in (FLOATS if needed.is_floating_point() else WHOLES):
            raise ValueError(
                f"{file} has {key} of {tensor.dtype}, but {needed.dtype} is needed: it is of another model."
            )
        check_finite(file, key, tensor.to(needed.dtype))

"""model.safetensors: which parameters it holds, and a load that is strict about them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from seps.config import ModelConfig


def saved_keys(model: nn.Module, config: ModelConfig) -> list[str]:
    """The keys of the state dict that model.safetensors holds.

    Raises:
        ValueError: a pattern of `config.saved` that fits no key.
    """
    keys = list(model.state_dict())
    for pattern in config.saved:
        if not any(fnmatchcase(key, pattern) for key in keys):
            raise ValueError(f"saved has the pattern {pattern!r}, but no parameter of the model has such a name.")
    return [key for key in keys if config.is_saved(key)]


def saved_tensors(model: nn.Module, config: ModelConfig) -> dict[str, Tensor]:
    """What model.safetensors holds: floating-point tensors in the precision that the config names.

    Raises:
        ValueError: a value that is not finite, or not in that precision; as `saved_keys`.
    """
    dtype = getattr(torch, config.stored_as)
    state = model.state_dict()
    tensors = {}
    for key in saved_keys(model, config):
        tensor = state[key].detach().cpu().contiguous()
        tensors[key] = tensor.to(dtype) if tensor.is_floating_point() else tensor
        if not bool(torch.isfinite(tensors[key]).all()):
            raise ValueError(
                f"{key} holds values that are not finite in {config.stored_as}, so the model is not saved."
            )
    return tensors


def load_saved(model: nn.Module, config: ModelConfig, file: Path) -> None:
    """Load model.safetensors; parameters outside `config.saved` stay as they are.

    Raises:
        ValueError: no such file, no safetensors, a key too few or too many, or a tensor of another shape.
    """
    if not file.is_file():
        raise ValueError(f"{file} does not exist.")
    try:
        tensors = load_file(file)
    except SafetensorError as error:
        raise ValueError(f"{file} is no safetensors file: {error}.") from error
    wanted = saved_keys(model, config)
    for title, keys in (("lacks", set(wanted) - set(tensors)), ("has the unexpected", set(tensors) - set(wanted))):
        if keys:
            raise ValueError(f"{file} {title} {sorted(keys)[0]} and {len(keys) - 1} more keys: it is of another model.")
    state = model.state_dict()
    for key, tensor in tensors.items():
        if tensor.shape != state[key].shape:
            raise ValueError(
                f"{file} has {key} {tuple(tensor.shape)}, but the model that the config describes has "
                f"{tuple(state[key].shape)}."
            )
    model.load_state_dict(tensors, strict=False)  # the rest is the backbones'

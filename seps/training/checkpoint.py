"""Checkpoints that resume to the same curve: parameters and AdamW's moments.

Chance needs no keeping: each epoch is seeded by its number. Tensors stand in safetensors files, numbers in JSON:
nothing is unpickled.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

TENSORS, NUMBERS = "checkpoint.safetensors", "checkpoint.json"


def save_checkpoint(folder: Path, modules: nn.Module, optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Write a checkpoint into `folder`, whole or not at all.

    Args:
        folder: replaced if there.
        modules: all that is trained; its whole state dict is kept.
        optimizer: AdamW.
        state: numbers to find again, as JSON holds them.
    """
    tensors = {f"modules.{key}": tensor for key, tensor in modules.state_dict().items()}
    for number, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(moment) for name, moment in moments.items()}
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    save_file({key: tensor.detach().cpu().contiguous().clone() for key, tensor in tensors.items()}, partial / TENSORS)
    (partial / NUMBERS).write_text(json.dumps(state, indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def load_checkpoint(folder: Path, modules: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Take up a checkpoint; returns its `state`.

    Raises:
        ValueError: no checkpoint there, or one of another model.
    """
    if not (folder / TENSORS).is_file() or not (folder / NUMBERS).is_file():
        raise ValueError(f"{folder} holds no checkpoint: {TENSORS} and {NUMBERS} are needed.")
    tensors = load_file(folder / TENSORS)
    own = part(tensors, "modules.")
    try:
        modules.load_state_dict(own)
    except RuntimeError as error:
        raise ValueError(f"{folder} is of another model: {str(error).splitlines()[1].strip()}") from error
    moments: dict[int, dict[str, Tensor]] = {}
    for key, tensor in part(tensors, "optimizer.").items():
        number, name = key.split(".", 1)
        moments.setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    state: dict[str, Any] = json.loads((folder / NUMBERS).read_text(encoding="utf-8"))
    return state


def part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose key begins with `prefix`, without it."""
    return {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}

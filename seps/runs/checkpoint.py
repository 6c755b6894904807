"""Checkpoints that resume to the same curve: the trained tensors and the optimizer's moments.

Random state is not stored because each epoch is seeded by its number. Tensors are in a safetensors file, numbers in
JSON: nothing is unpickled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.fields import Fields
from seps.files import write_atomically
from seps.models.storage import check_tensors, read_tensors
from seps.numbers import amount

State = TypeVar("State", bound=Fields)

TENSORS, NUMBERS = "checkpoint.safetensors", "checkpoint.json"
MOMENTS = ("exp_avg", "exp_avg_sq")  # of AdamW, besides "step"
MOMENTUM = "momentum_buffer"  # of Muon
NOT_NEGATIVE = ("step", "exp_avg_sq")


def save_checkpoint(
    folder: Path, tensors: Mapping[str, Tensor], optimizer: torch.optim.Optimizer, state: Fields
) -> None:
    """Write a checkpoint to `folder` atomically.

    Args:
        folder: replaced if it exists.
        tensors: a state dict, or its trained part.
        optimizer: AdamW or Muon.
        state: the run's progress, written as JSON.
    """
    saved = {f"modules.{key}": tensor for key, tensor in tensors.items()}
    for number, moments in optimizer.state_dict()["state"].items():
        saved |= {f"optimizer.{number}.{name}": value for name, value in moments.items() if isinstance(value, Tensor)}
    with write_atomically(folder) as partial:
        partial.mkdir()
        save_file({key: tensor.detach().cpu().contiguous().clone() for key, tensor in saved.items()}, partial / TENSORS)
        (partial / NUMBERS).write_text(state.to_json(), encoding="utf-8")


def read_state(folder: Path, kind: type[State]) -> State:
    """Read the progress stored in a checkpoint.

    Args:
        folder: written by `save_checkpoint`; kind: class of the progress.

    Raises:
        ValueError: no checkpoint, or damaged values; the message names the file.
    """
    file = folder / NUMBERS
    if not (folder / TENSORS).is_file() or not file.is_file():
        raise ValueError(f"{folder} holds no checkpoint: train without --resume first.")
    return kind.from_json(file)


def load_checkpoint(
    folder: Path, modules: nn.Module, expected: Mapping[str, Tensor], optimizer: torch.optim.Optimizer, epochs: int
) -> None:
    """Load a checkpoint's tensors after checking all of them.

    Args:
        folder: written by `save_checkpoint`.
        modules: newly created; expected: their state dict, or its saved part.
        optimizer: newly created, of their parameters.
        epochs: number of epochs before the checkpoint.

    Raises:
        ValueError: a damaged, changed or unrelated file; the message names it.
    """
    file = folder / TENSORS
    tensors = read_tensors(file)
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    moments = [name for name in tensors if name.startswith("optimizer.")]
    needed = {f"modules.{key}": tensor for key, tensor in expected.items()}
    for number, parameter in enumerate(parameters):
        needed |= make_expected_moments(f"optimizer.{number}.", parameter, moments)
    check_tensors(file, tensors, needed)
    if epochs and not moments:
        raise ValueError(
            f"{file} has no moments of AdamW after {amount(epochs, 'epoch')}: it is damaged, resume from another."
        )
    for name in moments:
        if name.endswith(NOT_NEGATIVE) and bool((tensors[name] < 0).any()):
            raise ValueError(f"{file} has {name} below 0, which AdamW never makes: it is damaged, resume from another.")
    modules.load_state_dict(
        {key.removeprefix("modules."): tensor for key, tensor in tensors.items() if key.startswith("modules.")},
        strict=False,
    )
    state: dict[int, dict[str, Tensor]] = {}
    for name in moments:
        _, index, moment = name.split(".")
        tensor = tensors[name] if moment == "step" else match_memory_layout(parameters[int(index)], tensors[name])
        state.setdefault(int(index), {})[moment] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def make_expected_moments(prefix: str, parameter: Tensor, saved: Sequence[str]) -> dict[str, Tensor]:
    """Return tensors with the names, shapes and types that an optimizer stores for a parameter; none if nothing was
    saved, since only parameters with a gradient have moments.

    Args:
        prefix: of the parameter's moments; saved: all saved names.
    """
    if prefix + MOMENTUM in saved:
        return {prefix + MOMENTUM: parameter}
    if not any(name.startswith(prefix) for name in saved):
        return {}
    return {f"{prefix}step": torch.zeros(())} | {prefix + name: parameter for name in MOMENTS}


def match_memory_layout(parameter: Tensor, tensor: Tensor) -> Tensor:
    """Return a tensor with the memory layout of a parameter; fused AdamW reads both in memory order, ignoring
    strides."""
    return torch.empty_like(parameter).copy_(tensor)

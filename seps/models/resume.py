"""What a training run keeps to go on from: modules and the optimizer's moments in safetensors, and what was done.

Chance needs no keeping where each epoch is seeded by its number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.checks import read_json_file
from seps.files import written_whole
from seps.models.storage import check_tensors, read_tensors

FOLDER, TENSORS, NUMBERS = "checkpoint", "checkpoint.safetensors", "checkpoint.json"
MOMENTS = ("exp_avg", "exp_avg_sq")  # of AdamW, beside "step"
MOMENTUM = "momentum_buffer"  # of Muon


def save_checkpoint(
    out: Path, state: Mapping[str, Tensor], optimizer: torch.optim.Optimizer, done: Mapping[str, int]
) -> None:
    """Write a run's checkpoint, whole or not at all.

    Args:
        out: the run's folder; state: of the modules; optimizer: AdamW or Muon.
        done: numbers that tell what was done, by name.
    """
    tensors = {f"modules.{key}": tensor for key, tensor in state.items()}
    for number, named in optimizer.state_dict()["state"].items():
        tensors |= {
            f"optimizer.{number}.{name}": moment for name, moment in named.items() if isinstance(moment, Tensor)
        }
    with written_whole(out / FOLDER) as partial:
        partial.mkdir(parents=True)
        save_file(
            {key: tensor.detach().cpu().contiguous().clone() for key, tensor in tensors.items()}, partial / TENSORS
        )
        (partial / NUMBERS).write_text(json.dumps(dict(done)) + "\n", encoding="utf-8")


def checkpoint_numbers(out: Path, names: Sequence[str]) -> list[int]:
    """What was done, as `save_checkpoint` was told; ValueError where there is no checkpoint or numbers are missing."""
    folder = out / FOLDER
    if not (folder / TENSORS).is_file() or not (folder / NUMBERS).is_file():
        raise ValueError(f"{folder} holds no checkpoint: train without --resume first.")
    values = read_json_file(folder / NUMBERS)
    numbers = [values.get(name) if isinstance(values, dict) else None for name in names]
    found = [number for number in numbers if isinstance(number, int)]
    if len(found) < len(numbers):
        raise ValueError(f"{folder / NUMBERS} has no {' and '.join(names)}: it is damaged, train anew.")
    return found


def load_checkpoint(
    out: Path, modules: nn.Module, state: Mapping[str, Tensor], optimizer: torch.optim.Optimizer
) -> None:
    """Take up a run's checkpoint; all of it is checked first.

    Args:
        out: the run's folder; modules: freshly made; state: the part of their state that was saved.
        optimizer: AdamW or Muon, of their parameters.

    Raises:
        ValueError: a checkpoint that is damaged or of other modules.
    """
    file = out / FOLDER / TENSORS
    tensors = read_tensors(file)
    wanted = {f"modules.{key}": tensor for key, tensor in state.items()}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for number, parameter in enumerate(parameters):
        own = f"optimizer.{number}."
        if f"{own}step" in tensors:  # there are moments of those alone that had a gradient
            wanted |= {f"{own}step": torch.zeros(())} | {f"{own}{name}": parameter for name in MOMENTS}
        if f"{own}{MOMENTUM}" in tensors:
            wanted[f"{own}{MOMENTUM}"] = parameter
    check_tensors(file, tensors, wanted)
    modules.load_state_dict(
        {key.removeprefix("modules."): tensor for key, tensor in tensors.items() if key.startswith("modules.")},
        strict=False,
    )
    moments: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, place, name = key.split(".")
            moments.setdefault(int(place), {})[name] = (
                tensor if name == "step" else laid_out(tensor, parameters[int(place)])
            )
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})


def laid_out(tensor: Tensor, as_in: Tensor) -> Tensor:
    """A tensor with another's values in memory in its order: fused AdamW reads both in turn, whatever their strides."""
    return torch.empty_like(as_in).copy_(tensor)

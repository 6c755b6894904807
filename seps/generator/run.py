"""What a training run keeps: checkpoints that resume to the same curve.

Chance needs no keeping: each epoch is seeded by its number.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.checks import check_whole, read_json_file
from seps.files import written_whole
from seps.models.storage import check_tensors, read_tensors

FOLDER, TENSORS, NUMBERS = "checkpoint", "checkpoint.safetensors", "checkpoint.json"
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # of AdamW


def save_checkpoint(out: Path, modules: nn.Module, optimizer: torch.optim.Optimizer, stage: int, epoch: int) -> None:
    """Write a run's checkpoint, whole or not at all: modules, AdamW's moments, and what was done."""
    tensors = {f"modules.{key}": tensor for key, tensor in modules.state_dict().items()}
    for number, named in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(moment) for name, moment in named.items()}
    with written_whole(out / FOLDER) as partial:
        partial.mkdir(parents=True)
        save_file(
            {key: tensor.detach().cpu().contiguous().clone() for key, tensor in tensors.items()}, partial / TENSORS
        )
        (partial / NUMBERS).write_text(json.dumps({"stage": stage, "epoch": epoch}) + "\n", encoding="utf-8")


def checkpoint_numbers(out: Path, epochs: list[int]) -> tuple[int, int]:
    """The stage that a checkpoint stands in, from 0, and how many of its epochs are done.

    Args:
        epochs: of each stage of the run.

    Raises:
        ValueError: no checkpoint, or one that is damaged or of a run of other stages.
    """
    folder = out / FOLDER
    if not (folder / TENSORS).is_file() or not (folder / NUMBERS).is_file():
        raise ValueError(f"{folder} holds no checkpoint: train without --resume first.")
    values = read_json_file(folder / NUMBERS)
    numbers = [values.get(name) if isinstance(values, dict) else None for name in ("stage", "epoch")]
    stage, epoch = numbers
    if not isinstance(stage, int) or not isinstance(epoch, int):
        raise ValueError(f"{folder / NUMBERS} has no stage and epoch: it is damaged, train anew.")
    check_whole(f"stage in {folder / NUMBERS}", stage, len(epochs) - 1, least=0)
    check_whole(f"epoch in {folder / NUMBERS}", epoch, epochs[stage])
    return stage, epoch


def load_checkpoint(out: Path, modules: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Take up a run's checkpoint; all of it is checked first.

    Raises:
        ValueError: a checkpoint that is damaged or of another generator.
    """
    file = out / FOLDER / TENSORS
    tensors = read_tensors(file)
    wanted: dict[str, Tensor] = {f"modules.{key}": tensor for key, tensor in modules.state_dict().items()}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for number, parameter in enumerate(parameters):
        if f"optimizer.{number}.step" in tensors:  # AdamW has moments of those alone that had a gradient
            wanted |= {f"optimizer.{number}.{name}": parameter for name in MOMENTS[1:]}
            wanted[f"optimizer.{number}.step"] = torch.zeros(())
    check_tensors(file, tensors, wanted)
    modules.load_state_dict(
        {key.removeprefix("modules."): tensor for key, tensor in tensors.items() if key.startswith("modules.")}
    )
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, number_text, name = key.split(".")
            state.setdefault(int(number_text), {})[name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})

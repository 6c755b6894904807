"""What a training run keeps beside metrics.csv: checkpoints that resume to the same curve.

Chance needs no keeping: each epoch is seeded by its number.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from seps.checks import check_whole, read_json_file
from seps.models.storage import check_tensors, read_tensors

FOLDER, TENSORS, NUMBERS = "checkpoint", "checkpoint.safetensors", "checkpoint.json"


def save_checkpoint(out: Path, modules: nn.Module, optimizer: torch.optim.Optimizer, epoch: int) -> None:
    """Write a run's checkpoint after an epoch, whole or not at all: what learns and AdamW's moments."""
    learned = {f"modules.{key}": tensor for key, tensor in learned_state(modules).items()}
    moments = {
        f"optimizer.{number}.{name}": torch.as_tensor(moment)
        for number, named in optimizer.state_dict()["state"].items()
        for name, moment in named.items()
    }
    partial = out / f"{FOLDER}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    tensors = {key: tensor.detach().cpu().contiguous().clone() for key, tensor in (learned | moments).items()}
    save_file(tensors, partial / TENSORS)
    (partial / NUMBERS).write_text(json.dumps({"epoch": epoch}) + "\n", encoding="utf-8")
    shutil.rmtree(out / FOLDER, ignore_errors=True)
    partial.rename(out / FOLDER)


def load_checkpoint(out: Path, modules: nn.Module, optimizer: torch.optim.Optimizer, epochs: int) -> int:
    """Take up a run's checkpoint; all of it is checked first.

    Args:
        out: the run's folder; modules, optimizer: as they were saved, freshly made; epochs: of the whole run.

    Returns:
        How many epochs were done.

    Raises:
        ValueError: no checkpoint, one that is damaged, of another judge or of a run of more epochs.
    """
    folder = out / FOLDER
    if not (folder / TENSORS).is_file() or not (folder / NUMBERS).is_file():
        raise ValueError(f"{folder} holds no checkpoint: train without --resume first.")
    values = read_json_file(folder / NUMBERS)
    epoch = values.get("epoch") if isinstance(values, dict) else None
    if not isinstance(epoch, int):
        raise ValueError(f"{folder / NUMBERS} has no epoch: it is damaged, train anew.")
    check_whole(f"epoch in {folder / NUMBERS}", epoch, epochs)
    tensors = read_tensors(folder / TENSORS)
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    wanted = {f"modules.{key}": tensor for key, tensor in learned_state(modules).items()}
    for number, parameter in enumerate(parameters):
        if f"optimizer.{number}.step" in tensors:  # AdamW has moments of those alone that had a gradient
            wanted |= {
                f"optimizer.{number}.step": torch.zeros(()),
                f"optimizer.{number}.exp_avg": parameter,
                f"optimizer.{number}.exp_avg_sq": parameter,
            }
    check_tensors(folder / TENSORS, tensors, wanted)
    modules.load_state_dict(
        {key.removeprefix("modules."): tensor for key, tensor in tensors.items() if key.startswith("modules.")},
        strict=False,
    )
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, text, name = key.split(".")
            state.setdefault(int(text), {})[name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    return epoch


def learned_state(modules: nn.Module) -> dict[str, torch.Tensor]:
    """The state dict without frozen parameters; buffers of modules that learn are kept."""
    frozen = {key for key, parameter in modules.named_parameters() if not parameter.requires_grad}
    buffers = {key for key, _ in modules.named_buffers() if key.startswith("judge.encoders.")}
    return {key: tensor for key, tensor in modules.state_dict().items() if key not in frozen | buffers}

"""What a training run keeps: checkpoints that resume to the same curve, and a CSV line an epoch.

Chance needs no keeping: each epoch is seeded by its number.
"""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from seps.checks import check_whole, read_json_file
from seps.models.storage import check_tensors, read_tensors

FOLDER, TENSORS, NUMBERS = "checkpoint", "checkpoint.safetensors", "checkpoint.json"
METRICS = "metrics.csv"


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


def write_epoch(out: Path, row: dict[str, float]) -> None:
    """Add an epoch to metrics.csv; lines of that epoch and later ones are replaced."""
    rows = [*(old for old in read_epochs(out) if old["epoch"] < row["epoch"]), row]
    names = list(dict.fromkeys(name for one in rows for name in one))
    with (out / METRICS).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)


def read_epochs(out: Path) -> list[dict[str, float]]:
    """The lines of metrics.csv as numbers, none where there is no file; ValueError where it cannot be read."""
    path = out / METRICS
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file, strict=True)
        try:
            rows = [{name: float(text) for name, text in line.items() if text} for line in lines]
            if any("epoch" not in row for row in rows):
                raise ValueError("a line has no epoch")
        except (ValueError, TypeError, AttributeError, csv.Error) as error:
            raise ValueError(
                f"{path} cannot be read at line {lines.line_num} ({error}): correct it, or move it away."
            ) from error
    return rows

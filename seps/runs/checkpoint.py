"""Checkpoints that resume to the same curve: the trained tensors and the optimizer's moments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.common.fields import Fields, between
from seps.common.files import write_atomically
from seps.common.numbers import amount
from seps.models.storage import check_tensors, read_tensors

TENSORS, NUMBERS = "checkpoint.safetensors", "checkpoint.json"
MOMENTS = ("exp_avg", "exp_avg_sq")  # of AdamW, besides "step"
MOMENTUM = "momentum_buffer"  # of Muon
NOT_NEGATIVE = ("step", "exp_avg_sq")


@dataclass(frozen=True)
class RunState(Fields, section="the state"):
    """Progress of a run: completed epochs of a stage, counted from 0; most systems have one."""

    epoch: Annotated[int, between(0)]
    stage: Annotated[int, between(0)] = 0


def save_checkpoint(
    folder: Path, tensors: Mapping[str, Tensor], optimizer: torch.optim.Optimizer, state: RunState
) -> None:
    """Write a state dict or its trained part, AdamW's or Muon's moments and the progress to `folder`, atomically."""
    saved = {f"modules.{key}": tensor for key, tensor in tensors.items()}
    for number, moments in optimizer.state_dict()["state"].items():
        saved |= {f"optimizer.{number}.{name}": value for name, value in moments.items() if isinstance(value, Tensor)}
    with write_atomically(folder) as partial:
        partial.mkdir()
        save_file({key: tensor.detach().cpu().contiguous().clone() for key, tensor in saved.items()}, partial / TENSORS)
        (partial / NUMBERS).write_text(state.to_json(), encoding="utf-8")


def read_state(folder: Path, epochs: Sequence[int]) -> RunState:
    """Read a checkpoint's progress; `epochs` are those of each stage of the recipe."""
    file = folder / NUMBERS
    if not (folder / TENSORS).is_file() or not file.is_file():
        raise ValueError(f"{folder} holds no checkpoint: train without --resume first.")
    state = RunState.from_json(file)
    done, known = amount(state.epoch, "epoch"), epochs[state.stage] if state.stage < len(epochs) else 0
    if state.epoch > known:
        stage = f" of stage {state.stage + 1}" if len(epochs) > 1 or state.stage else ""
        raise ValueError(
            f"{file} was written after {done}{stage}, but the recipe has {known}: resume with the run's own recipe."
        )
    return state


def load_checkpoint(
    folder: Path, modules: nn.Module, expected: Mapping[str, Tensor], optimizer: torch.optim.Optimizer, epochs: int
) -> None:
    """Load a checkpoint's tensors after checking all of them."""
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
        if moment != "step":  # fused AdamW reads moments and parameters in memory order, ignoring strides
            tensors[name] = torch.empty_like(parameters[int(index)]).copy_(tensors[name])
        state.setdefault(int(index), {})[moment] = tensors[name]
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def make_expected_moments(prefix: str, parameter: Tensor, saved: Sequence[str]) -> dict[str, Tensor]:
    """Return tensors like those that an optimizer stores for a parameter; none of a parameter without a gradient."""
    if prefix + MOMENTUM in saved:
        return {prefix + MOMENTUM: parameter}
    if not any(name.startswith(prefix) for name in saved):
        return {}
    return {f"{prefix}step": torch.zeros(())} | {prefix + name: parameter for name in MOMENTS}

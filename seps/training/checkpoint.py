"""Checkpoints that resume to the same curve: parameters and AdamW's moments.

Random numbers need no keeping: each epoch is seeded by its number. Tensors stand in safetensors files, numbers in JSON:
nothing is unpickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from seps.checks import check_not_negative, check_whole, read_fields, read_json_file
from seps.files import written_whole
from seps.models.storage import check_tensors, read_tensors

TENSORS, NUMBERS = "checkpoint.safetensors", "checkpoint.json"
MIN_BEST, MAX_BEST = -1.0, 600.0  # before the first measurement; rSum where every query is answered first

NOT_NEGATIVE = ("step", "exp_avg_sq")


@dataclass(frozen=True)
class RunState:
    """What a run must find again beside its tensors.

    Attributes:
        epoch: epochs done, those of pre-training among them.
        best: the best rSum on dev so far, -1 before the first.
        ratio_weight: the weight of L_ratio, which may adapt.

    Raises:
        ValueError: a number outside its range: epoch is whole and not negative, best in [-1, 600], ratio_weight not
            negative.
    """

    epoch: int
    best: float
    ratio_weight: float

    def __post_init__(self) -> None:
        check_whole("epoch", self.epoch, least=0)
        if not MIN_BEST <= self.best <= MAX_BEST:
            raise ValueError(f"best is {self.best}, but it must lie in [{MIN_BEST:g}, {MAX_BEST:g}].")
        check_not_negative("ratio_weight", self.ratio_weight)


def save_checkpoint(folder: Path, modules: nn.Module, optimizer: torch.optim.Optimizer, state: RunState) -> None:
    """Write a checkpoint into `folder`, whole or not at all.

    Args:
        folder: replaced if there.
        modules: all that is trained; its whole state dict is kept.
        optimizer: AdamW.
        state: written as JSON.
    """
    tensors = {f"modules.{key}": tensor for key, tensor in modules.state_dict().items()}
    for number, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(moment) for name, moment in moments.items()}
    saved = {key: tensor.detach().cpu().contiguous().clone() for key, tensor in tensors.items()}
    with written_whole(folder) as partial:
        partial.mkdir()
        save_file(saved, partial / TENSORS)
        (partial / NUMBERS).write_text(json.dumps(asdict(state), indent=2) + "\n", encoding="utf-8")


def load_checkpoint(folder: Path, modules: nn.Module, optimizer: torch.optim.Optimizer, epochs: int) -> RunState:
    """Take up a checkpoint; all of it is checked before any of it is taken up.

    Args:
        folder: what `save_checkpoint` wrote.
        modules, optimizer: as they were saved, freshly made.
        epochs: how many the run has in all.

    Returns:
        Its state.

    Raises:
        ValueError: no checkpoint there, one that is damaged or changed, one of another model, or one of a run of more
            epochs; the message names the file.
    """
    if not (folder / TENSORS).is_file() or not (folder / NUMBERS).is_file():
        raise ValueError(f"{folder} holds no checkpoint: {TENSORS} and {NUMBERS} are needed.")
    state = read_state(folder / NUMBERS, epochs)
    tensors = read_tensors(folder / TENSORS)
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    trained = {key.split(".")[1] for key in tensors if key.startswith("optimizer.")}
    expected = {f"modules.{key}": tensor for key, tensor in modules.state_dict().items()}
    for i, parameter in enumerate(parameters):
        if str(i) in trained:  # AdamW has moments of those alone that had a gradient
            expected |= {f"optimizer.{i}.{name}": moment for name, moment in moments_of(parameter).items()}
    check_tensors(folder / TENSORS, tensors, expected)
    if state.epoch and not trained:
        raise ValueError(
            f"{folder / TENSORS} has no moments of AdamW after {state.epoch} epochs: it is damaged, resume from "
            "another."
        )
    moments: dict[int, dict[str, Tensor]] = {int(number): {} for number in trained}
    for key, tensor in part(tensors, "optimizer.").items():
        number, name = key.split(".")
        if name in NOT_NEGATIVE and bool((tensor < 0).any()):
            raise ValueError(
                f"{folder / TENSORS} has optimizer.{key} below 0, which AdamW never makes: it is damaged, resume from "
                "another."
            )
        moments[int(number)][name] = tensor
    modules.load_state_dict(part(tensors, "modules."))
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    return state


def read_state(file: Path, epochs: int) -> RunState:
    """Read the state in checkpoint.json; errors as `load_checkpoint`."""
    values = read_json_file(file)
    try:
        state = RunState(**read_fields("the state", RunState, values, "the state."))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
    if state.epoch > epochs:
        raise ValueError(
            f"{file} was written after {state.epoch} epochs, but the recipe has {epochs}: resume with the run's own "
            "recipe."
        )
    return state


def moments_of(parameter: Tensor) -> dict[str, Tensor]:
    """Return what AdamW keeps of a parameter: tensors of these names, shapes and kinds."""
    return {"step": torch.zeros(()), "exp_avg": parameter, "exp_avg_sq": parameter}


def part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Return the tensors whose key begins with `prefix`, without it."""
    return {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}

"""What a run must find again beside its tensors, and the resumption from a checkpoint of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from torch import nn

from seps.fields import Fields, NotNegative, between
from seps.numbers import amount
from seps.runs.checkpoint import NUMBERS, load_checkpoint, read_state

MIN_BEST, MAX_BEST = -1.0, 600.0  # before the first measurement; rSum where every query is answered first


def check_best(name: str, best: float) -> None:
    """Raise ValueError unless -1 <= best <= 600."""
    if not MIN_BEST <= best <= MAX_BEST:
        raise ValueError(f"{name} is {best}, but it must lie in [{MIN_BEST:g}, {MAX_BEST:g}].")


@dataclass(frozen=True)
class RunState(Fields, section="the state"):
    """What a run must find again beside its tensors.

    Attributes:
        epoch: epochs done, those of pre-training among them.
        best: the best rSum on dev so far, -1 before the first.
        ratio_weight: the weight of L_ratio, which may adapt.

    Raises:
        ValueError: a number outside its range: epoch is whole and not negative, best in [-1, 600], ratio_weight not
            negative.
    """

    epoch: Annotated[int, between(0)]
    best: Annotated[float, check_best]
    ratio_weight: NotNegative


def resume_from(folder: Path, modules: nn.Module, optimizer: torch.optim.Optimizer, epochs: int) -> RunState:
    """Take up a checkpoint; all of it is checked before any of it is taken up.

    Args:
        folder: the checkpoint's.
        modules, optimizer: as they were saved, freshly made.
        epochs: how many the run has in all.

    Returns:
        Its state.

    Raises:
        ValueError: no checkpoint there, one that is damaged or changed, one of another model, or one of a run of more
            epochs; the message names the file.
    """
    state = read_state(folder, RunState)
    if state.epoch > epochs:
        raise ValueError(
            f"{folder / NUMBERS} was written after {amount(state.epoch, 'epoch')}, but the recipe has {epochs}: resume "
            "with the run's own recipe."
        )
    load_checkpoint(folder, modules, modules.state_dict(), optimizer, state.epoch)
    return state

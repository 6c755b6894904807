"""State of a run, saved next to its tensors, and resuming from a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from torch import nn

from seps.fields import Fields, between
from seps.numbers import amount
from seps.runs.checkpoint import NUMBERS, load_checkpoint, read_state

MIN_BEST, MAX_BEST = -1.0, 600.0  # before the first measurement; rSum where every query is answered first


def check_best(name: str, best: float) -> None:
    """Raise ValueError unless -1 <= best <= 600."""
    if not MIN_BEST <= best <= MAX_BEST:
        raise ValueError(f"{name} is {best}, but it must be in [{MIN_BEST:g}, {MAX_BEST:g}].")


@dataclass(frozen=True)
class RunState(Fields, section="the state"):
    """State of a run besides its tensors.

    Attributes:
        epoch: completed epochs, including pre-training; best: best rSum on dev in [-1, 600], -1 before the first.
    """

    epoch: Annotated[int, between(0)]
    best: Annotated[float, check_best]


def resume_from(folder: Path, modules: nn.Module, optimizer: torch.optim.Optimizer, epochs: int) -> RunState:
    """Load a checkpoint into modules and optimizer and return the run's state; nothing is changed on an error.

    Args:
        epochs: total number of epochs of the run.

    Raises:
        ValueError: no checkpoint, a damaged one, or one of another model or of more epochs; the message names the file.
    """
    state = read_state(folder, RunState)
    if state.epoch > epochs:
        raise ValueError(
            f"{folder / NUMBERS} was written after {amount(state.epoch, 'epoch')}, but the recipe has {epochs}: resume "
            "with the run's own recipe."
        )
    load_checkpoint(folder, modules, modules.state_dict(), optimizer, state.epoch)
    return state

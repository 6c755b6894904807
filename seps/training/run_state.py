"""What a run must find again beside its tensors, and the resumption from a checkpoint of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from seps.checks import check_not_negative, check_whole
from seps.runs.checkpoint import NUMBERS, load_checkpoint, read_state

MIN_BEST, MAX_BEST = -1.0, 600.0  # before the first measurement; rSum where every query is answered first


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
            f"{folder / NUMBERS} was written after {state.epoch} epochs, but the recipe has {epochs}: resume with the "
            "run's own recipe."
        )
    load_checkpoint(folder, modules, modules.state_dict(), optimizer, state.epoch)
    return state

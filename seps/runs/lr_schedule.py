"""Learning rates over a run, and over one that goes on longer than it began.

Which of these a run follows, and over how many steps it rises, `rate_factor` of its settings says: `linear` or
`multistep` in `seps.training.settings`, `cosine_with_warmup` in `seps.judge.settings` and `seps.generator.settings`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

from seps.numbers import amount

LAST_FRACTION = 0.02  # what a linear schedule ends at
FINE = 1000  # steps an epoch, where a schedule is looked at and not followed


def cosine_with_warmup(step: int, total: int, warmup_steps: int) -> float:
    """Compute the learning rate of a step as a fraction of the largest: a linear rise, then a cosine to 0.

    Args:
        step: of all `total` steps, counted from 0; warmup_steps: over which the rate rises.
    """
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    return 0.5 * (1 + math.cos(math.pi * (step - warmup_steps) / max(1, total - warmup_steps)))


def warmup_factor(step: int, warmup_steps: int) -> float:
    """Compute what a step's rate is multiplied with where it rises over the first steps; without any it is 1."""
    return min(1.0, (step + 1) / warmup_steps) if warmup_steps else 1.0


def linear(step: int, total: int, warmup_steps: int) -> float:
    """Compute the learning rate of a step as a fraction of the largest: down to 2% at the end.

    Args:
        step: of all `total` steps, counted from 0; warmup_steps: over which the rate rises beside.
    """
    return warmup_factor(step, warmup_steps) * max(LAST_FRACTION, 1.0 - step / total)


def multistep(epoch: int, step: int, milestones: Sequence[int], decay_rate: float, warmup_steps: int) -> float:
    """Compute the learning rate of a step as a fraction of the largest: times `decay_rate` from each milestone on.

    Args:
        epoch, step: counted from 0; milestones: epochs.
        warmup_steps: over which the rate rises.
    """
    return warmup_factor(step, warmup_steps) * decay_rate ** sum(epoch >= milestone for milestone in milestones)


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Set every group's learning rate: its "share" of `rate`, all of it where the group names none."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group.get("share", 1.0)


def length_note(before: int, now: int, done: int, rate: Callable[[int], float]) -> str:
    """Say what becomes of the learning rate where a run goes on with another number of epochs than it began with.

    Args:
        before, now: epochs of the run as it began and as it goes on; done: how many are done.
        rate: of the next epoch's first step in a run of so many epochs, as a fraction of the largest.

    Returns:
        A sentence or two; "" where the number is the same.
    """
    if before == now:
        return ""
    rate_before, rate_now = rate(before), rate(now)
    length = f"The run began with {amount(before, 'epoch')} and goes on with {now}"
    if rate_before == rate_now:
        return f"{length}: the learning rate of epoch {done + 1} is {rate_now:.3g} of the largest, as it was to be."
    return (
        f"{length}, and the learning rate follows the schedule of {now}: in epoch {done + 1} it is {rate_now:.3g} of "
        f"the largest, where that of {before} would have {rate_before:.3g}. For the curve of {now} from the start, "
        "train anew into another folder."
    )

"""Learning rate schedules, also for runs that are extended."""

import math
from collections.abc import Callable, Sequence

import torch

from seps.common.numbers import amount

LAST_FRACTION = 0.02  # final fraction of a linear schedule
FINE = 1000  # steps an epoch, where a schedule is looked at and not followed


def cosine_with_warmup(step: int, total: int, warmup_steps: int) -> float:
    """Compute a step's learning rate as a fraction of the maximum: linear warm-up, then a cosine to 0 after `total`."""
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    return 0.5 * (1 + math.cos(math.pi * (step - warmup_steps) / max(1, total - warmup_steps)))


def warmup_factor(step: int, warmup_steps: int) -> float:
    """Compute the factor of a step's rate during warm-up; 1 without warm-up."""
    return min(1.0, (step + 1) / warmup_steps) if warmup_steps else 1.0


def linear(step: int, total: int, warmup_steps: int) -> float:
    """Compute a step's learning rate as a fraction of the maximum: linear decay to 2% of it, with a warm-up."""
    return warmup_factor(step, warmup_steps) * max(LAST_FRACTION, 1.0 - step / total)


def multistep(epoch: int, step: int, milestones: Sequence[int], decay_rate: float, warmup_steps: int) -> float:
    """Compute a step's learning rate as a fraction of the maximum: times `decay_rate` from each milestone on."""
    return warmup_factor(step, warmup_steps) * decay_rate ** sum(epoch >= milestone for milestone in milestones)


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Set each group's learning rate: its "share" of `rate`, by default all of it."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group.get("share", 1.0)


def length_note(before: int, now: int, done: int, rate: Callable[[int], float]) -> str:
    """Describe the effect on the learning rate of resuming a run of `before` epochs with `now`; "" if equal."""
    if before == now:
        return ""
    rate_before, rate_now = rate(before), rate(now)
    length = f"The run began with {amount(before, 'epoch')} and goes on with {now}"
    if rate_before == rate_now:
        return f"{length}: the learning rate of epoch {done + 1} is {rate_now:.3g} of the largest, as it was to be."
    return (
        f"{length}, and the learning rate follows the schedule of {now}: in epoch {done + 1} it is {rate_now:.3g} of "
        f"the largest, while the curve of {before} has {rate_before:.3g}. For the curve of {now} from the start, "
        "train again into another folder."
    )

"""Learning rates over a run, and over one that goes on longer than it began."""

from __future__ import annotations

import math

FINE = 1000  # steps an epoch, where a schedule is looked at and not followed


def cosine_with_warmup(done: int, total: int, rise: int) -> float:
    """The learning rate of the step after `done` of `total` as a share of the largest: a linear rise over `rise` steps,
    then a cosine to 0."""
    if done < rise:
        return (done + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * (done - rise) / max(1, total - rise)))


def other_length(before: int, now: int, done: int, rate_before: float, rate_now: float) -> str:
    """Say what becomes of the learning rate where a run goes on with another number of epochs than it began with.

    Args:
        before, now: epochs of the run as it began and as it goes on; done: how many are done.
        rate_before, rate_now: the rate of the next epoch's first step under both, as shares of the largest.
    """
    length = f"The run began with {before} epoch{'s' * (before != 1)} and goes on with {now}"
    if rate_before == rate_now:
        return f"{length}: the learning rate of epoch {done + 1} is {rate_now:.3g} of the largest, as it was to be."
    return (
        f"{length}, and the learning rate follows the schedule of {now}: in epoch {done + 1} it is {rate_now:.3g} of "
        f"the largest, where that of {before} would have {rate_before:.3g}. For the curve of {now} from the start, "
        "train anew into another folder."
    )

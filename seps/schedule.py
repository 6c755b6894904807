"""Learning rates over a run."""

from __future__ import annotations

import math


def cosine_with_warmup(done: int, total: int, rise: int) -> float:
    """The learning rate of the step after `done` of `total` as a share of the largest: a linear rise over `rise` steps,
    then a cosine to 0."""
    if done < rise:
        return (done + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * (done - rise) / max(1, total - rise)))

"""The weight of the ranking loss over the course of training."""

from __future__ import annotations


def align_factor(ramp_epochs: int, step: int, steps_an_epoch: int) -> float:
    """Return the factor of the ranking loss at a step: it rises from 0 to 1 over `ramp_epochs` epochs, if any."""
    return min(1.0, step / (ramp_epochs * steps_an_epoch)) if ramp_epochs else 1.0

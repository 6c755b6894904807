"""What changes as training goes on beside the learning rate: the weights of the ranking and of the ratio loss."""

from __future__ import annotations

FAR, NEAR = 0.1, 0.02


def align_factor(ramp_epochs: int, step: int, steps_an_epoch: int) -> float:
    """Compute what the ranking loss is multiplied with at a step, counted from 0: it rises from 0 to 1 over the first
    `ramp_epochs` epochs; without any it is 1."""
    return min(1.0, step / (ramp_epochs * steps_an_epoch)) if ramp_epochs else 1.0


def adapt_ratio_weight(initial: float, kept: float, target: float) -> float:
    """Choose the ratio loss's weight for the next epoch, from the recipe's own: twice that where the epoch's kept ratio
    is more than 0.1 off its target, half of it where less than 0.02, else itself.

    Args:
        initial: the recipe's weight, whatever the last epoch's was; kept, target: in [0, 1].
    """
    off = abs(kept - target)
    if off > FAR:
        return 2.0 * initial
    return 0.5 * initial if off < NEAR else initial

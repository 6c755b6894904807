"""What changes as training goes on: learning rates and the weight of the ratio loss."""

from __future__ import annotations

MILESTONES, DECAY = (9, 15, 20, 25), 0.3
LAST_SHARE = 0.02
FAR, NEAR = 0.1, 0.02


def rate_factor(schedule: str, epoch: int, step: int, total: int, lr_warmup_steps: int) -> float:
    """Compute the learning rate of a step as a share of its setting.

    Args:
        schedule: "multistep", times 0.3 from epochs 9, 15, 20 and 25 on; "linear", down to 2% at the end.
        epoch: counted from 0; step: of all `total` steps, counted from 0.
        lr_warmup_steps: steps over which the rate rises.
    """
    rise = min(1.0, (step + 1) / lr_warmup_steps) if lr_warmup_steps else 1.0
    if schedule == "multistep":
        return rise * DECAY ** sum(epoch >= milestone for milestone in MILESTONES)
    return rise * max(LAST_SHARE, 1.0 - step / total)


def adapt_ratio_weight(weight: float, kept: float, target: float) -> float:
    """Choose the ratio loss's weight for the next epoch: doubled while the kept ratio is more than 0.1 off its target,
    halved when within 0.02, otherwise as it was."""
    off = abs(kept - target)
    if off > FAR:
        return 2.0 * weight
    return 0.5 * weight if off <= NEAR else weight

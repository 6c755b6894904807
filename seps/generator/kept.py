"""Which epoch of each stage of a run is kept: the one with the lowest loss on dev."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isnan


def best_epoch(rows: Sequence[Mapping[str, float]]) -> int:
    """Return the index of the epoch of the lowest loss on dev, the first of several; -1 without epochs."""
    losses = [inf if isnan(loss := row.get("dev_loss", inf)) else loss for row in rows]
    return min(range(len(losses)), key=losses.__getitem__, default=-1)


def epochs_since_best(rows: Sequence[Mapping[str, float]]) -> int:
    """Return how many epochs of a stage have passed since the one that is kept."""
    return len(rows) - 1 - best_epoch(rows) if rows else 0


def rows_by_stage(rows: Sequence[Mapping[str, float]]) -> list[list[Mapping[str, float]]]:
    """Group a run's epochs by their stage, in the order of the stages."""
    numbers = sorted({row.get("stage", 1.0) for row in rows})
    return [[row for row in rows if row.get("stage", 1.0) == number] for number in numbers]


def describe_kept_epochs(rows: Sequence[Mapping[str, float]]) -> str:
    """Return which epoch of each stage the generator of a run has, for the last line of training."""
    stages = rows_by_stage(rows)
    kept = [f"epoch {best_epoch(stage) + 1} of {len(stage)}" for stage in stages]
    if len(kept) == 1:
        return f"{kept[0]}, the one with the lowest loss on dev"
    named = ", ".join(f"stage {int(stage[0]['stage'])}: {epoch}" for stage, epoch in zip(stages, kept, strict=True))
    return f"the epoch of each stage with the lowest loss on dev ({named})"

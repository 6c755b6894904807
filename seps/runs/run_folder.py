"""Files in the folder of a run, and the check that a new run may start there."""

import shutil
from pathlib import Path

from seps.common.numbers import amount

FOLDER = "checkpoint"  # name of the folder of `seps.runs.checkpoint`
BEST, CHECKPOINTS, METRICS, MODEL = "best", "checkpoints", "metrics.csv", "model"
BEST_EPOCH = "epoch.json"  # in BEST: which epoch it is, and its score on dev
DATA = "data.json"  # path of the run's data, and its images
NAMES = "epoch-[0-9][0-9][0-9]"  # of checkpoints


def checkpoints(out: Path) -> list[Path]:
    """Return a run's checkpoints, the latest last."""
    return sorted((out / CHECKPOINTS).glob(NAMES))


def check_no_run(out: Path) -> None:
    """Raise ValueError if a folder contains results of a run that a new one would overwrite."""
    existing, remedy = checkpoints(out), "give --out another folder to start again"
    if existing:
        count = epoch_of(existing[-1])
        raise ValueError(f"{out} holds a run of {amount(count, 'epoch')}: add --resume to go on with it, or {remedy}.")
    if (out / FOLDER).exists():
        raise ValueError(f"{out} holds a run: add --resume to go on with it, or {remedy}.")
    left = [name for name in (METRICS, BEST, MODEL) if (out / name).exists()]
    if left:
        raise ValueError(f"{out} holds {' and '.join(left)} of another run: {remedy}.")


def find_checkpoint(out: Path, epoch: int) -> Path:
    """Return the checkpoint after an epoch, 0 for the latest; ValueError if there is none."""
    existing = checkpoints(out)
    matching = [path for path in existing if epoch in (0, epoch_of(path))]
    if not matching:
        names = ", ".join(str(epoch_of(path)) for path in existing) or "none"
        raise ValueError(f"{out} has no checkpoint {'at all' if epoch == 0 else f'after epoch {epoch}'}; has: {names}.")
    return matching[-1]


def forget_checkpoints(out: Path, keep: int) -> None:
    """Remove all but the latest `keep` checkpoints; 0 keeps all."""
    for path in checkpoints(out)[:-keep] if keep else []:
        shutil.rmtree(path)


def epoch_of(checkpoint: Path) -> int:
    """Return the number of epochs before a checkpoint."""
    return int(checkpoint.name[-3:])

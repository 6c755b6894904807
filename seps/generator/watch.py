"""What a generator's training watches and tells: losses that do not fall, time, memory, and marks at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seps.generator.settings import LOSSES, GeneratorSettings, Stage
from seps.numbers import amount

PATIENCE = 5  # epochs of a stage without a lower loss on dev
FALL = 0.8  # of the first loss on dev: what a loss that was learned falls to, at least
TIMES_CHANCE = 5.0  # by how much the accuracy in a batch passes 1 / B
LONG = 12 * 3600.0  # seconds
SHORTAGE = ("out of memory", "allocate memory", "not enough memory")  # as CUDA, Linux and Windows say it
MIN_STEPS = 20  # of an epoch, of which a tenth is averaged


def fall_note(losses: Sequence[float], stage: Stage, rate: float) -> str:
    """Say that the loss of a stage's first epoch does not fall; "" where it does, or the epoch is too short to tell.

    Args:
        losses: of each step; stage: in which; rate: its largest learning rate.
    """
    tenth = len(losses) // 10
    if len(losses) < MIN_STEPS or sum(losses[-tenth:]) < sum(losses[:tenth]):
        return ""
    return (
        f"The loss ({', '.join(stage.losses)}) did not fall in the stage's first epoch: lower the learning rate of "
        f"{rate:g}, give lr_warmup_epochs more than an epoch to rise, or look whether captions belong to their images."
    )


def plateau_note(rows: Sequence[Mapping[str, float]]) -> str:
    """Say that a stage's loss on dev has not been lower for some epochs; "" where it has.

    Args:
        rows: of the stage's epochs, as metrics.csv has them.
    """
    values = [row["dev_loss"] for row in rows]
    if len(values) <= PATIENCE or min(values[-PATIENCE:]) < min(values[:-PATIENCE]):
        return ""
    return (
        f"The loss on dev has not been lower for {PATIENCE} epochs: end the stage earlier, freeze more (freeze_text), "
        "or train on more images."
    )


def time_note(seconds: float, left: int, device: str) -> str:
    """Say how long the epochs that are left will take, with what shortens them where that is long.

    Args:
        seconds: of the epoch that ended; left: epochs; device: "cpu", "cuda".
    """
    if not left:
        return ""
    hours = f"{amount(left, 'epoch')} left, about {seconds * left / 3600:.1f} hours at this speed."
    if seconds * left < LONG:
        return hours
    remedy = "a GPU, a smaller image_size, fewer images" if device == "cpu" else "bf16, a larger batch_size"
    return f"{hours} What shortens that: {remedy} or fewer epochs."


def memory_error(error: RuntimeError, batch_size: int) -> ValueError | None:
    """Return what to say of an error where memory ran out; None of any other error."""
    if not any(words in str(error).lower() for words in SHORTAGE):
        return None
    half = max(2, batch_size // 2)
    return ValueError(
        f"Memory ran out at a batch of {batch_size}: give --set training.batch_size={half}, a smaller image_size or "
        "crop, and go on with --resume."
    )


def success_marks(rows: Sequence[Mapping[str, float]], settings: GeneratorSettings) -> list[str]:
    """Check at the end of a run what tells that each loss was learned.

    Args:
        rows: of all epochs; settings: the run's.

    Returns:
        A sentence for each mark, with whether it was reached.
    """
    marks = []
    for name in LOSSES:
        values = [row[f"dev_{name}"] for row in rows if row.get(f"dev_{name}", 0) > 0]
        if len(values) > 1:
            fraction = values[-1] / values[0]
            verdict = "reached" if fraction <= FALL else f"missed, to be learned it falls to {FALL:.0%} at least"
            marks.append(
                f"{name}: loss on dev {values[0]:.4g} to {values[-1]:.4g}, {fraction:.0%} of the first: {verdict}."
            )
    accuracies = [min(row["i2t"], row["t2i"]) for row in rows if row.get("i2t", 0) > 0 and row.get("t2i", 0) > 0]
    if accuracies:
        target = min(0.9, TIMES_CHANCE / settings.batch_size)
        verdict = "reached" if accuracies[-1] >= target else f"missed, {target:.0%} is the mark"
        marks.append(f"image and caption in a batch of {settings.batch_size}: {accuracies[-1]:.0%} right: {verdict}.")
    return marks

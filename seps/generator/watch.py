"""Warnings and marks of a generator's training: losses that do not fall, time, memory, and the level at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log

from seps.generator.kept import best_epoch, rows_by_stage
from seps.generator.settings import LOSSES, GeneratorSettings, Stage
from seps.numbers import amount

PATIENCE = 5  # epochs of a stage without a lower loss on dev
FALL = 0.8  # of the first loss on dev: what a loss that was learned falls to, at least
STILL = 0.95  # of the first loss on dev, or of chance: a loss above this has not been learned
GOOD_LOSS, GOOD_ACCURACY = 3.0, 0.9  # what training on images with captions reaches if it works
TIMES_CHANCE = 2.0  # accuracy in a batch up to this many times chance is noise
LEVELS = ("stuck", "learning", "good")
MEANINGS = {
    "stuck": (
        "at least one loss is where chance is. Check that captions belong to their images, lower learning_rate, or "
        "give lr_warmup_epochs more epochs."
    ),
    "learning": "it is better than chance, but not at its marks. Train for more epochs, or on more images.",
    "good": "all marks are reached.",
}
LONG = 12 * 3600.0  # seconds
SHORTAGE = ("out of memory", "allocate memory", "not enough memory")  # as CUDA, Linux and Windows say it
MIN_STEPS = 20  # of an epoch, of which a tenth is averaged


def fall_note(losses: Sequence[float], stage: Stage, rate: float) -> str:
    """Warn that the loss of a stage's first epoch does not fall; "" if it falls or the epoch is too short.

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
    """Estimate the remaining training time; if it is long, suggest how to shorten it.

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


def memory_error(error: RuntimeError, batch_size: int, stage: bool = False) -> ValueError | None:
    """Return the error to raise where memory ran out, None for any other error; `stage` has a separate batch size."""
    if not any(words in str(error).lower() for words in SHORTAGE):
        return None
    half, key = max(2, batch_size // 2), "training.stages.batch_size" if stage else "training.batch_size"
    return ValueError(
        f"Memory ran out at a batch of {batch_size}: give --set {key}={half}, a smaller image_size or "
        "crop, and go on with --resume."
    )


def success_marks(
    rows: Sequence[Mapping[str, float]], settings: GeneratorSettings, vocabulary: int = 0, measured: int = 0
) -> list[str]:
    """Return a sentence for each mark of a run, and the level that the run is at: stuck, learning or good.

    The marks are of the saved epochs; the level is the lowest mark.

    Args:
        rows: of all epochs; settings: the run's.
        vocabulary: how many token ids captions are written with; measured: images of dev; 0 if unknown.
    """
    marks: list[tuple[str, str]] = []
    stages = rows_by_stage(rows)
    for name in LOSSES:
        having = [stage for stage in stages if f"dev_{name}" in stage[0]]
        if not having:
            continue
        first, kept = having[0][0], having[-1][best_epoch(having[-1])]
        if name == "captions":
            marks.append(captions_mark(kept["dev_captions"], first["dev_captions"], vocabulary))
        elif name != "contrastive" and (len(having) > 1 or len(having[0]) > 1):
            marks.append(fall_mark(name, kept[f"dev_{name}"], first[f"dev_{name}"]))
    for stage in stages[::-1]:
        number, kept = int(stage[0].get("stage", 1)), stage[best_epoch(stage)]
        if {"i2t", "t2i"} <= kept.keys():
            batch = settings.batch(settings.stages[number - 1])
            marks[:0] = [total_mark(kept, len(stage)), accuracy_mark(kept, batch, measured)]
            break
    if not marks:
        return []
    weakest = min((level for level, _ in marks), key=LEVELS.index)
    return [*(f"{text}: {level}." for level, text in marks), f"This run is {weakest}: {MEANINGS[weakest]}"]


def accuracy_mark(row: Mapping[str, float], batch: int, measured: int = 0) -> tuple[str, str]:
    """Return the level and the text of an epoch's in-batch accuracy, the smaller of both directions, on dev.

    Args:
        row: of the epoch; batch: images per batch; measured: images of dev, which may be fewer; 0 if unknown.
    """
    by_chance = ceil(measured / batch) / measured if measured else 1 / batch
    seen = min(row["i2t"], row["t2i"])
    accuracy = min(row.get("dev_i2t", seen), row.get("dev_t2i", seen))
    stuck = min(TIMES_CHANCE * by_chance, (by_chance + GOOD_ACCURACY) / 2)
    level = "good" if accuracy > GOOD_ACCURACY else "learning" if accuracy > stuck else "stuck"
    return level, (
        f"In-batch accuracy at a batch of {batch}: {seen:.1%} in training, {accuracy:.1%} on dev "
        f"(chance {by_chance:.1%}, good above {GOOD_ACCURACY:.0%})"
    )


def total_mark(row: Mapping[str, float], epochs: int) -> tuple[str, str]:
    """Return the level and the text of an epoch's weighted sum of losses on dev, of a stage of so many epochs.

    Only the parts of the sum can say that it is stuck.
    """
    level = "good" if row["dev_loss"] < GOOD_LOSS else "learning"
    return level, f"Loss on dev: {row['dev_loss']:.3f} within {amount(epochs, 'epoch')} (good below {GOOD_LOSS:.1f})"


def captions_mark(loss: float, first: float, vocabulary: int) -> tuple[str, str]:
    """Return the level and the text of the loss of captions on dev, in nats per token, of which chance is log(V)."""
    baseline = log(vocabulary) if vocabulary > 1 else max(first, 2 * GOOD_LOSS)
    good = min(GOOD_LOSS, baseline / 2)
    level = "good" if loss < good else "learning" if loss < STILL * baseline else "stuck"
    return level, f"Loss of captions on dev: {loss:.3f} (chance {baseline:.2f}, good below {good:.2f})"


def fall_mark(name: str, loss: float, first: float) -> tuple[str, str]:
    """Return the level and the text of a loss without an absolute mark: how far it fell on dev."""
    level = "good" if loss <= FALL * first else "learning" if loss < STILL * first else "stuck"
    return level, f"Loss of {name} on dev: {first:.4g} to {loss:.4g} (good at {FALL:.0%} of the first or less)"

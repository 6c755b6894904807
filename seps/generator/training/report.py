"""Reports of a generator's training: the plan, a step in short, warnings, and the level at the end."""

from collections.abc import Mapping, Sequence
from math import ceil, inf, isnan, log

from seps.common.numbers import amount
from seps.generator.model.network import GeneratorNetwork
from seps.generator.training.settings import LOSSES, GeneratorSettings, Stage

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
SHORT = {
    "contrastive": "cont",
    "captions": "rec",
    "pixels": "rec",
    "diffusion": "diff",
    "teacher": "teacher",
    "perceptual": "perc",
    "representation": "repr",
}


def describe_step(values: Mapping[str, float], batch_size: int) -> str:
    """Return a step in short: `loss=, cont=, rec=, diff=`, and accuracy in the batch, of which chance is 1 / B."""
    short: dict[str, float] = {}
    for name, value in values.items():
        if name not in ("i2t", "t2i"):
            name = SHORT.get(name, name)
            short[name] = short.get(name, 0.0) + value
    text = ", ".join(f"{name}={value:.3f}" for name, value in short.items())
    if "i2t" not in values:
        return text
    return f"{text}, i2t={values['i2t']:.0%}, t2i={values['t2i']:.0%} of {batch_size}"


def training_plan(network: GeneratorNetwork, settings: GeneratorSettings, train_images: int, dev_images: int) -> str:
    """Return the training plan, printed before training starts."""
    sizes = {
        name: sum(parameter.numel() for parameter in part.parameters())
        for name, part in network.named_children()
        if name != "temperature"
    }
    aligns = any("representation" in stage.losses for stage in settings.stages)
    lines = [
        f"{train_images:,} images to train on, {dev_images:,} to measure on, {network.config.image_size} pixels a "
        f"side, on {network.device}.",
        "Parameters: " + ", ".join(f"{name} {size:,}" for name, size in sizes.items()) + ".",
        f"Batch {settings.batch_size}, weight decay {settings.weight_decay:g}, warm-up of "
        f"{settings.lr_warmup_epochs:g} epochs a stage. Weights: contrastive {settings.contrastive_weight:g}, captions "
        f"and pixels {settings.reconstruction_weight:g}, diffusion {settings.diffusion_weight:g}"
        + (f", teacher {settings.teacher_weight:g} ({settings.teacher})" if settings.teacher else "")
        + (f", representation {settings.representation_weight:g}." if aligns else "."),
    ]
    for number, stage in enumerate(settings.stages, start=1):
        frozen = ", text encoder frozen" * stage.freeze_text + ", latents frozen" * stage.freeze_latents
        lines.append(
            f"Stage {number}: {amount(stage.epochs, 'epoch')} of {', '.join(stage.losses)}, {settings.batch(stage)} "
            f"images a step, {stage.optimizer}, "
            f"learning rate {stage.learning_rate or settings.learning_rate:g}{frozen}."
        )
    return "\n".join(lines)


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


def fall_note(losses: Sequence[float], stage: Stage, rate: float) -> str:
    """Warn that the steps' loss does not fall in a stage's first epoch at a rate; "" if it does or has few steps."""
    tenth = len(losses) // 10
    if len(losses) < MIN_STEPS or sum(losses[-tenth:]) < sum(losses[:tenth]):
        return ""
    return (
        f"The loss ({', '.join(stage.losses)}) did not fall in the stage's first epoch: lower the learning rate of "
        f"{rate:g}, give lr_warmup_epochs more than an epoch to rise, or look whether captions belong to their images."
    )


def plateau_note(rows: Sequence[Mapping[str, float]]) -> str:
    """Say that a stage's loss on dev, in rows of metrics.csv, has not been lower for some epochs; "" where it has."""
    values = [row["dev_loss"] for row in rows]
    if len(values) <= PATIENCE or min(values[-PATIENCE:]) < min(values[:-PATIENCE]):
        return ""
    return (
        f"The loss on dev has not been lower for {PATIENCE} epochs: end the stage earlier, freeze more (freeze_text), "
        "or train on more images."
    )


def time_note(seconds: float, left: int, device: str) -> str:
    """Estimate the time of the `left` epochs from one's seconds; if it is long, suggest how to shorten it."""
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
    """Return a sentence for each mark of a run's saved epochs, and the lowest mark: stuck, learning or good."""
    marks: list[tuple[str, str]] = []
    stages = rows_by_stage(rows)
    for name in LOSSES:
        having = [stage for stage in stages if f"dev_{name}" in stage[0]]
        if not having:
            continue
        first, loss = having[0][0][f"dev_{name}"], having[-1][best_epoch(having[-1])][f"dev_{name}"]
        if name == "captions":  # in nats per token, of which chance is log(V)
            baseline = log(vocabulary) if vocabulary > 1 else max(first, 2 * GOOD_LOSS)
            good = min(GOOD_LOSS, baseline / 2)
            text = f"Loss of captions on dev: {loss:.3f} (chance {baseline:.2f}, good below {good:.2f})"
            marks.append((level_of(loss < good, loss < STILL * baseline), text))
        elif name != "contrastive" and (len(having) > 1 or len(having[0]) > 1):
            text = f"Loss of {name} on dev: {first:.4g} to {loss:.4g} (good at {FALL:.0%} of the first or less)"
            marks.append((level_of(loss <= FALL * first, loss < STILL * first), text))
    for stage in stages[::-1]:
        kept = stage[best_epoch(stage)]
        if {"i2t", "t2i"} <= kept.keys():
            batch = settings.batch(settings.stages[int(stage[0].get("stage", 1)) - 1])
            loss = kept["dev_loss"]  # a sum, of which only the parts can say that it is stuck
            text = f"Loss on dev: {loss:.3f} within {amount(len(stage), 'epoch')} (good below {GOOD_LOSS:.1f})"
            marks[:0] = [(level_of(loss < GOOD_LOSS), text), accuracy_mark(kept, batch, measured)]
            break
    if not marks:
        return []
    weakest = min((level for level, _ in marks), key=LEVELS.index)
    return [*(f"{text}: {level}." for level, text in marks), f"This run is {weakest}: {MEANINGS[weakest]}"]


def level_of(is_good: bool, is_learning: bool = True) -> str:
    """Return the name of a level."""
    return "good" if is_good else "learning" if is_learning else "stuck"


def accuracy_mark(row: Mapping[str, float], batch: int, measured: int = 0) -> tuple[str, str]:
    """Return the level and the text of an epoch's in-batch accuracy, the smaller of both directions, on dev."""
    by_chance = ceil(measured / batch) / measured if measured else 1 / batch
    seen = min(row["i2t"], row["t2i"])
    accuracy = min(row.get("dev_i2t", seen), row.get("dev_t2i", seen))
    stuck = min(TIMES_CHANCE * by_chance, (by_chance + GOOD_ACCURACY) / 2)
    return level_of(accuracy > GOOD_ACCURACY, accuracy > stuck), (
        f"In-batch accuracy at a batch of {batch}: {seen:.1%} in training, {accuracy:.1%} on dev "
        f"(chance {by_chance:.1%}, good above {GOOD_ACCURACY:.0%})"
    )

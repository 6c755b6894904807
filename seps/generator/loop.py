"""Train a generator: `python -m seps.generator train RECIPE --data DATA --out RUN [--start FOLDER] [--resume]`.

A recipe's stages run one after another, each with its own losses; parts without a loss in a stage do not change. RUN
receives `model/` (each stage's epoch of the lowest loss on dev), `checkpoint/`, `metrics.csv`, `tensorboard/`,
`loss.png`, `dev_loss.png`, `loss_curves.png`, `recipe.json` and `data.json`, the paths of its data.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from timm.optim import Muon
from torch import nn
from tqdm import tqdm

from seps.checks import check_whole, usable_device
from seps.data import overlap_notes
from seps.files import write_json
from seps.generator.batches import (
    Source,
    epoch_batches,
    make_batch,
    needs_only_cells,
    with_cells,
    with_latents,
    with_places,
)
from seps.generator.config import GeneratorConfig
from seps.generator.curves import CURVES
from seps.generator.data import Captioned, find_frequent_ids, read_captioned
from seps.generator.diffusion import attend_step_by_step
from seps.generator.kept import epochs_since_best
from seps.generator.losses import Batch, Losses, Objective
from seps.generator.network import GeneratorNetwork
from seps.generator.run import Run, RunState
from seps.generator.settings import GeneratorSettings, Stage, read_recipe
from seps.generator.teacher import TeacherHead, TeacherPatches
from seps.generator.watch import fall_note, memory_error, plateau_note, success_marks, time_note
from seps.models.hub import load_model
from seps.numbers import amount
from seps.precision import bfloat16_is_fast
from seps.runs.checkpoint import NUMBERS, load_checkpoint, read_state, save_checkpoint
from seps.runs.lr_schedule import FINE, set_learning_rate
from seps.runs.lr_schedule import length_note as note_on_length
from seps.runs.recipe import first_settings, write_recipe
from seps.runs.run_folder import DATA, FOLDER, MODEL, check_no_run
from seps.runs.run_log import DrawTimer, StepLog, forget_after, read_epochs, write_epoch

SHORT = {
    "contrastive": "cont",
    "captions": "rec",
    "pixels": "rec",
    "diffusion": "diff",
    "teacher": "teacher",
    "perceptual": "perc",
    "representation": "repr",
}


@dataclass(frozen=True)
class Splits:
    """Data for training and evaluation."""

    train: Source
    dev: Source


def train(
    config: GeneratorConfig,
    settings: GeneratorSettings,
    data: Path,
    out: Path,
    resume: bool = False,
    cache: Path | None = None,
    images: Path | None = None,
    device: str | None = None,
    start: Path | None = None,
) -> GeneratorNetwork:
    """Train a generator from a recipe.

    Args:
        data: folder with the splits train and dev; images: as in `seps.data.read_split`.
        out: folder of the run; resume: continue from its checkpoint.
        cache: folder of the pictures as bytes; default: `out/pictures`.
        device: "cuda" or "cpu"; default: CUDA if available.
        start: folder of a generator with the same config to start from; with latents frozen from the first stage on,
            its decoder may differ and is initialised.

    Raises:
        ValueError: unusable data, recipe, checkpoint or device, before training starts; a loss that is not finite.
    """
    of_drawing = {"pixels", "perceptual", "diffusion"} & {loss for stage in settings.stages for loss in stage.losses}
    if of_drawing and not config.draws:
        raise ValueError(
            f"The recipe's draws is false, but its stages have the losses {', '.join(sorted(of_drawing))}: leave these "
            "out, or draws."
        )
    if not config.reads and any({*stage.losses} - {"captions"} for stage in settings.stages):
        raise ValueError("The recipe's reads is false, so that captions is the one loss that its stages may have.")
    where = usable_device(device)
    torch.manual_seed(settings.seed)
    network = GeneratorNetwork(config)
    if start is not None:
        network.load(start, other_decoder=settings.stages[0].freeze_latents)
    elif settings.text_start:
        start_text(network, settings.text_start)
    if not resume:
        check_no_run(out)
    out.mkdir(parents=True, exist_ok=True)
    read_epochs(out)
    first, done = read_progress(out, settings) if resume else (0, 0)
    if resume and (note := length_note(out, settings, first, done)):
        tqdm.write(note)
    kept = cache or out / "pictures"
    train_images, dev_images = read_images(network, settings, data, kept, images)
    for note in overlap_notes(train_images.split, dev_images.split):
        tqdm.write(f"Warning: {note}", file=sys.stderr)
    written, tokenizer = network.captioner.written, network.tokenizer
    if written is not None and start is None:
        always = (tokenizer.cls_id, tokenizer.sep_id, tokenizer.unk_id)
        written.copy_(find_frequent_ids(train_images.ids, len(written), always))
    network.to(where)
    network.to(memory_format=torch.channels_last)
    if network.unet is not None and network.device.type == "cpu":
        attend_step_by_step(network.unet)
    tqdm.write(training_plan(network, settings, len(train_images), len(dev_images)))
    write_recipe(out, config, settings)
    write_json(out / DATA, {"data": str(data.resolve()), "images": images and str(images.resolve())})
    splits, teacher = with_teacher(network, settings, train_images, dev_images, kept)
    run = Run(network, settings, teacher).to(network.device)
    for number in range(first, len(settings.stages)):
        resumed = resume and number == first
        run_stage(run, splits, out, kept, number, done if resumed else 0, resumed)
    vocabulary = network.tokenizer.size if written is None else len(written)
    measured = min(settings.dev_images or len(dev_images), len(dev_images))
    for mark in success_marks(read_epochs(out), settings, vocabulary, measured):
        tqdm.write(mark)
    return network


def read_images(
    network: GeneratorNetwork, settings: GeneratorSettings, data: Path, cache: Path, images: Path | None
) -> tuple[Captioned, Captioned]:
    """Read training and validation data: train and dev, or two parts of train.

    Raises:
        ValueError: as `read_captioned`; more than half of train held back.
    """
    config = network.config
    most = config.captioner.max_words
    pixels = None if all(needs_only_cells(config, stage) for stage in settings.stages) else cache
    names = ("train",) if settings.held_back else ("train", "dev")
    train_images, *others = (
        read_captioned(data, name, config.image_size, network.tokenizer, most, pixels, images) for name in names
    )
    if others:
        return train_images, others[0]
    count, kept = len(train_images), len(train_images) - settings.held_back
    if kept < settings.held_back:
        raise ValueError(
            f"training.held_back is {settings.held_back}, but train has {count} images: hold back half of them at most."
        )
    return train_images.part(0, kept, "train"), train_images.part(kept, count, "held_back")


def with_teacher(
    network: GeneratorNetwork, settings: GeneratorSettings, train_images: Captioned, dev_images: Captioned, cache: Path
) -> tuple[Splits, TeacherHead | None]:
    """Return the splits with the teacher's features of their images, and the head that predicts them."""
    if not any("teacher" in stage.losses for stage in settings.stages):
        return Splits(Source(train_images), Source(dev_images)), None
    patches = [
        TeacherPatches(settings.teacher, captioned, cache, network.device) for captioned in (train_images, dev_images)
    ]
    head = TeacherHead(network.images.width, network.images.side, patches[0].side, patches[0].channels)
    return Splits(Source(train_images, None, patches[0]), Source(dev_images, None, patches[1])), head


def read_progress(out: Path, settings: GeneratorSettings) -> tuple[int, int]:
    """Return the current stage of a run's checkpoint, from 0, and its number of completed epochs.

    Raises:
        ValueError: a missing or damaged checkpoint, or one of a run with other stages.
    """
    state, file = read_state(out / FOLDER, RunState), out / FOLDER / NUMBERS
    check_whole(f"stage in {file}", state.stage, len(settings.stages) - 1, least=0)
    check_whole(f"epoch in {file}", state.epoch, settings.stages[state.stage].epochs)
    return state.stage, state.epoch


def length_note(out: Path, settings: GeneratorSettings, stage: int, done: int) -> str:
    """Describe how the learning rate changes if a stage is resumed with another number of epochs; "" if it does not."""
    first = first_settings(out, read_recipe)
    if first is None or stage >= len(first.stages):
        return ""
    return note_on_length(
        first.stages[stage].epochs,
        settings.stages[stage].epochs,
        done,
        lambda epochs: settings.rate_factor(epochs, done * FINE, FINE),
    )


def start_text(network: GeneratorNetwork, name: str) -> None:
    """Take over a SEPS model's text encoder, as far as the projection; ValueError if it is of another kind."""
    source = load_model(name).txt_enc.bert.state_dict()
    bert: nn.Module = network.captions.encoder.bert
    expected = {key: tensor.shape for key, tensor in bert.state_dict().items()}
    if {key: tensor.shape for key, tensor in source.items()} != expected:
        raise ValueError(
            f"training.text_start is {name!r}, but its text encoder is not {network.config.encoders.text}: set "
            "encoders.text to that model's, or text_start to ''."
        )
    bert.load_state_dict(source)


def run_stage(run: Run, splits: Splits, out: Path, cache: Path, number: int, done: int, resume: bool) -> None:
    """Run the epochs of a stage from `done` on; with `resume`, after the checkpoint.

    The generator ends with the weights of the epoch with the lowest loss on dev, which RUN/model contains.
    """
    objective, settings = run.objective, run.objective.settings
    stage = settings.stages[number]
    learned = objective.set_stage(stage)
    optimizer = optimizer_of(stage, learned, settings.weight_decay)
    if resume:
        load_checkpoint(out / FOLDER, run, run.state_dict(), optimizer, done)
    train_source, dev_source = (
        with_cells(objective, stage, with_latents(objective, stage, with_places(objective, stage, source)), cache)
        for source in (splits.train, splits.dev)
    )
    count = len(train_source.captioned)
    size = settings.batch(stage)
    steps = steps_an_epoch(settings, stage, count)
    before = sum(stage.epochs for stage in settings.stages[:number])
    if resume:
        forget_after(out, CURVES, before + done)
    rows = [row for row in read_epochs(out) if before < row["epoch"] <= before + done] if resume else []
    if rows and not epochs_since_best(rows):  # the run may have ended between its checkpoint and its model
        run.save_model(out / MODEL, run.has_drawn(number))
    timer, last = DrawTimer(), sum(stage.epochs for stage in settings.stages)
    for epoch in range(done, stage.epochs):
        if stage.patience and epochs_since_best(rows) >= stage.patience:
            break
        torch.manual_seed(settings.seed * 100_003 + number * 1009 + epoch)
        started = time.monotonic()
        totals: dict[str, float] = {}
        title = f"stage {number + 1} of {len(settings.stages)}, epoch {epoch + 1} of {stage.epochs}"
        bar = tqdm(epoch_batches(objective, stage, train_source), title, steps, leave=False)
        with StepLog(out, CURVES, before + epoch + 1, steps_before(settings, count, number) + epoch * steps) as log:
            for step, batch in enumerate(bar):
                factor = settings.rate_factor(stage.epochs, epoch * steps + step, steps)
                set_learning_rate(optimizer, (stage.learning_rate or settings.learning_rate) * factor)
                losses = training_step(objective, stage, batch, optimizer, learned, (epoch, step))
                if run.average is not None and "diffusion" in stage.losses:
                    run.average.update_parameters(objective.network.unet)
                values = figures(losses)
                log.add(values)
                for name, value in values.items():
                    totals[name] = totals.get(name, 0.0) + value / steps
                if step % 10 == 0:
                    bar.set_postfix_str(report(losses, size))
        row = {"epoch": before + epoch + 1.0, "stage": number + 1.0} | totals | measure(run, stage, dev_source)
        rows.append(row)
        write_epoch(out, CURVES, row, log.rows, timer.is_due(before + epoch + 1 == last))
        save_checkpoint(out / FOLDER, run.state_dict(), optimizer, RunState(number, epoch + 1))
        if not epochs_since_best(rows):
            run.save_model(out / MODEL, run.has_drawn(number))
        tqdm.write(f"{title}: " + ", ".join(f"{name} {value:.4f}" for name, value in list(row.items())[2:]))
        rate, device = stage.learning_rate or settings.learning_rate, objective.network.device.type
        left = last - (before + epoch + 1)
        notes = [
            fall_note([line["loss"] for line in log.rows], stage, rate) if epoch == 0 else "",
            plateau_note(rows),
            time_note(time.monotonic() - started, left, device) if epoch == done else "",
        ]
        for note in filter(None, notes):
            tqdm.write(note)
    if epochs_since_best(rows):
        run.load_model(out / MODEL, run.has_drawn(number))


def steps_an_epoch(settings: GeneratorSettings, stage: Stage, count: int) -> int:
    """Return how many steps an epoch of a stage has over `count` images."""
    return count // settings.batch(stage) or 1


def steps_before(settings: GeneratorSettings, count: int, number: int) -> int:
    """Return how many steps the stages before stage `number`, counted from 0, have over `count` images."""
    return sum(stage.epochs * steps_an_epoch(settings, stage, count) for stage in settings.stages[:number])


def optimizer_of(stage: Stage, learned: list[nn.Parameter], weight_decay: float) -> torch.optim.Optimizer:
    """Return the stage's optimizer, at a rate of 0, which each step changes; Muon's betas are for biases and scales."""
    if stage.optimizer == "muon":
        return Muon(learned, lr=0.0, weight_decay=weight_decay, nesterov=True, betas=(0.9, 0.99))
    return torch.optim.AdamW(learned, lr=0.0, weight_decay=weight_decay, fused=True)


def training_step(
    objective: Objective,
    stage: Stage,
    batch: Batch,
    optimizer: torch.optim.Optimizer,
    learned: list[nn.Parameter],
    where: tuple[int, int],
) -> Losses:
    """Return one step of the optimizer; ValueError for a loss that is not finite."""
    device = objective.network.device
    mixed = objective.settings.bf16 if device.type == "cuda" else stage.bf16_cpu and bfloat16_is_fast()
    try:
        return make_step(objective, stage, batch, optimizer, learned, where, mixed)
    except RuntimeError as error:
        if shortage := memory_error(error, objective.settings.batch(stage), bool(stage.batch_size)):
            raise shortage from error
        raise


def make_step(
    objective: Objective,
    stage: Stage,
    batch: Batch,
    optimizer: torch.optim.Optimizer,
    learned: list[nn.Parameter],
    where: tuple[int, int],
    mixed: bool,
) -> Losses:
    """Return a step as `training_step` makes it, in bfloat16 if `mixed`."""
    with torch.autocast(objective.network.device.type, torch.bfloat16, enabled=mixed):
        losses = objective(stage, batch)
    if not math.isfinite(float(losses.total.detach())):
        raise ValueError(
            f"The loss is {float(losses.total.detach())} in epoch {where[0] + 1}, step {where[1] + 1}: lower "
            "learning_rate."
        )
    optimizer.zero_grad()
    losses.total.backward()
    nn.utils.clip_grad_norm_(learned, objective.settings.clip)
    optimizer.step()
    return losses


@torch.no_grad()
def measure(run: Run, stage: Stage, dev: Source) -> dict[str, float]:
    """Return a stage's losses on dev, of the weights that would be kept, with the same captions and noise each time."""
    objective, settings = run.objective, run.objective.settings
    state = torch.get_rng_state()
    torch.manual_seed(settings.seed)
    objective.eval()
    count = min(settings.dev_images or len(dev.captioned), len(dev.captioned))
    sums: dict[str, float] = {}
    with run.use_average("diffusion" in stage.losses):
        for rows in torch.arange(count).split(settings.batch(stage)):
            which = torch.randint(dev.captioned.split.captions_per_image, (len(rows),))
            losses = objective(stage, make_batch(objective, stage, dev, rows, which))
            for name, value in figures(losses).items():
                sums[f"dev_{name}"] = sums.get(f"dev_{name}", 0.0) + value * len(rows) / count
    objective.set_stage(stage)
    torch.set_rng_state(state)
    return sums


def figures(losses: Losses) -> dict[str, float]:
    """Return a step's numbers by name."""
    row = {"loss": float(losses.total.detach())} | {name: float(loss.detach()) for name, loss in losses.each.items()}
    if losses.i2t is not None and losses.t2i is not None:
        row |= {"i2t": losses.i2t, "t2i": losses.t2i}
    return row


def report(losses: Losses, batch_size: int) -> str:
    """Return a step in short: `loss=, cont=, rec=, diff=`, and accuracy in the batch, of which chance is 1 / B."""
    short: dict[str, float] = {"loss": float(losses.total.detach())}
    for name, loss in losses.each.items():
        short[SHORT[name]] = short.get(SHORT[name], 0.0) + float(loss.detach())
    text = ", ".join(f"{name}={value:.3f}" for name, value in short.items())
    if losses.i2t is None or losses.t2i is None:
        return text
    return f"{text}, i2t={losses.i2t:.0%}, t2i={losses.t2i:.0%} of {batch_size}"


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

"""Train a generator: `python -m seps.generator train RECIPE --data DATA --out RUN [--start FOLDER] [--resume]`."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
from timm.optim import Muon
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from tqdm import tqdm

from seps.common.checks import usable_device
from seps.common.files import write_json
from seps.common.precision import bfloat16_is_fast
from seps.data import overlap_notes
from seps.generator.config import GeneratorConfig
from seps.generator.model.diffusion import attend_step_by_step
from seps.generator.model.network import GeneratorNetwork
from seps.generator.training import batches, report
from seps.generator.training.data import Captioned, find_frequent_ids, read_captioned
from seps.generator.training.losses import Batch, Objective
from seps.generator.training.settings import LOSSES, GeneratorSettings, Stage, read_recipe
from seps.generator.training.teacher import TeacherHead, TeacherPatches
from seps.models.hub import load_model
from seps.runs.checkpoint import RunState, read_state
from seps.runs.lr_schedule import FINE, length_note, set_learning_rate
from seps.runs.recipe import first_settings, write_recipe
from seps.runs.run_folder import DATA, FOLDER, MODEL, check_no_run
from seps.runs.run_log import Curves, Panel, Row, read_epochs
from seps.runs.trainer import Epoch, Trainer, Values, warn

CURVES = Curves(
    pictures={
        "loss.png": (("loss", *LOSSES), "loss on train"),
        "dev_loss.png": (tuple(f"dev_{name}" for name in ("loss", *LOSSES)), "loss on dev"),
    },
    step_columns=("loss", *LOSSES),
    panels=(Panel("loss", "total loss"), *(Panel(name, f"{name} loss") for name in LOSSES)),
    step_tags={"Loss/total": "loss"} | {f"Loss/{name}": name for name in LOSSES},
)

Sources = tuple[batches.Source, batches.Source]  # of train and of dev


def train(
    config: GeneratorConfig,
    settings: GeneratorSettings,
    data: Path,
    out: Path,
    resume: bool = False,
    cache: Path | None = None,
    images: Path | None = None,
    start: Path | None = None,
) -> GeneratorNetwork:
    """Train a generator from a recipe.

    Args:
        data: folder with the splits train and dev; images: as in `seps.data.read_split`.
        cache: folder of the pictures as bytes; default: `out/pictures`.
        start: folder of a generator with the same config to start from; with latents frozen from the first stage on,
            its decoder may differ and is initialised.
    """
    of_drawing = {"pixels", "perceptual", "diffusion"} & {loss for stage in settings.stages for loss in stage.losses}
    if of_drawing and not config.draws:
        raise ValueError(
            f"The recipe's draws is false, but its stages have the losses {', '.join(sorted(of_drawing))}: leave these "
            "out, or draws."
        )
    if not config.reads and any({*stage.losses} - {"captions"} for stage in settings.stages):
        raise ValueError("The recipe's reads is false, so that captions is the one loss that its stages may have.")
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
    state = RunState(0)
    if resume:
        state = read_state(out / FOLDER, [stage.epochs for stage in settings.stages])
        if note := schedule_note(out, settings, state):
            tqdm.write(note)
    kept = cache or out / "pictures"
    train_images, dev_images = read_images(network, settings, data, kept, images)
    warn(overlap_notes(train_images.split, dev_images.split))
    written, tokenizer = network.captioner.written, network.tokenizer
    if written is not None and start is None:
        always = (tokenizer.cls_id, tokenizer.sep_id, tokenizer.unk_id)
        written.copy_(find_frequent_ids(train_images.ids, len(written), always))
    network.to(usable_device(None))
    network.to(memory_format=torch.channels_last)
    if network.unet is not None and network.device.type == "cpu":
        attend_step_by_step(network.unet)
    tqdm.write(report.training_plan(network, settings, len(train_images), len(dev_images)))
    write_recipe(out, config, settings)
    write_json(out / DATA, {"data": str(data.resolve()), "images": images and str(images.resolve())})
    sources: Sources = (batches.Source(train_images), batches.Source(dev_images))
    teacher: TeacherHead | None = None
    if any("teacher" in stage.losses for stage in settings.stages):
        patches = [TeacherPatches(settings.teacher, source.captioned, kept, network.device) for source in sources]
        teacher = TeacherHead(network.images.width, network.images.side, patches[0].side, patches[0].channels)
        sources = sources[0]._replace(teacher=patches[0]), sources[1]._replace(teacher=patches[1])
    run = Run(network, settings, teacher).to(network.device)
    last = sum(stage.epochs for stage in settings.stages)
    for number in range(state.stage, len(settings.stages)):
        trainer = StageTrainer(run, sources, out, kept, number, state if resume and number == state.stage else None)
        trainer.fit(range(trainer.before + trainer.done, trainer.before + trainer.stage.epochs), last)
        if report.epochs_since_best(trainer.rows):  # the weights of the best epoch remain
            run.load_model(out / MODEL, run.has_drawn(number))
    vocabulary = network.tokenizer.size if written is None else len(written)
    measured = min(settings.dev_images or len(dev_images), len(dev_images))
    for mark in report.success_marks(read_epochs(out), settings, vocabulary, measured):
        tqdm.write(mark)
    return network


def read_images(
    network: GeneratorNetwork, settings: GeneratorSettings, data: Path, cache: Path, images: Path | None
) -> tuple[Captioned, Captioned]:
    """Read train and dev, or two parts of train with `held_back`; ValueError if that is more than half of it."""
    config = network.config
    most = config.captioner.max_words
    pixels = None if all(batches.needs_only_cells(config, stage) for stage in settings.stages) else cache
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


def schedule_note(out: Path, settings: GeneratorSettings, state: RunState) -> str:
    """Describe how the learning rate changes if a stage is resumed with another number of epochs; "" if it does not."""
    first, stage, done = first_settings(out, read_recipe, settings), state.stage, state.epoch
    if stage >= len(first.stages):
        return ""
    before, now = (each.stages[stage].epochs for each in (first, settings))
    return length_note(before, now, done, lambda epochs: settings.rate_factor(epochs, done * FINE, FINE))


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


class Run(nn.Module):
    """Content of a checkpoint: the objective, and the UNet's running average if it has one."""

    def __init__(
        self, network: GeneratorNetwork, settings: GeneratorSettings, teacher: TeacherHead | None = None
    ) -> None:
        super().__init__()
        self.objective = Objective(network, settings, teacher)
        self.average: AveragedModel | None = None
        if settings.average and any("diffusion" in stage.losses for stage in settings.stages):
            self.average = AveragedModel(network.unet, multi_avg_fn=get_ema_multi_avg_fn(settings.average))
            self.average.requires_grad_(False)

    def has_drawn(self, number: int) -> bool:
        """Return whether diffusion has begun by the end of stage `number`, counted from 0."""
        return any("diffusion" in stage.losses for stage in self.objective.settings.stages[: number + 1])

    @contextmanager
    def use_average(self, drawn: bool) -> Iterator[None]:
        """Give the UNet its running average temporarily, if it has one and diffusion has begun (`drawn`)."""
        if self.average is None or not drawn:
            yield
            return
        unet = self.objective.network.unet
        weights = {key: tensor.clone() for key, tensor in unet.state_dict().items()}
        unet.load_state_dict(self.average.module.state_dict())
        try:
            yield
        finally:
            unet.load_state_dict(weights)

    def save_model(self, folder: Path, drawn: bool) -> None:
        """Write the generator, its UNet as the running average where diffusion has begun (`drawn`)."""
        with self.use_average(drawn):
            self.objective.network.save(folder)

    def load_model(self, folder: Path, drawn: bool) -> None:
        """Load what `save_model` wrote; the running average continues from its UNet."""
        network = self.objective.network
        network.load(folder)
        if self.average is not None and drawn:
            self.average.module.load_state_dict(network.unet.state_dict())


class StageTrainer(Trainer[Batch]):
    """Trains a stage of a generator, after `before` epochs of other stages and `done` ones of this."""

    curves = CURVES

    def __init__(self, run: Run, sources: Sources, out: Path, cache: Path, number: int, state: RunState | None) -> None:
        self.run, self.objective, self.number = run, run.objective, number
        self.settings = settings = run.objective.settings
        self.stage = stage = settings.stages[number]
        learned = self.objective.set_stage(stage)
        super().__init__(run, optimizer_of(stage, learned, settings.weight_decay), settings.clip, out)
        self.before, self.done = sum(stage.epochs for stage in settings.stages[:number]), 0
        if state is not None:
            self.done = state.epoch
            self.resume(out / FOLDER, state, self.before + self.done)
        self.train, self.dev = (batches.prepare(self.objective, stage, source, cache) for source in sources)
        self.rate, self.size = stage.learning_rate or settings.learning_rate, settings.batch(stage)

    def data(self, number: int) -> Epoch[Batch]:
        """Return the batches of an epoch."""
        epoch, settings, count = number - self.before, self.settings, len(self.train.captioned)
        torch.manual_seed(settings.seed * 100_003 + self.number * 1009 + epoch)
        title = f"stage {self.number + 1} of {len(settings.stages)}, epoch {epoch + 1} of {self.stage.epochs}"
        each = [count // settings.batch(stage) or 1 for stage in settings.stages]  # steps of an epoch
        steps = each[self.number]
        earlier = zip(settings.stages[: self.number], each, strict=False)
        before = sum(stage.epochs * of_epoch for stage, of_epoch in earlier) + epoch * steps
        return Epoch(number, title, batches.epoch_batches(self.objective, self.stage, self.train), steps, before)

    def step(self, batch: Batch, epoch: Epoch[Batch], number: int) -> Values:
        """Compute the losses of a batch."""
        step = (epoch.number - self.before) * epoch.steps + number
        factor = self.settings.rate_factor(self.stage.epochs, step, epoch.steps)
        set_learning_rate(self.optimizer, self.rate * factor)
        device = self.objective.network.device.type
        mixed = self.settings.bf16 if device == "cuda" else self.stage.bf16_cpu and bfloat16_is_fast()
        with torch.autocast(device, torch.bfloat16, enabled=mixed):
            losses: Values = self.objective(self.stage, batch)
        return losses

    def update(self, batch: Batch, epoch: Epoch[Batch], number: int) -> Row:
        """Update the weights; ValueError where memory runs out."""
        try:
            return super().update(batch, epoch, number)
        except RuntimeError as error:
            if shortage := report.memory_error(error, self.size, bool(self.stage.batch_size)):
                raise shortage from error
            raise

    def after_step(self) -> None:
        """Update the UNet's running average."""
        if self.run.average is not None and "diffusion" in self.stage.losses:
            self.run.average.update_parameters(self.objective.network.unet)

    def evaluate(self, epoch: Epoch[Batch], means: Row) -> Row:
        """Return the stage, the means of the losses, and the losses on dev."""
        return {"stage": self.number + 1.0} | means | measure(self.run, self.stage, self.dev)

    def is_over(self) -> bool:
        """Return whether the loss on dev has not been lower for `patience` epochs."""
        return 0 < self.stage.patience <= report.epochs_since_best(self.rows)

    def is_best(self) -> bool:
        """Return whether the last epoch has the lowest loss on dev."""
        return not report.epochs_since_best(self.rows)

    def save_best(self, row: Row) -> None:
        """Write `model/`."""
        self.run.save_model(self.folder / MODEL, self.run.has_drawn(self.number))

    def state(self, done: int) -> RunState:
        """Return the stage, and the completed epochs of it."""
        return RunState(done - self.before, self.number)

    def describe(self, values: Row) -> str:
        """Return a step in short."""
        return report.describe_step(values, self.size)

    def report(self, epoch: Epoch[Batch], row: Row, steps: Sequence[Row], is_best: bool) -> None:
        """Print the losses, and notes on the stage."""
        tqdm.write(f"{epoch.title}: " + ", ".join(f"{name} {value:.4f}" for name, value in list(row.items())[2:]))
        number, device = epoch.number - self.before, self.objective.network.device.type
        left = sum(stage.epochs for stage in self.settings.stages) - (epoch.number + 1)
        notes = [
            report.fall_note([line["loss"] for line in steps], self.stage, self.rate) if number == 0 else "",
            report.plateau_note(self.rows),
            report.time_note(time.monotonic() - epoch.started, left, device) if number == self.done else "",
        ]
        for note in filter(None, notes):
            tqdm.write(note)


def optimizer_of(stage: Stage, learned: list[nn.Parameter], weight_decay: float) -> torch.optim.Optimizer:
    """Return the stage's optimizer, at a rate of 0, which each step changes; Muon's betas are for biases and scales."""
    if stage.optimizer == "muon":
        return Muon(learned, lr=0.0, weight_decay=weight_decay, nesterov=True, betas=(0.9, 0.99))
    return torch.optim.AdamW(learned, lr=0.0, weight_decay=weight_decay, fused=True)


@torch.no_grad()
def measure(run: Run, stage: Stage, dev: batches.Source) -> dict[str, float]:
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
            for name, value in objective(stage, batches.make_batch(objective, stage, dev, rows, which)).items():
                sums[f"dev_{name}"] = sums.get(f"dev_{name}", 0.0) + float(value) * len(rows) / count
    objective.set_stage(stage)
    torch.set_rng_state(state)
    return sums

"""Train a model: `python -m seps.train CONFIG --data DIR --out RUN`, see `seps.training.command`.

RUN receives `best/`, `checkpoints/`, `metrics.csv`, `tensorboard/`, plots and `recipe.json`.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from torch import Tensor
from tqdm import tqdm

from seps.common.files import write_json
from seps.data import Split, overlap_notes
from seps.models.config import ModelConfig
from seps.runs.checkpoint import read_state
from seps.runs.lr_schedule import length_note, linear
from seps.runs.recipe import first_settings, write_recipe
from seps.runs.run_folder import BEST, BEST_EPOCH, CHECKPOINTS, check_no_run, find_checkpoint, forget_checkpoints
from seps.runs.run_log import Curves, Panel, Row, read_epochs
from seps.runs.trainer import Epoch, Trainer, Values, make_accelerator, warn
from seps.training import setup
from seps.training.batches.batch import StepBatch
from seps.training.batches.cache import FeatureCache
from seps.training.dev import dev_metrics, recalls
from seps.training.losses.gathering import joined
from seps.training.losses.step import TrainingStep
from seps.training.settings import TrainSettings, read_recipe
from seps.training.watch import epoch_warnings, start_warnings

CLASS_STEPS = 20  # after which the class vectors are computed again from the text branch
RECALLS = ("i2t_r1", "i2t_r5", "i2t_r10", "t2i_r1", "t2i_r5", "t2i_r10")
CURVES = Curves(
    pictures={
        "loss.png": (("loss", "align", "ratio"), "loss on train"),
        "recall.png": (RECALLS, "recall on dev, per cent"),
    },
    step_columns=("loss", "align", "ratio", "kept"),
    panels=(
        Panel("loss", "total loss"),
        Panel("align", "align loss"),
        Panel("ratio", "ratio loss"),
        Panel("kept", "kept ratio", "target_ratio"),
    ),
    step_tags={"Loss/total": "loss", "Loss/align": "align", "Loss/ratio": "ratio"},
    epoch_tags={"Ratio/kept": "kept", "Ratio/weight": "ratio_weight"},
)


def align_factor(ramp_epochs: int, step: int, steps_an_epoch: int) -> float:
    """Return the factor of the ranking loss at a step: it rises from 0 to 1 over `ramp_epochs` epochs, if any."""
    return min(1.0, step / (ramp_epochs * steps_an_epoch)) if ramp_epochs else 1.0


def train(
    config: ModelConfig,
    settings: TrainSettings,
    data: Path,
    out: Path,
    resume: int | None = None,
    keep: int = 1,
    workers: int = 2,
    cache: Path | None = None,
    start: str | None = None,
    images: Path | None = None,
) -> float:
    """Train a model from a recipe and return the best rSum on dev.

    Args:
        resume: epoch to resume after, 0: the latest checkpoint; None: start a new run; keep: checkpoints, 0: all.
        start: a model, see `load_model`, to take weights from; the network's only if its sizes are equal.
    """
    if resume is None:
        check_no_run(out)
    accelerator = make_accelerator()
    splits = setup.read_splits(data, images)
    setup.check_phrases(splits["train"], settings)
    notes = (*splits["train"].notes, *splits["dev"].notes, setup.dense_note(splits["train"], settings))
    for note in dict.fromkeys(notes):  # a caption file has the same notes for both splits
        if note:
            accelerator.print(note)
    if accelerator.is_main_process:
        warn(overlap_notes(*splits.values()))
    first = first_settings(out, read_recipe, settings)
    out.mkdir(parents=True, exist_ok=True)
    read_epochs(out)  # a curve that cannot be gone on with is refused now, not after an epoch
    write_recipe(out, config, settings)
    setup.check_shared(config, settings)
    model = setup.start_model(config, settings, start, accelerator.device)
    new, features = start is None, cache or out / "features"
    loader, dev_cache = setup.open_loader(accelerator, model, settings, splits, features, workers, new)
    step = TrainingStep(model, settings)
    trainer = RetrievalTrainer(accelerator, step, settings, loader, splits["dev"], dev_cache, out, keep)
    done, epochs = 0, settings.pretrain_epochs + settings.epochs
    if resume is not None:
        folder = find_checkpoint(out, resume)
        state = read_state(folder, [epochs])
        trainer.resume(folder, state, done := state.epoch)
        if note := schedule_note(first, settings, done, loader.length()):
            accelerator.print(note)
    trainer.prepare()
    if accelerator.is_main_process:
        warn(start_warnings(settings, model.img_enc.num_patches, model.cross_net.sparse_ratio))
    rows = trainer.fit(range(done, epochs))
    return max((row["rsum"] for row in rows if "rsum" in row), default=-1.0)


class RetrievalTrainer(Trainer[StepBatch]):
    """Trains a model's retrieval, on several processes; see `Trainer`."""

    curves = CURVES

    def __init__(
        self,
        accelerator: Accelerator,
        train_step: TrainingStep,
        settings: TrainSettings,
        loader: setup.Loader,
        dev: Split,
        dev_cache: FeatureCache | None,
        out: Path,
        keep: int,
    ) -> None:
        optimizer = torch.optim.AdamW(setup.parameter_groups(train_step, settings), weight_decay=settings.weight_decay)
        super().__init__(train_step, optimizer, settings.clip, out, accelerator)
        self.train_step, self.settings, self.loader, self.keep = train_step, settings, loader, keep
        self.dev, self.dev_cache = dev, dev_cache

    def prepare(self) -> None:
        """Let the accelerator wrap step and optimizer, after a checkpoint is loaded."""
        self.prepared, self.optimizer = self.accelerator.prepare(self.train_step, self.optimizer)
        self.clipped = list(self.prepared.parameters())

    def data(self, number: int) -> Epoch[StepBatch]:
        """Return the batches of pre-training or training; ValueError if there are none."""
        settings, step, loader = self.settings, self.train_step, self.loader
        main_epoch = number - settings.pretrain_epochs
        if settings.loss == "triplet" and main_epoch == settings.hard_after:
            self.accelerator.print(
                f"From epoch {number + 1} on only the hardest negative of each image and caption counts: the loss, a "
                "sum, becomes smaller at once."
            )
        seed = settings.seed * 1000 + number
        torch.manual_seed(seed * self.accelerator.num_processes + self.accelerator.process_index)
        generator = torch.Generator().manual_seed(seed)
        step.seps_loss.set_max_violation(main_epoch >= settings.hard_after)
        step.set_sampling(settings.drawn_epochs < 0 or main_epoch < settings.drawn_epochs)
        self.prepared.train()
        if main_epoch < 0:
            batches, count, key = loader.pretrain_epoch(number, generator), loader.pretrain_length(), "pretrain_batch"
        else:
            batches, count, key = loader.epoch(number, generator), loader.length(), "batch_size"
        if not count:
            raise ValueError(f"The training split makes no batch of {getattr(settings, key)}: lower training.{key}.")
        before, after = settings.pretrain_epochs, settings.epochs
        stage = (
            f"pre-training, {number + 1} of {before}" if main_epoch < 0 else f"training, {main_epoch + 1} of {after}"
        )
        title = f"epoch {number + 1} of {before + after}" + f" ({stage})" * bool(before)
        pretraining = min(number, before)
        steps = pretraining * loader.pretrain_length() if pretraining else 0
        return Epoch(number, title, batches, count, steps + (number - pretraining) * loader.length())

    def step(self, batch: StepBatch, epoch: Epoch[StepBatch], number: int) -> Values:
        """Compute the losses of a batch."""
        settings = self.settings
        steps_taken = (epoch.number - settings.pretrain_epochs) * epoch.steps + number  # without pre-training
        set_rates(self.optimizer, settings, epoch.number, number, epoch.steps)
        if number % CLASS_STEPS == 0:
            self.loader.refresh_classes()
        self.train_step.align_factor = align_factor(settings.align_ramp_epochs, steps_taken, epoch.steps)
        with self.accelerator.autocast():
            losses: dict[str, Tensor] = self.prepared(move_to_device(batch, self.accelerator.device))
        return losses

    def advice(self, batch: StepBatch) -> str:
        """Name images of the batch."""
        return f", or look at the images {batch.img_ids.tolist()[:8]}, ... and their captions"

    def evaluate(self, epoch: Epoch[StepBatch], means: Row) -> Row:
        """Return the means of the losses, and recall on dev."""
        settings, model, shard = self.settings, self.train_step.model, setup.process_shard(self.accelerator)
        self.loader.refresh_classes()  # so that a saved model's class vectors match its text branch
        if "kept" in means:  # each process has sampled other decisions
            means["kept"] = float(joined(torch.tensor([means["kept"]], device=self.accelerator.device)).mean())
            means |= {"ratio_weight": settings.ratio_weight, "target_ratio": self.train_step.seps_loss.target_ratio}
        means["seconds"] = time.monotonic() - epoch.started
        if epoch.number >= settings.pretrain_epochs:
            return means | recalls(dev_metrics(model, self.dev, self.dev_cache, settings, shard))
        if self.dev_cache is not None:
            means["pooled_rsum"] = dev_metrics(model, self.dev, self.dev_cache, settings, shard, pooled=True).rsum
        return means

    def score(self, row: Row) -> float | None:
        """Return rSum on dev, which pre-training has not."""
        return row.get("rsum")

    def save_best(self, row: Row) -> None:
        """Write `best/`."""
        self.train_step.model.save_pretrained(self.folder / BEST)
        write_json(self.folder / BEST / BEST_EPOCH, {"epoch": int(row["epoch"]), "rsum": row["rsum"]})

    def checkpoint(self, done: int) -> Path:
        """Return the folder of the checkpoint after `done` epochs."""
        return self.folder / CHECKPOINTS / f"epoch-{done:03d}"

    def report(self, epoch: Epoch[StepBatch], row: Row, steps: Sequence[Row], is_best: bool) -> None:
        """Print the columns of metrics.csv, and warnings."""
        forget_checkpoints(self.folder, self.keep)
        summary = ", ".join(f"{name} {number:.4g}" for name, number in row.items() if name != "epoch")
        tqdm.write(f"{epoch.title}: {summary}")
        if is_best:
            best = f"Best so far by rSum on dev, {row['rsum']:.1f}"
            tqdm.write(f"{best}: epoch {epoch.number + 1} is in {self.folder / BEST}.")
        main_epoch = epoch.number - self.settings.pretrain_epochs
        warn(epoch_warnings(row, self.settings, main_epoch, self.train_step.sampled))


def schedule_note(first: TrainSettings, settings: TrainSettings, done: int, steps: int) -> str:
    """Describe how another number of epochs changes a resumed run's learning rate; "" if it does not."""
    epoch = max(0, done - settings.pretrain_epochs)

    def rate(epochs: int) -> float:
        return replace(settings, epochs=epochs).rate_factor(epoch, epoch * steps, steps)

    return length_note(first.epochs, settings.epochs, done, rate)


def set_rates(optimizer: torch.optim.Optimizer, settings: TrainSettings, epoch: int, number: int, count: int) -> None:
    """Set the learning rates of step `number` of `count` in an epoch; parameters with rate 0 get no gradient."""
    main_epoch = epoch - settings.pretrain_epochs
    pretraining = main_epoch < 0
    if pretraining:
        total = settings.pretrain_epochs * count
        rate = settings.pretrain_rate * linear(epoch * count + number, total, count // 2)
    else:
        rate = settings.learning_rate * settings.rate_factor(main_epoch, main_epoch * count + number, count)
    for group in optimizer.param_groups:
        fraction = group["pretrain_share" if pretraining else "share"]
        group["lr"] = rate * fraction
        for parameter in group["params"]:
            parameter.requires_grad_(fraction > 0)


def move_to_device(batch: StepBatch, device: torch.device) -> StepBatch:
    """Move the tensors of a batch to the device."""

    def moved(value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.to(device)
        return tuple(moved(item) for item in value) if isinstance(value, tuple) else value

    return replace(batch, **{name: moved(value) for name, value in vars(batch).items() if name != "phrases"})

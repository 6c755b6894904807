"""The training loop of all systems: a subclass of `Trainer` provides an epoch's data, a step and the evaluation."""

import sys
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from torch import Tensor, nn
from tqdm import tqdm

from seps.runs.checkpoint import RunState, load_checkpoint, save_checkpoint
from seps.runs.run_folder import FOLDER
from seps.runs.run_log import Curves, DrawTimer, Row, StepLog, forget_after, read_epochs, write_epoch

Batch = TypeVar("Batch")
Values = Mapping[str, Tensor | float]


@dataclass(frozen=True)
class Epoch(Generic[Batch]):
    """An epoch to train: number from 0 over the whole run, title for messages, batches, steps, and steps before it."""

    number: int
    title: str
    batches: Iterable[Batch]
    steps: int
    before: int
    started: float = field(default_factory=time.monotonic)


def make_accelerator() -> Accelerator:
    """Return the accelerator of a training process."""
    return Accelerator(
        mixed_precision="bf16" if torch.cuda.is_available() else "no",
        kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)],
    )


def warn(notes: Iterable[str | None]) -> None:
    """Print warnings to stderr, without empty ones."""
    for note in filter(None, notes):
        tqdm.write(f"Warning: {note}", file=sys.stderr)


class Trainer(ABC, Generic[Batch]):
    """Trains a system, writes its curves and checkpoints, and keeps the best epoch."""

    curves: ClassVar[Curves]

    def __init__(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        clip: float,
        out: Path | None,
        accelerator: Accelerator | None = None,
    ) -> None:
        self.module, self.optimizer, self.clip, self.out = module, optimizer, clip, out
        self.accelerator = accelerator or make_accelerator()
        self.rows: list[Row] = []
        self.clipped = [parameter for group in optimizer.param_groups for parameter in group["params"]]

    @property
    def folder(self) -> Path:
        """Return the folder of a run that writes."""
        assert self.out is not None
        return self.out

    @abstractmethod
    def data(self, number: int) -> Epoch[Batch]:
        """Seed an epoch, put the modules into training mode and return the batches."""

    @abstractmethod
    def step(self, batch: Batch, epoch: Epoch[Batch], number: int) -> Values:
        """Set the learning rates of step `number`, from 0; return values by name, "loss" the one to minimise."""

    @abstractmethod
    def evaluate(self, epoch: Epoch[Batch], means: Row) -> Row:
        """Return the columns of metrics.csv after "epoch", from the means of the steps' values and from dev."""

    def score(self, row: Row) -> float | None:
        """Return the number by which the best epoch is chosen, the largest; None if the epoch cannot be the best."""
        return None

    @abstractmethod
    def save_best(self, row: Row) -> None:
        """Save the model of the best epoch so far."""

    @abstractmethod
    def report(self, epoch: Epoch[Batch], row: Row, steps: Sequence[Row], is_best: bool) -> None:
        """Print the results of an epoch."""

    def advice(self, batch: Batch) -> str:
        """Return further advice for a loss that is not finite."""
        return ""

    def after_step(self) -> None:
        """Do what follows an update of the weights."""

    def is_over(self) -> bool:
        """Return whether to end before the last epoch."""
        return False

    def saved(self) -> Mapping[str, Tensor]:
        """Return the tensors of a checkpoint."""
        return self.module.state_dict()

    def state(self, done: int) -> RunState:
        """Return the state of the run after `done` epochs."""
        return RunState(done)

    def checkpoint(self, done: int) -> Path:
        """Return the folder of the checkpoint after `done` epochs."""
        return self.folder / FOLDER

    def describe(self, values: Row) -> str:
        """Return a step's values for the progress bar."""
        return ", ".join(f"{name}={value:.3f}" for name, value in values.items())

    def resume(self, folder: Path, state: RunState, done: int) -> None:
        """Load a checkpoint of a run with `done` epochs, and forget later epochs; ValueError as `load_checkpoint`."""
        load_checkpoint(folder, self.module, self.saved(), self.optimizer, state.epoch)
        self.rows = [row for row in read_epochs(self.folder) if done - state.epoch < row["epoch"] <= done]
        if self.accelerator.is_main_process:
            forget_after(self.folder, self.curves, done)
            if self.rows and self.is_best():  # the run may have ended between its checkpoint and its best model
                self.save_best(self.rows[-1])

    def fit(self, epochs: range, last: int | None = None, every_epoch: bool = True) -> list[Row]:
        """Train epochs, counted from 0, and return the rows; ValueError for a loss that is not finite."""
        timer = DrawTimer()
        for number in epochs:
            if self.is_over():
                break
            epoch = self.data(number)
            means, steps = self.run_epoch(epoch)
            if not every_epoch and number + 1 < epochs.stop:
                continue
            row = {"epoch": number + 1.0} | self.evaluate(epoch, means)
            self.rows.append(row)
            if self.out is not None and self.accelerator.is_main_process:
                write_epoch(self.out, self.curves, row, steps, timer.is_due(number + 1 == (last or epochs.stop)))
                save_checkpoint(self.checkpoint(number + 1), self.saved(), self.optimizer, self.state(number + 1))
                is_best = self.is_best()
                if is_best:
                    self.save_best(row)
                self.report(epoch, row, steps, is_best)
            self.accelerator.wait_for_everyone()
        return self.rows

    def run_epoch(self, epoch: Epoch[Batch]) -> tuple[Row, list[Row]]:
        """Train an epoch; return the mean of each value, and the lines of metrics.csv of its steps."""
        writes = self.out is not None and self.accelerator.is_main_process
        sums: defaultdict[str, float] = defaultdict(float)
        with StepLog(self.out if writes else None, self.curves, epoch.number + 1, epoch.before) as log:
            bar = tqdm(epoch.batches, epoch.title, epoch.steps, leave=False, disable=not writes)
            for number, batch in enumerate(bar):
                values = self.update(batch, epoch, number)
                for name, value in values.items():
                    sums[name] += value
                log.add(values)
                bar.set_postfix_str(self.describe(values), refresh=False)
        return {name: total / epoch.steps for name, total in sums.items()}, log.rows

    def update(self, batch: Batch, epoch: Epoch[Batch], number: int) -> Row:
        """Update the weights by one batch and return its values."""
        losses = self.step(batch, epoch, number)
        values = {name: float(value.detach() if isinstance(value, Tensor) else value) for name, value in losses.items()}
        if not isfinite(values["loss"]):
            raise ValueError(
                f"The loss is {values['loss']} in epoch {epoch.number + 1}, batch {number + 1} of {epoch.steps}: lower "
                f"learning_rate{self.advice(batch)}."
            )
        self.optimizer.zero_grad()
        self.accelerator.backward(losses["loss"])
        self.accelerator.clip_grad_norm_(self.clipped, self.clip)
        self.optimizer.step()
        self.after_step()
        return values

    def is_best(self) -> bool:
        """Return whether the last epoch's score exceeds all earlier ones."""
        *before, score = map(self.score, self.rows)
        return score is not None and all(other is None or score > other for other in before)

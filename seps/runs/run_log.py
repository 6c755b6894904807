"""Logs of a run: metrics.csv, TensorBoard curves, and PNG plots of losses and metrics."""

from __future__ import annotations

import csv
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seps.runs.run_folder import METRICS

Row = dict[str, float]
DRAW_EVERY = 15.0  # seconds between two drawings of a run's pictures, the last epoch's aside


@dataclass(frozen=True)
class Panel:
    """A plot of the column `name` over the steps; `target`, a column of the epochs in [0, 1] or "", is drawn too."""

    name: str
    label: str
    target: str = ""


@dataclass(frozen=True)
class Curves:
    """Columns that a system's runs log and plot."""

    pictures: Mapping[str, tuple[tuple[str, ...], str]]
    step_columns: tuple[str, ...]
    panels: tuple[Panel, ...]
    step_tags: Mapping[str, str]
    epoch_tags: Mapping[str, str] = field(default_factory=dict)


class DrawTimer:
    """Timer for a run's plots, which take about a second: every 15 seconds, and after the last epoch."""

    def __init__(self) -> None:
        self.drawn = time.monotonic()

    def is_due(self, is_last: bool) -> bool:
        """Return whether to draw now; True resets the timer."""
        if not is_last and time.monotonic() - self.drawn <= DRAW_EVERY:
            return False
        self.drawn = time.monotonic()
        return True


class StepLog:
    """Logs an epoch's steps, after `before` ones, to TensorBoard and collects them for metrics.csv."""

    def __init__(self, folder: Path | None, curves: Curves, epoch: int, before: int) -> None:
        self.folder, self.curves, self.epoch, self.before = folder, curves, epoch, before
        self.rows: list[Row] = []

    def __enter__(self) -> StepLog:
        self.board = None if self.folder is None else open_board(self.folder)
        return self

    def __exit__(self, *_: object) -> None:
        if self.board is not None:
            self.board.close()

    def add(self, losses: Mapping[str, float]) -> None:
        """Add a step's losses by name; names outside the curves' step_columns are ignored."""
        step = self.before + len(self.rows) + 1
        row = {"epoch": float(self.epoch), "step": float(step)}
        row |= {name: losses[name] for name in self.curves.step_columns if name in losses}
        self.rows.append(row)
        if self.board is not None:
            add_to_board(self.board, self.curves, [row])


def write_epoch(folder: Path, curves: Curves, row: Row, steps: Sequence[Row] = (), redraw: bool = True) -> None:
    """Add an epoch to metrics.csv, TensorBoard and the plots, replacing lines of this and later epochs."""
    before = read_rows(folder)
    rows = [*(old for old in before if old["epoch"] < row["epoch"]), *steps, row]
    names = list(dict.fromkeys(name for line in rows for name in line))
    with (folder / METRICS).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    if any(old["epoch"] >= row["epoch"] for old in before):
        forget_after(folder, curves, int(row["epoch"]))
    else:
        with open_board(folder) as board:
            add_to_board(board, curves, [row])
    if not redraw:
        return
    epochs, every_step = [line for line in rows if "step" not in line], [line for line in rows if "step" in line]
    for file_name, (columns, label) in curves.pictures.items():
        draw(folder / file_name, epochs, columns, label)
    draw_losses(folder / "loss_curves.png", every_step, epochs, curves.panels)


def open_board(folder: Path) -> Any:
    """Open a run's TensorBoard file."""
    from torch.utils.tensorboard import SummaryWriter  # takes seconds to import

    return SummaryWriter(str(folder / "tensorboard"))


def add_to_board(board: Any, curves: Curves, rows: Iterable[Row]) -> None:
    """Add lines of metrics.csv to TensorBoard."""
    for row in rows:
        tags = curves.step_tags if "step" in row else {name: name for name in row} | dict(curves.epoch_tags)
        for tag, name in tags.items():
            if name in row:
                board.add_scalar(tag, row[name], int(row.get("step", row["epoch"])))


def forget_after(folder: Path, curves: Curves, epoch: int) -> None:
    """Rebuild TensorBoard's file from metrics.csv up to an epoch, removing later and partial epochs."""
    rows = [row for row in read_rows(folder) if row["epoch"] <= epoch]
    shutil.rmtree(folder / "tensorboard", ignore_errors=True)
    with open_board(folder) as board:
        add_to_board(board, curves, rows)


def read_epochs(folder: Path) -> list[Row]:
    """Read the epochs' lines of metrics.csv as numbers; errors as `read_rows`."""
    return [row for row in read_rows(folder) if "step" not in row]


def read_steps(folder: Path) -> list[Row]:
    """Read the steps' lines of metrics.csv as numbers; errors as `read_rows`."""
    return [row for row in read_rows(folder) if "step" in row]


def read_rows(folder: Path) -> list[Row]:
    """Read all lines of metrics.csv as numbers, empty without a file; ValueError names the file and the line."""
    path = folder / METRICS
    if not path.is_file():
        return []
    rows = []
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file, strict=True)
        try:
            for line in lines:
                if None in line or None in line.values():
                    raise ValueError("it has more or fewer cells than the first line")
                row = {name: float(text) for name, text in line.items() if text}
                if not isfinite(row.get("epoch", nan)):
                    raise ValueError("it has no epoch")
                rows.append(row)
        except (ValueError, csv.Error) as error:
            raise ValueError(
                f"{path} cannot be read at line {lines.line_num} ({error}): correct it, or move it away."
            ) from error
    return rows


def draw(path: Path, rows: Sequence[Row], names: tuple[str, ...], label: str) -> None:
    """Plot these columns over the epochs."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name in names:
        draw_curve(axes, rows, "epoch", name, label, marker="o")
    if axes.lines:
        axes.legend()
    figure.savefig(path, dpi=120)


def draw_losses(path: Path, steps: Sequence[Row], epochs: Sequence[Row], panels: Sequence[Panel]) -> None:
    """Plot each panel's column over the steps with its target, without empty panels."""
    panels = [panel for panel in panels if any(panel.name in row for row in steps)] or panels[:1]
    rows, targets_of = (len(panels) + 1) // 2, {row["epoch"]: row for row in epochs}
    figure = Figure(figsize=(10, 3.5 * rows), layout="constrained")
    every_axes = figure.subplots(rows, min(2, len(panels)), squeeze=False).flatten()
    for axes in every_axes[len(panels) :]:
        axes.remove()
    for axes, panel in zip(every_axes, panels, strict=False):
        draw_curve(axes, steps, "step", panel.name, panel.label, linewidth=0.8)
        with_epochs = ((row["step"], targets_of.get(row["epoch"], {})) for row in steps)
        targets = [(step, epoch[panel.target]) for step, epoch in with_epochs if panel.target in epoch]
        if targets:
            axes.plot(*zip(*targets, strict=True), linestyle="--", label="target")
            axes.set_ylim(0, 1)
            axes.legend()
    figure.savefig(path, dpi=120)


def draw_curve(axes: Axes, rows: Sequence[Row], along: str, name: str, label: str, **style: Any) -> None:
    """Plot a column over another, for rows that have both, and label the axes."""
    points = [(row[along], row[name]) for row in rows if along in row and name in row]
    if points:
        axes.plot(*zip(*points, strict=True), label=name, **style)
    axes.set_xlabel(along)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)

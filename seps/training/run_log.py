"""What a run leaves to read: metrics.csv, TensorBoard curves, PNG pictures of losses, kept ratio and recall.

metrics.csv has a line an epoch, without a "step", and before it a line for each of its steps, with one: "epoch", "step"
(counted over the whole run from 1), "loss" (the total), "align", "ratio" and "kept". Both count epochs from 1.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Row = dict[str, float]

RECALLS = ("i2t_r1", "i2t_r5", "i2t_r10", "t2i_r1", "t2i_r5", "t2i_r10")
CURVES = {"loss.png": ("loss", "align", "ratio"), "recall.png": RECALLS}
STEP_PARTS = ("loss", "align", "ratio", "kept")  # of each step
STEP_TAGS = {"Loss/total": "loss", "Loss/align": "align", "Loss/ratio": "ratio"}  # in TensorBoard, by step
EPOCH_TAGS = {"Ratio/kept": "kept", "Ratio/weight": "ratio_weight"}  # by epoch, beside the columns' own names


class StepLog:
    """An epoch's steps: to TensorBoard as they come, and kept for metrics.csv; a context manager.

    Args:
        folder: the run's; None keeps the steps alone.
        epoch: counted from 1; before: steps of the run before this epoch.
    """

    def __init__(self, folder: Path | None, epoch: int, before: int) -> None:
        self.folder, self.epoch, self.before = folder, epoch, before
        self.rows: list[Row] = []

    def __enter__(self) -> StepLog:
        self.board = None if self.folder is None else open_board(self.folder)
        return self

    def __exit__(self, *_: object) -> None:
        if self.board is not None:
            self.board.close()

    def add(self, losses: Mapping[str, float]) -> None:
        """Add a step's losses by name; other names than STEP_PARTS are left out."""
        step = self.before + len(self.rows) + 1
        row = {"epoch": float(self.epoch), "step": float(step)}
        row |= {name: losses[name] for name in STEP_PARTS if name in losses}
        self.rows.append(row)
        if self.board is not None:
            add_to_board(self.board, [row])


def write_epoch(folder: Path, row: Row, steps: Sequence[Row] = (), redraw: bool = True) -> None:
    """Add an epoch to metrics.csv, TensorBoard and the pictures; lines of that epoch and later ones are replaced.

    Args:
        folder: the run's.
        row: "epoch" and any numbers by name.
        steps: of that epoch, as `StepLog` has them, which are in TensorBoard already.
        redraw: draw the pictures anew, which takes about a second.
    """
    before = read_rows(folder)
    rows = [*(old for old in before if old["epoch"] < row["epoch"]), *steps, row]
    names = list(dict.fromkeys(name for line in rows for name in line))
    with (folder / "metrics.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    if any(old["epoch"] >= row["epoch"] for old in before):
        forget_after(folder, int(row["epoch"]))
    else:
        board = open_board(folder)
        add_to_board(board, [row])
        board.close()
    if not redraw:
        return
    epochs, every_step = [line for line in rows if "step" not in line], [line for line in rows if "step" in line]
    for file_name, curves in CURVES.items():
        draw(folder / file_name, epochs, curves)
    draw_losses(folder / "loss_curves.png", every_step, epochs)


def open_board(folder: Path) -> Any:
    """Open TensorBoard's file of a run."""
    from torch.utils.tensorboard import SummaryWriter  # takes seconds to import

    return SummaryWriter(str(folder / "tensorboard"))


def add_to_board(board: Any, rows: Iterable[Row]) -> None:
    """Add lines of metrics.csv to TensorBoard: steps by step, epochs by epoch."""
    for row in rows:
        tags = STEP_TAGS if "step" in row else {name: name for name in row} | EPOCH_TAGS
        for tag, name in tags.items():
            if name in row:
                board.add_scalar(tag, row[name], int(row.get("step", row["epoch"])))


def forget_after(folder: Path, epoch: int) -> None:
    """Make TensorBoard's file anew from metrics.csv up to an epoch: what came after it, half an epoch too, is gone."""
    rows = [row for row in read_rows(folder) if row["epoch"] <= epoch]
    shutil.rmtree(folder / "tensorboard", ignore_errors=True)
    board = open_board(folder)
    add_to_board(board, rows)
    board.close()


def read_epochs(folder: Path) -> list[Row]:
    """Read the epochs' lines of metrics.csv as numbers; errors as `read_rows`."""
    return [row for row in read_rows(folder) if "step" not in row]


def read_steps(folder: Path) -> list[Row]:
    """Read the steps' lines of metrics.csv as numbers; errors as `read_rows`."""
    return [row for row in read_rows(folder) if "step" in row]


def read_rows(folder: Path) -> list[Row]:
    """Read all lines of metrics.csv as numbers; none where there is no file.

    Raises:
        ValueError: a line that has other cells than the first line names, a cell that is no number, a line without its
            epoch; the message names the file and the line.
    """
    path = folder / "metrics.csv"
    if not path.is_file():
        return []
    rows = []
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file, strict=True)
        try:
            for line in lines:
                rows.append(read_row(line))
        except (ValueError, csv.Error) as error:
            raise ValueError(
                f"{path} cannot be read at line {lines.line_num} ({error}): correct it, or move it away."
            ) from error
    return rows


def read_row(line: dict[str, Any]) -> Row:
    """Read a line of metrics.csv as numbers, empty cells left out; ValueError where it has no epoch or something
    else."""
    if None in line or None in line.values():
        raise ValueError("it has more or fewer cells than the first line")
    row = {name: float(text) for name, text in line.items() if text}
    if not isfinite(row.get("epoch", nan)):
        raise ValueError("it has no epoch")
    return row


def draw(path: Path, rows: Sequence[Row], names: tuple[str, ...]) -> None:
    """Draw these columns over the epochs."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name in names:
        points = [(row["epoch"], row[name]) for row in rows if name in row]
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", label=name)
    axes.set_xlabel("epoch")
    axes.set_ylabel("recall on dev, per cent" if "i2t_r1" in names else "loss on train")
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend()
    figure.savefig(path, dpi=120)


def draw_losses(path: Path, steps: Sequence[Row], epochs: Sequence[Row]) -> None:
    """Draw the total, ranking and ratio loss over the steps, each on axes of its own, and the kept ratio beside its
    target."""
    figure = Figure(figsize=(10, 7), layout="constrained")
    panels = figure.subplots(2, 2).flatten()
    for axes, (name, title) in zip(
        panels, (("loss", "total loss"), ("align", "align loss"), ("ratio", "ratio loss")), strict=False
    ):
        draw_curve(axes, steps, "step", name, linewidth=0.8)
        axes.set_ylabel(title)
    kept = panels[3]
    draw_curve(kept, steps, "step", "kept", linewidth=0.8, label="kept")
    targets = target_by_step(steps, epochs)
    if targets:
        kept.plot(*zip(*targets, strict=True), linestyle="--", label="target")
        kept.set_ylim(0, 1)
        kept.legend()
    kept.set_ylabel("kept ratio")
    for axes in panels:
        axes.set_xlabel("step")
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def target_by_step(steps: Sequence[Row], epochs: Sequence[Row]) -> list[tuple[float, float]]:
    """Pair each step of an epoch that has a target for the kept ratio with that target."""
    targets = {row["epoch"]: row["target_ratio"] for row in epochs if "target_ratio" in row}
    return [(row["step"], targets[row["epoch"]]) for row in steps if row["epoch"] in targets]


def draw_curve(axes: Axes, rows: Sequence[Row], along: str, name: str, **style: Any) -> None:
    """Draw a column over another, where a row has both."""
    points = [(row[along], row[name]) for row in rows if along in row and name in row]
    if points:
        axes.plot(*zip(*points, strict=True), **style)

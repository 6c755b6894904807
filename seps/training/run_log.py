"""What a run leaves to read: a CSV line an epoch, TensorBoard curves, PNG pictures of loss and recall."""

from __future__ import annotations

import csv
from math import isfinite, nan
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure

RECALLS = ("i2t_r1", "i2t_r5", "i2t_r10", "t2i_r1", "t2i_r5", "t2i_r10")
CURVES = {"loss.png": ("loss", "align", "ratio"), "recall.png": RECALLS}


def write_epoch(folder: Path, row: dict[str, float]) -> None:
    """Add an epoch to metrics.csv, TensorBoard and the pictures; lines of that epoch and later ones are replaced.

    Args:
        folder: the run's.
        row: "epoch" and any numbers by name.
    """
    from torch.utils.tensorboard import SummaryWriter  # takes seconds to import

    rows = [*(old for old in read_epochs(folder) if old["epoch"] < row["epoch"]), row]
    names = list(dict.fromkeys(name for one in rows for name in one))
    with (folder / "metrics.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)
    board = SummaryWriter(str(folder / "tensorboard"), purge_step=int(row["epoch"]))
    for name, number in row.items():
        board.add_scalar(name, number, int(row["epoch"]))
    board.close()
    for file_name, curves in CURVES.items():
        draw(folder / file_name, rows, curves)


def read_epochs(folder: Path) -> list[dict[str, float]]:
    """Read the lines of metrics.csv as numbers; none where there is no file.

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


def read_row(line: dict[str, Any]) -> dict[str, float]:
    """Read a line of metrics.csv as numbers, empty cells left out; ValueError where it has no epoch or something
    else."""
    if None in line or None in line.values():
        raise ValueError("it has more or fewer cells than the first line")
    row = {name: float(text) for name, text in line.items() if text}
    if not isfinite(row.get("epoch", nan)):
        raise ValueError("it has no epoch")
    return row


def draw(path: Path, rows: list[dict[str, float]], names: tuple[str, ...]) -> None:
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

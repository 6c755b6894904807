"""metrics.csv of a run: a line an epoch, numbers by name."""

from __future__ import annotations

import csv
from pathlib import Path

METRICS = "metrics.csv"


def write_epoch(out: Path, row: dict[str, float]) -> None:
    """Add an epoch to metrics.csv; lines of that epoch and later ones are replaced."""
    rows = [*(old for old in read_epochs(out) if old["epoch"] < row["epoch"]), row]
    names = list(dict.fromkeys(name for one in rows for name in one))
    with (out / METRICS).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)


def read_epochs(out: Path) -> list[dict[str, float]]:
    """The lines of metrics.csv as numbers, none where there is no file; ValueError where it cannot be read."""
    path = out / METRICS
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file, strict=True)
        try:
            rows = [{name: float(text) for name, text in line.items() if text} for line in lines]
            if any("epoch" not in row for row in rows):
                raise ValueError("a line has no epoch")
        except (ValueError, TypeError, AttributeError, csv.Error) as error:
            raise ValueError(
                f"{path} cannot be read at line {lines.line_num} ({error}): correct it, or move it away."
            ) from error
    return rows

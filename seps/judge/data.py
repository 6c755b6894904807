"""Ratings of generated pictures: `ratings.csv` beside `images/`, read and checked whole before anything else starts."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seps.data.problems import Problems, read_text
from seps.judge.config import DataConfig

RATINGS = "ratings.csv"
COLUMNS = "Columns that are missing"
ABSENT = "Files missing from images/: put them there, or take their lines out"
SCORES = "Scores that are no numbers or outside the scale"
EMPTY = "Lines without a prompt"
NONE = "Splits without a line"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ratings:
    """n pictures with what people said of them.

    Attributes:
        name: of the split; image_files, prompts: (n,).
        generators: (n,), what made each picture; "" where the data do not say.
        quality, consistency: (n,), mean opinion scores as shares of the scale's top, in [0, 1].
        explanations: (n,), rationales in words; None without such a column.
    """

    name: str
    image_files: tuple[Path, ...]
    prompts: tuple[str, ...]
    generators: tuple[str, ...]
    quality: Floats
    consistency: Floats
    explanations: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.image_files)

    @property
    def prompt_numbers(self) -> NDArray[np.int64]:
        """(n,), the number of each picture's prompt, from 0."""
        return np.unique(np.array(self.prompts), return_inverse=True)[1].reshape(-1).astype(np.int64)

    def take(self, rows: Sequence[int] | NDArray[np.int64], name: str) -> Ratings:
        """The ratings of these rows."""
        chosen = [int(row) for row in rows]
        return Ratings(
            name,
            tuple(self.image_files[i] for i in chosen),
            tuple(self.prompts[i] for i in chosen),
            tuple(self.generators[i] for i in chosen),
            self.quality[chosen],
            self.consistency[chosen],
            None if self.explanations is None else tuple(self.explanations[i] for i in chosen),
        )


def read_ratings(folder: str | Path, split: str, config: DataConfig) -> Ratings:
    """Read one split of a ratings file and check all of it but the inside of its pictures.

    Args:
        folder: holds `ratings.csv` and `images/`.
        split: which lines, by their split column.
        config: the columns' names and the top of the scale.

    Raises:
        DataError: one that lists a file that is missing or not readable, columns that are missing, pictures that are
            missing, scores that are no numbers or outside [0, M], lines without a prompt, a split without a line.
    """
    folder = Path(folder)
    problems = Problems(f"Ratings of split {split} in {folder}")
    text = read_text(folder / RATINGS, problems)
    problems.raise_any()
    reader = csv.DictReader(StringIO(text or ""))
    columns = [
        config.image_column,
        config.prompt_column,
        config.quality_column,
        config.consistency_column,
        config.split_column,
        *filter(None, (config.generator_column, config.explanation_column)),
    ]
    for column in columns:
        if column not in (reader.fieldnames or ()):
            problems.add(COLUMNS, f"{column} ({RATINGS} has {', '.join(reader.fieldnames or ()) or 'none'})")
    problems.raise_any()
    rows = [(reader.line_num, row) for row in reader]
    splits = sorted({row[config.split_column] or "" for _, row in rows})
    rows = [(line, row) for line, row in rows if row[config.split_column] == split]
    if not rows:
        problems.add(NONE, f"{split} ({RATINGS} has {', '.join(splits) or 'no line'})")
    present = {file.name for file in (folder / "images").iterdir()} if (folder / "images").is_dir() else set()
    scores: dict[str, list[float]] = {config.quality_column: [], config.consistency_column: []}
    for line, row in rows:
        name = row[config.image_column] or ""
        if name not in present:
            problems.add(ABSENT, f"{name or 'no name'} (line {line})")
        if not (row[config.prompt_column] or "").strip():
            problems.add(EMPTY, f"line {line}")
        for column, values in scores.items():
            value = read_score(row[column])
            if value is None or not 0.0 <= value <= config.mos_top:
                problems.add(SCORES, f"line {line}: {column} is {row[column]!r}, not within [0, {config.mos_top:g}]")
            values.append(0.0 if value is None else value / config.mos_top)
    problems.raise_any()

    def texts(column: str) -> tuple[str, ...]:
        return tuple((row[column] or "").strip() if column else "" for _, row in rows)

    return Ratings(
        split,
        tuple(folder / "images" / row[config.image_column] for _, row in rows),
        texts(config.prompt_column),
        texts(config.generator_column),
        np.array(scores[config.quality_column]),
        np.array(scores[config.consistency_column]),
        texts(config.explanation_column) if config.explanation_column else None,
    )


def read_score(text: str | None) -> float | None:
    """A cell as a finite number, None where it is none."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) else None


def split_by_row(train: Ratings, dev: Ratings, seed: int) -> tuple[Ratings, Ratings]:
    """The same two sizes, but pictures drawn one by one: most prompts then stand on both sides.

    It shows by how much such a split flatters; use the split by prompt for everything else.
    """
    files = (*train.image_files, *dev.image_files)
    both = Ratings(
        "both",
        files,
        (*train.prompts, *dev.prompts),
        (*train.generators, *dev.generators),
        np.concatenate([train.quality, dev.quality]),
        np.concatenate([train.consistency, dev.consistency]),
    )
    order = np.random.default_rng(seed).permutation(len(files))
    return both.take(order[: len(train)], "train-by-row"), both.take(order[len(train) :], "dev-by-row")

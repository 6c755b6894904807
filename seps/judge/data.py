"""Ratings of generated pictures: `ratings.csv` next to `images/`, validated when read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seps.data.lookup import IMAGES, FilesBelow
from seps.data.overlap import listed, same_pairs
from seps.data.problems import MISSING, UNREADABLE, Problems
from seps.data.table import read_table
from seps.judge.config import DataConfig

RATINGS = "ratings.csv"
COLUMNS = "Columns that are missing"
ABSENT = "Files missing from images/: put them there, or take their lines out"
NO_COLUMN = {  # what else can be done where none is such a column
    "split_column": ", or add it, with train or dev on every line",
    "generator_column": ', or "" without one',
}
SCORES = "Scores that are no numbers or outside the scale"
ABOVE = "Scores above data.mos_top: set it, in the recipe, to the top of the scale (the largest here is {})"
SEVERAL = "Pictures with several lines: keep one line a picture, in one split, with the mean of its scores"
UNCLEAR = "Names that several files below images/ have: write the folder before the name, as FOLDER/NAME"
EMPTY = "Lines without a prompt"
NONE = "Splits without a line"

LOW = 0.4  # of the scale's top: where all scores lie below, the scale is likely another

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ratings:
    """n pictures and their ratings: each field (n,), scores in shares of the scale's top; generators may be ""."""

    name: str
    image_files: tuple[Path, ...]
    prompts: tuple[str, ...]
    generators: tuple[str, ...]
    quality: Floats
    consistency: Floats

    def __len__(self) -> int:
        return len(self.image_files)

    @property
    def prompt_numbers(self) -> NDArray[np.int64]:
        """(n,), the number of each picture's prompt, from 0."""
        return np.unique(np.array(self.prompts), return_inverse=True)[1].reshape(-1).astype(np.int64)

    def take(self, rows: Sequence[int] | NDArray[np.int64], name: str) -> Ratings:
        """Return the ratings of these rows."""
        chosen = list(map(int, rows))
        files = tuple(self.image_files[i] for i in chosen)
        prompts, generators = (tuple(column[i] for i in chosen) for column in (self.prompts, self.generators))
        return Ratings(name, files, prompts, generators, self.quality[chosen], self.consistency[chosen])


def read_ratings(folder: str | Path, split: str, config: DataConfig) -> Ratings:
    """Read one split of `ratings.csv` and check everything except the content of its pictures (DataError)."""
    folder = Path(folder)
    problems = Problems(f"Ratings of split {split} in {folder}")
    rows = _read_rows(folder / RATINGS, config, problems)
    below = FilesBelow(folder / IMAGES, anywhere=True)
    _check_pictures(rows, below, config, problems)
    splits = sorted({row[config.split_column] for _, row in rows})
    rows = [(line, row) for line, row in rows if row[config.split_column] == split]
    if not rows:
        problems.add(NONE, f"{split} ({RATINGS} has {', '.join(splits) or 'no line'})")
    for line, row in rows:
        name = row[config.image_column]
        if below.find(name) is None:
            problems.add(UNCLEAR if below.matches(name) else ABSENT, f"{name or 'no name'} (line {line})")
        if not row[config.prompt_column].strip():
            problems.add(EMPTY, f"line {line}")
    scored = (config.quality_column, config.consistency_column)
    quality, consistency = _read_scores(rows, scored, config.mos_top, problems)
    problems.raise_any()

    def texts(column: str) -> tuple[str, ...]:
        return tuple(row[column].strip() if column else "" for _, row in rows)

    found = (below.find(row[config.image_column]) for _, row in rows)
    files = tuple(file for file in found if file is not None)
    return Ratings(split, files, texts(config.prompt_column), texts(config.generator_column), quality, consistency)


def rating_notes(train: Ratings, dev: Ratings, config: DataConfig) -> list[str]:
    """Say what lets training or measuring come to nothing: sentences, none where all is well."""
    notes = []
    files = (*train.image_files, *dev.image_files)
    shared: list[str] = []
    twice: list[str] = []
    for i, j in same_pairs(files, [train.name] * len(train) + [dev.name] * len(dev)):
        (shared if i < len(train) <= j else twice).append(f"{files[i].name} and {files[j].name}")
    if shared:
        notes.append(
            f"Pictures of {train.name} that are in {dev.name} too, under another name: {listed(shared)}. What is "
            "measured there flatters: take one of the two out."
        )
    if twice:
        notes.append(f"Pictures with two names: {listed(twice)}.")
    for column, name in ((config.quality_column, "quality"), (config.consistency_column, "consistency")):
        for ratings in (train, dev):
            scores = getattr(ratings, name)
            if len(scores) > 1 and scores.min() == scores.max():
                notes.append(
                    f"Every {column} of {ratings.name} is {scores[0] * config.mos_top:g}: there is nothing to learn or "
                    "to rank by."
                )
    largest = max(max(ratings.quality.max(), ratings.consistency.max()) for ratings in (train, dev))
    if largest < LOW:
        notes.append(
            f"The largest score is {largest * config.mos_top:g}, but data.mos_top is {config.mos_top:g}: set it to the "
            "top of the scale that people rated on."
        )
    return notes


def _read_rows(path: Path, config: DataConfig, problems: Problems) -> list[tuple[int, dict[str, str]]]:
    """The rows of a ratings file, each with its line; raises what is wrong with the file as a whole."""
    columns: tuple[str, ...] = ()
    rows: list[tuple[int, dict[str, str]]] = []
    try:
        columns, rows = read_table(path)
    except FileNotFoundError:
        problems.add(MISSING, path.name)
    except (OSError, ValueError) as error:
        problems.add(UNREADABLE, f"{path.name}: {error}")
    problems.raise_any()
    for key in [field.name for field in fields(config) if field.name.endswith("_column")]:
        column = getattr(config, key)
        if column and column not in columns:
            remedy = f"name another as data.{key}{NO_COLUMN.get(key, '')}"
            problems.add(COLUMNS, f"{column}: {remedy} ({path.name} has {', '.join(columns) or 'none'})")
    problems.raise_any()
    return rows


def _check_pictures(
    rows: Sequence[tuple[int, dict[str, str]]], below: FilesBelow, config: DataConfig, problems: Problems
) -> None:
    """Note the pictures that have several lines, in whatever splits."""
    lines: dict[object, list[tuple[int, dict[str, str]]]] = {}
    for line, row in rows:
        name = row[config.image_column]
        lines.setdefault(below.find(name) or name, []).append((line, row))
    for entries in lines.values():
        name = entries[0][1][config.image_column]
        if name and len(entries) > 1:
            places = ", ".join(f"{line} ({row[config.split_column] or 'no split'})" for line, row in entries)
            problems.add(SEVERAL, f"{name}: lines {places}")


def _read_scores(
    rows: Sequence[tuple[int, dict[str, str]]], columns: Sequence[str], top: float, problems: Problems
) -> list[Floats]:
    """Shares of the scale's top, (n,) for each column; what is none is noted."""
    values = [[read_score(row[column]) for _, row in rows] for column in columns]
    largest = max((value for scores in values for value in scores if value is not None), default=0.0)
    for column, scores in zip(columns, values, strict=True):
        for (line, row), value in zip(rows, scores, strict=True):
            if value is None or not 0.0 <= value <= top:
                above = ABOVE.format(f"{largest:g}") if value is not None and value > top else SCORES
                comma = value is None and read_score(row[column].replace(",", ".")) is not None
                point = ": write a point for the comma" if comma else ""
                problems.add(above, f"line {line}: {column} is {row[column]!r}, not within [0, {top:g}]{point}")
    return [np.array([0.0 if value is None else value / top for value in scores]) for scores in values]


def read_score(text: str) -> float | None:
    """Return a cell as a finite number, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def split_by_row(train: Ratings, dev: Ratings, seed: int) -> tuple[Ratings, Ratings]:
    """Split by picture instead of by prompt, with the same sizes, to show how much shared prompts flatter."""
    files = (*train.image_files, *dev.image_files)
    prompts, generators = (*train.prompts, *dev.prompts), (*train.generators, *dev.generators)
    quality, consistency = (
        np.concatenate([getattr(ratings, name) for ratings in (train, dev)]) for name in ("quality", "consistency")
    )
    both = Ratings("both", files, prompts, generators, quality, consistency)
    order = np.random.default_rng(seed).permutation(len(files))
    return both.take(order[: len(train)], "train-by-row"), both.take(order[len(train) :], "dev-by-row")

"""Ratings are read whole, and everything that does not fit is told at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from seps.data import DataError
from seps.judge.config import DataConfig
from seps.judge.data import read_ratings, split_by_row
from tests.helpers.judged import COLUMNS, read_rows, write_ratings, write_rows

SCALE = DataConfig(mos_top=4.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_ratings(tmp_path / "data")


def test_scores_are_shares_of_the_scale(folder: Path) -> None:
    ratings = read_ratings(folder, "train", SCALE)
    rows = [row for row in read_rows(folder) if row["split"] == "train"]
    assert len(ratings) == len(rows) == 16
    assert ratings.quality == pytest.approx([float(row["mos_quality"]) / 4.5 for row in rows])
    assert ratings.consistency == pytest.approx([float(row["mos_align"]) / 4.5 for row in rows])
    assert ratings.prompts == tuple(row["prompt"] for row in rows)
    assert [file.name for file in ratings.image_files] == [row["image"] for row in rows]
    assert ratings.prompt_numbers.tolist().count(0) == 4


def test_other_columns_and_rationales(folder: Path) -> None:
    rows = [
        row | {"score": row["mos_quality"], "why": "red" if i % 2 else ""} for i, row in enumerate(read_rows(folder))
    ]
    write_rows(folder, rows, (*COLUMNS, "score", "why"))
    ratings = read_ratings(
        folder, "dev", DataConfig(5.0, quality_column="score", generator_column="", explanation_column="why")
    )
    assert ratings.explanations is not None and set(ratings.explanations) == {"red", ""}
    assert set(ratings.generators) == {""}


def test_a_missing_column_is_named(folder: Path) -> None:
    write_rows(folder, read_rows(folder), tuple(name for name in COLUMNS if name != "mos_align"))
    with pytest.raises(DataError, match=r"Columns that are missing \(1\):\n  mos_align"):
        read_ratings(folder, "train", SCALE)


def test_missing_pictures_and_bad_scores_are_listed_together(folder: Path) -> None:
    rows = read_rows(folder)
    (folder / "images" / rows[9]["image"]).unlink()
    rows[10]["mos_quality"], rows[11]["mos_align"], rows[12]["mos_quality"] = "4.6", "-0.1", "good"
    rows[13]["mos_align"], rows[14]["prompt"] = "nan", " "
    write_rows(folder, rows)
    with pytest.raises(DataError) as raised:
        read_ratings(folder, "train", SCALE)
    message = str(raised.value)
    assert "6 problems" in message
    assert f"{rows[9]['image']} (line 11)" in message
    for line, cell in ((12, "'4.6'"), (13, "'-0.1'"), (14, "'good'"), (15, "'nan'")):
        assert f"line {line}: " in message and cell in message
    assert "not within [0, 4.5]" in message and "line 16" in message


def test_a_split_or_file_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"test \(ratings.csv has dev, train\)"):
        read_ratings(folder, "test", SCALE)
    with pytest.raises(DataError, match=r"ratings\.csv"):
        read_ratings(tmp_path, "train", SCALE)


def test_the_split_by_row_leaks_prompts(folder: Path) -> None:
    train, dev = (read_ratings(folder, name, SCALE) for name in ("train", "dev"))
    assert not set(train.prompts) & set(dev.prompts)
    first, second = split_by_row(train, dev, 0)
    assert (len(first), len(second)) == (len(train), len(dev))
    assert set(first.image_files) | set(second.image_files) == set(train.image_files) | set(dev.image_files)
    assert set(first.prompts) & set(second.prompts)
    again, _ = split_by_row(train, dev, 0)
    assert again.image_files == first.image_files
    both = np.concatenate([train.quality, dev.quality])
    files = [*train.image_files, *dev.image_files]
    assert all(first.quality[i] == both[files.index(file)] for i, file in enumerate(first.image_files))

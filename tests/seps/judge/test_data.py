import shutil
from pathlib import Path

import numpy as np
import pytest

from seps.data import DataError
from seps.judge.config import DataConfig
from seps.judge.data import rating_notes, read_ratings, split_by_row
from tests.helpers.models.judged import COLUMNS, read_rows, write_ratings, write_rows

SCALE = DataConfig(mos_top=4.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_ratings(tmp_path / "data")


def message_of(folder: Path, split: str = "train") -> str:
    with pytest.raises(DataError) as raised:
        read_ratings(folder, split, SCALE)
    return str(raised.value)


def test_scores_are_shares_of_the_scale(folder: Path) -> None:
    ratings = read_ratings(folder, "train", SCALE)
    rows = [row for row in read_rows(folder) if row["split"] == "train"]
    assert len(ratings) == len(rows) == 16
    assert ratings.quality == pytest.approx([float(row["mos_quality"]) / 4.5 for row in rows])
    assert ratings.consistency == pytest.approx([float(row["mos_align"]) / 4.5 for row in rows])
    assert ratings.prompts == tuple(row["prompt"] for row in rows)
    assert [file.name for file in ratings.image_files] == [row["image"] for row in rows]
    assert ratings.prompt_numbers.tolist().count(0) == 4


def test_other_columns(folder: Path) -> None:
    rows = [row | {"score": row["mos_quality"]} for row in read_rows(folder)]
    write_rows(folder, rows, (*COLUMNS, "score"))
    ratings = read_ratings(folder, "dev", DataConfig(5.0, quality_column="score", generator_column=""))
    assert np.array_equal(ratings.quality, [float(row["mos_quality"]) / 5 for row in rows if row["split"] == "dev"])
    assert set(ratings.generators) == {""}


def test_missing_pictures_and_bad_scores_are_listed_together(folder: Path) -> None:
    rows = read_rows(folder)
    (folder / "images" / rows[9]["image"]).unlink()
    rows[10]["mos_quality"], rows[11]["mos_align"], rows[12]["mos_quality"] = "4.6", "-0.1", "good"
    rows[13]["mos_align"], rows[14]["prompt"] = "nan", " "
    write_rows(folder, rows)
    message = message_of(folder)
    assert "6 problems" in message
    assert f"{rows[9]['image']} (line 11)" in message
    for line, cell in ((12, "'4.6'"), (13, "'-0.1'"), (14, "'good'"), (15, "'nan'")):
        assert f"line {line}: " in message and cell in message
    assert "not within [0, 4.5]" in message and "line 16" in message


@pytest.mark.parametrize("name", [".\\images\\sd\\{}", " SD/{}", "{}", "/home/one/images/sd/{}"])
def test_pictures_in_folders_are_found(folder: Path, name: str) -> None:
    before = read_ratings(folder, "train", SCALE)
    (folder / "images").rename(folder / "sd")
    (folder / "images").mkdir()
    (folder / "sd").rename(folder / "images" / "sd")
    write_rows(folder, [row | {"image": name.format(row["image"])} for row in read_rows(folder)])
    ratings = read_ratings(folder, "train", SCALE)
    assert ratings.image_files == tuple(folder / "images" / "sd" / file.name for file in before.image_files)
    assert ratings.quality == pytest.approx(before.quality)


def test_a_picture_with_two_lines_is_told_whichever_split_is_read(folder: Path) -> None:
    rows = read_rows(folder)
    write_rows(folder, [*rows, rows[9] | {"mos_quality": "1", "image": "./" + rows[9]["image"]}])
    assert "the mean of its scores (1):\n  9.png: lines 11 (train), 26 (train)" in message_of(folder)
    write_rows(folder, [*rows, rows[9] | {"split": "dev"}])
    for split in ("train", "dev"):
        assert "keep one line a picture, in one split" in message_of(folder, split)
        assert "  9.png: lines 11 (train), 26 (dev)" in message_of(folder, split)


def test_another_scale_names_the_key(folder: Path) -> None:
    rows = [row | {"mos_quality": f"{20 * float(row['mos_quality']):.1f}"} for row in read_rows(folder)]
    largest = max(float(row["mos_quality"]) for row in rows if row["split"] == "train")
    write_rows(folder, rows)
    message = message_of(folder)
    assert f"set it, in the recipe, to the top of the scale (the largest here is {largest:g})" in message
    assert message.count("Scores above data.mos_top") == 1
    rows[9]["mos_quality"] = "3,5"
    write_rows(folder, rows)
    assert "line 11: mos_quality is '3,5', not within [0, 4.5]: write a point for the comma" in message_of(folder)


def test_columns_of_other_names_are_told_with_their_keys(folder: Path) -> None:
    write_rows(folder, read_rows(folder), ("image", "prompt"))
    message = message_of(folder)
    for column, key in (("split", "split"), ("mos_quality", "quality"), ("mos_align", "consistency")):
        more = ", or add it, with train or dev on every line" if key == "split" else ""
        assert f"  {column}: name another as data.{key}_column{more} (ratings.csv has image, prompt)" in message
    assert '  generator: name another as data.generator_column, or "" without one (' in message


def test_a_split_or_file_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"test \(ratings\.csv has dev, train\)"):
        read_ratings(folder, "test", SCALE)
    with pytest.raises(DataError, match="Ratings of split train"):
        read_ratings(tmp_path, "train", SCALE)


def test_the_split_by_row_leaks_prompts(folder: Path) -> None:
    train, dev = (read_ratings(folder, name, SCALE) for name in ("train", "dev"))
    assert not set(train.prompts) & set(dev.prompts)
    first, second = split_by_row(train, dev, 0)
    assert (len(first), len(second)) == (len(train), len(dev))
    assert set(first.image_files) | set(second.image_files) == set(train.image_files) | set(dev.image_files)
    assert set(first.prompts) & set(second.prompts)
    both = np.concatenate([train.quality, dev.quality])
    files = [*train.image_files, *dev.image_files]
    assert all(first.quality[i] == both[files.index(file)] for i, file in enumerate(first.image_files))


def test_what_lets_training_come_to_nothing_is_told(folder: Path) -> None:
    rows = read_rows(folder)

    def notes() -> list[str]:
        return rating_notes(read_ratings(folder, "train", SCALE), read_ratings(folder, "dev", SCALE), SCALE)

    assert notes() == []
    dev = next(row for row in rows if row["split"] == "dev")
    shutil.copy(folder / "images" / rows[-1]["image"], folder / "images" / dev["image"])
    assert notes()[0].startswith("Pictures of train that are in dev too, under another name: 23.png and 0.png. What is")
    shutil.copy(folder / "images" / rows[-1]["image"], folder / "images" / rows[-2]["image"])
    assert notes()[1] == "Pictures with two names: 22.png and 23.png."
    write_rows(folder, [row | {"mos_quality": "0.3", "mos_align": "0.2"} for row in rows])
    assert notes()[-5] == "Every mos_quality of train is 0.3: there is nothing to learn or to rank by."
    assert notes()[-1] == (
        "The largest score is 0.3, but data.mos_top is 4.5: set it to the top of the scale that people rated on."
    )


def test_other_marks_than_commas_are_named(folder: Path) -> None:
    text = (folder / "ratings.csv").read_text()
    (folder / "ratings.csv").write_text(text.replace(",", ";").replace(".", ","))
    expected = "ratings.csv: its cells are separated by semicolons: save it with commas (and points in numbers)"
    assert expected in message_of(folder)

import shutil
from pathlib import Path

from seps.data import overlap_notes, read_split
from seps.data.overlap import same_pairs
from tests.helpers.data.drawn_data import write_lines, write_split


def two_splits(folder: Path) -> Path:
    """Splits train and dev without a common image."""
    write_split(folder, "train", images=4)
    for file, ids in (("train_ids.txt", (10, 11)), ("dev_ids.txt", (12, 13))):
        write_lines(folder / file, [number for number in ids for _ in range(5)])
    lines = (folder / "train_caps.txt").read_text().splitlines()
    write_lines(folder / "train_caps.txt", lines[:10])
    write_lines(folder / "dev_caps.txt", lines[10:])
    return folder


def notes(folder: Path) -> list[str]:
    return overlap_notes(read_split(folder, "train"), read_split(folder, "dev"))


def test_an_image_in_two_splits_is_told_by_its_id_and_a_copy_by_both(tmp_path: Path) -> None:
    folder = two_splits(tmp_path)
    assert notes(folder) == []
    shutil.copy(folder / "images" / "10.png", folder / "images" / "13.png")
    (note,) = notes(folder)
    assert note.startswith("1 image of train is in dev too, under another id (10 and 13): what is measured there")
    shutil.copy(folder / "images" / "10.png", folder / "images" / "11.png")
    assert notes(folder)[0].startswith("1 image of train is twice, under another id (10 and 11): a caption of the one")
    assert notes(folder)[1].startswith("2 images of train are in dev too, under another id (10 and 13, 11 and 13)")
    write_lines(folder / "dev_ids.txt", [11] * 5 + [13] * 5)
    assert any(note.startswith("1 image of train is in dev too (id 11): what is") for note in notes(folder))


def test_many_copies_are_as_many_pairs_not_their_square(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}" for number in range(600)]
    for file in files:
        file.write_bytes(b"the same")
    pairs = same_pairs(files, ["train"] * 400 + ["dev"] * 200)
    assert len(pairs) == 399 + 199 + 400
    assert (0, 399) in pairs and (400, 599) in pairs and (399, 400) in pairs and (399, 401) not in pairs

from dataclasses import replace
from pathlib import Path

import pytest

from seps.data import DataError, dense_captions, no_dense, read_split
from tests.helpers.data.drawn_data import caption_of, write_lines, write_split


def complaint(folder: Path, split: str = "dev", captions_per_image: int = 5) -> str:
    with pytest.raises(DataError) as error:
        read_split(folder, split, captions_per_image)
    return str(error.value)


def test_a_split_is_read_in_the_order_of_its_captions(tmp_path: Path) -> None:
    folder = write_split(tmp_path, dense=3)
    write_lines(folder / "dev_ids.txt", [12] * 5 + [10] * 5 + [11] * 5)
    split = read_split(str(folder), "dev")
    assert split.image_ids == ("12", "10", "11")
    assert split.image_files == tuple(folder / "images" / f"{i}.png" for i in (12, 10, 11))
    assert split.captions == tuple(caption_of(i, j) for i in range(3) for j in range(5))
    assert split.dense == ("a picture 0", "a picture 1", "a picture 2")
    assert (split.name, split.folder, split.captions_per_image) == ("dev", folder, 5)


def test_captions_keep_their_own_characters(tmp_path: Path) -> None:
    folder = write_split(tmp_path, images=1, k=2)
    odd = "caf\u00e9 with\u2028a line separator and \u0085 within"
    (folder / "dev_caps.txt").write_bytes(f"\ufeff {odd}\t\r\nlast, without a line end".encode())
    assert read_split(folder, "dev", 2).captions == (odd, "last, without a line end")


def test_ids_one_an_image_are_told_apart_by_counting(tmp_path: Path) -> None:
    folder = write_split(tmp_path, images=3, dense=3)
    each = read_split(folder, "dev")
    write_lines(folder / "dev_ids.txt", [10, 11, 12])
    assert read_split(folder, "dev") == each
    write_lines(folder / "dev_ids.txt", [10, 11, 10])
    assert "id 10: 10 between lines 1 and 15, but 5 in a row are needed" in complaint(folder)
    write_lines(folder / "dev_ids.txt", [10, 11])
    assert "dev_caps.txt has 15 captions, but dev_ids.txt has 2 ids, neither one a" in complaint(folder)


def test_images_may_lie_in_another_folder(tmp_path: Path) -> None:
    folder, elsewhere = write_split(tmp_path, images=2, k=1), tmp_path / "elsewhere"
    (folder / "images").rename(elsewhere)
    assert "  images/ (where the images lie elsewhere: --images FOLDER)" in complaint(folder, captions_per_image=1)
    split = read_split(folder, "dev", 1, elsewhere)
    assert split.image_files == (elsewhere / "10.png", elsewhere / "11.png")

    (elsewhere / "flickr30k-images").mkdir()
    (elsewhere / "10.png").rename(elsewhere / "flickr30k-images" / "10.png")
    with pytest.raises(DataError) as error:
        read_split(folder, "dev", 1, elsewhere)
    assert f"Files missing from {elsewhere}: put them there" in str(error.value)
    assert str(error.value).endswith("take their captions and ids out (1):\n  10.png (id 10)")
    (elsewhere / "11.png").rename(elsewhere / "flickr30k-images" / "11.png")
    split = read_split(folder, "dev", 1, str(elsewhere))
    assert split.image_files == tuple(elsewhere / "flickr30k-images" / f"{i}.png" for i in (10, 11))

    with pytest.raises(DataError, match="The folder nowhere does not exist"):
        read_split(folder, "dev", 1, "nowhere")


def test_dense_captions_are_found_under_the_authors_name(tmp_path: Path) -> None:
    (tmp_path / "f30k").mkdir()
    folder = write_split(tmp_path / "f30k", images=2, dense=2)
    dense = ("a picture 0", "a picture 1")
    (folder / "dev_dense.jsonl").rename(folder / "any_dev.jsonl")
    assert read_split(folder, "dev").dense == dense
    write_lines(folder / "other_dev.jsonl", ["x"])
    assert complaint(folder).endswith(
        "Several files of dense captions: keep one (1):\n  any_dev.jsonl, other_dev.jsonl"
    )
    (folder / "any_dev.jsonl").rename(folder / "f30k_dev.jsonl")  # the folder's own name decides
    assert read_split(folder, "dev").dense == dense
    (folder / "f30k_dev.jsonl").unlink()
    (folder / "other_dev.jsonl").rename(folder / "dev_other.jsonl")
    split = read_split(folder, "dev")
    assert split.dense is None
    assert no_dense(split).endswith(" has no dense captions, neither dev_dense.jsonl nor DATASET_dev.jsonl")


def test_all_problems_come_in_one_error(tmp_path: Path) -> None:
    folder = write_split(tmp_path)
    captions = (folder / "dev_caps.txt").read_text().splitlines()
    captions[3] = "  "
    write_lines(folder / "dev_caps.txt", captions[:-1])
    write_lines(folder / "dev_ids.txt", [10, 10, 11, 10, 10, 10, 11, 11, 11, 11, "", *[12] * 4])
    (folder / "id_mapping.json").write_text('{"10": "10.png", "11": "11.png", "12": 3}')
    (folder / "images" / "11.png").unlink()
    write_lines(folder / "dev_dense.jsonl", ['{"text": "a"}', '{"words": "a"}', '["a"]', '{"text": "b"}'])
    assert complaint(folder).splitlines() == [
        f"Split dev of {folder}, which has dev: 10 problems.",
        "Lines without text: write some, or take the line out (2):",
        "  line 11 of dev_ids.txt",
        "  line 4 of dev_caps.txt",
        "Image ids without a file name in id_mapping.json (1):",
        "  id 12: 3 is not a file name",
        "Counts that do not fit (1):",
        "  dev_caps.txt has 14 captions, but dev_ids.txt has 15 ids, neither one a caption nor one an image",
        "Images without k consecutive caption lines (3):",
        "  id 10: 5 between lines 1 and 6, but 5 in a row are needed",
        "  id 11: 5 between lines 3 and 10, but 5 in a row are needed",
        "  id 12: 4 between lines 12 and 15, but 5 in a row are needed",
        "Files missing from images/: put them there, or take their captions and ids out (1):",
        "  11.png (id 11)",
        "Dense captions that are not one JSON object with a text a line (2):",
        "  line 2: its text is None",
        "  line 3 holds a JSON list, but an object {...} is needed",
    ]


def test_missing_files_are_named_with_the_splits_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert complaint(tmp_path / "empty").splitlines() == [
        f"Split dev of {tmp_path / 'empty'}, which has no split: 4 problems.",
        "Missing (4):",
        "  dev_caps.txt",
        "  dev_ids.txt",
        "  id_mapping.json",
        "  images/ (where the images lie elsewhere: --images FOLDER)",
    ]
    write_split(write_split(tmp_path, "train"), "mllm")
    assert complaint(tmp_path / "nowhere").startswith(f"The folder {tmp_path / 'nowhere'} does not exist: give")
    message = complaint(tmp_path, "val")
    assert message.endswith("which has mllm, train: 2 problems.\nMissing (2):\n  val_caps.txt\n  val_ids.txt")


@pytest.mark.parametrize("dense", [0, 3, 6])
def test_own_and_other_dense_captions(tmp_path: Path, dense: int) -> None:
    split = read_split(write_split(tmp_path, images=3, k=2, dense=dense), "dev", 2)
    own = [caption_of(i, 1 - j) for i in range(3) for j in range(2)]  # the image's other caption
    if dense:
        own = [f"a picture {i}" for i in (range(6) if dense == 6 else (0, 0, 1, 1, 2, 2))]
    assert dense_captions(split, "own") == own
    assert dense_captions(split, "other") == own[2:] + own[:2]
    assert dense_captions(split, "none") is None
    with pytest.raises(ValueError, match="protocol is 'mine'"):
        dense_captions(split, "mine")
    with pytest.raises(ValueError, match="split dev has 1 image"):
        dense_captions(replace(split, image_ids=("10",)), "other")
    if not dense:
        with pytest.raises(ValueError, match="split dev has no dense captions"):
            dense_captions(replace(split, captions_per_image=1), "own")


def test_unreadable_files_and_wrong_counts_are_named(tmp_path: Path) -> None:
    folder = write_split(tmp_path, images=2, dense=3)
    assert "dev_dense.jsonl has 3 lines, but 2 (one an image) or 10 (one a caption) are needed" in complaint(folder)
    assert "id 10: 5 between lines 1 and 5, but 3 in a row" in complaint(folder, captions_per_image=3)
    with pytest.raises(ValueError, match="captions_per_image is 0"):
        read_split(folder, "dev", 0)
    (folder / "dev_dense.jsonl").unlink()
    (folder / "dev_caps.txt").write_bytes(b"caf\xe9\n")
    (folder / "id_mapping.json").write_text("[1]")
    (folder / "dev_dense.jsonl").mkdir()
    message = complaint(folder)
    assert "Not readable (3):\n  dev_caps.txt: line 1 is not UTF-8 (byte 0xe9): save it as UTF-8\n" in message
    assert "  id_mapping.json holds a JSON list, but an object {...} is needed" in message
    assert "  dev_dense.jsonl: [Errno" in message
    (folder / "dev_caps.txt").write_text("")
    assert "dev_caps.txt has 0 captions, but at least 1 is needed" in complaint(folder)

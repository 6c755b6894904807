import json
import re
from pathlib import Path
from typing import Any

import pytest

from seps.data import DataError, read_split
from seps.data.convert import convert, main
from tests.seps.data.caption_files import IMAGES, WHOLE, coco, karpathy, results, table


@pytest.mark.parametrize("kind", WHOLE)
def test_what_is_converted_reads_as_the_file_itself(folder: Path, kind: str) -> None:
    write, name = WHOLE[kind]
    file = write(folder)
    sizes, _ = convert([file], folder / "new", folder / "pictures")
    assert sizes == {name: IMAGES}
    split = read_split(folder / "new", name, images=folder / "pictures")
    itself = read_split(file, name, images=folder)
    for field in ("captions", "image_ids", "image_files"):
        assert getattr(split, field) == getattr(itself, field)
    mapping = json.loads((folder / "new" / "id_mapping.json").read_text())
    assert sorted(mapping.values()) == [f"val2014/COCO_{i}.png" for i in range(IMAGES)]


def test_several_files_make_one_folder(folder: Path) -> None:
    train, val = coco(folder, "captions_train2017.json"), folder / "captions_val2017.json"
    entries = json.loads(train.read_text())
    for image in entries["images"]:
        image |= {"id": image["id"] + 100, "file_name": "other_" + image["file_name"]}
    for row in entries["annotations"]:
        row["image_id"] += 100
    val.write_text(json.dumps(entries))
    assert convert([train, val], folder / "new")[0] == {"train": IMAGES, "dev": IMAGES}
    with pytest.raises(DataError, match=r"COCO_0\.png in train and dev"):  # images of both
        convert([train, coco(folder, "captions_val2014.json")], folder / "other")


def test_everything_wrong_is_listed_and_nothing_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = coco(folder)
    entries = json.loads(file.read_text())
    entries["annotations"][0]["caption"] = " "
    entries["annotations"][7]["image_id"] = 7
    entries["images"].append({"id": 12, "file_name": "alone.png"})
    file.write_text(json.dumps(entries))
    (folder / "pictures" / "val2014" / "COCO_1.png").unlink()
    assert main([str(file), "--to", str(folder / "new"), "--images", str(folder / "pictures")]) == 2
    assert ("error: " + capsys.readouterr().err.partition("error: ")[2]).splitlines() == [
        f"error: {file}: 6 problems.",
        "Entries without a file name or a caption (2):",
        "  captions_val2014.json, annotation 1: ' '",
        "  captions_val2014.json, image 12 ('alone.png'): no caption",
        "Captions of images that the file does not list (1):",
        "  captions_val2014.json, annotation 8: image_id 7",
        "Images with fewer captions than 5: write some, take them out, or take 4 of each with "
        "python -m seps.data.convert --captions-per-image 4 (2):",
        "  COCO_3.png: 4",
        "  COCO_2.png: 4",
        f"Image files that are not below {folder / 'pictures'}: put them there, or take their captions out (1):",
        "  COCO_1.png",
    ]
    assert not (folder / "new").exists()


def test_a_folder_that_is_written_once_is_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(karpathy(folder)), "--to", str(folder / "new")]
    assert main(arguments) == 0
    assert f"{folder / 'new'} holds train (2 images), dev (1 image), test (1 image)." in capsys.readouterr().out
    assert main(arguments) == 2
    assert "Files that already exist: choose another folder (7):" in capsys.readouterr().err


def test_the_only_split_may_be_called_otherwise_or_divided(folder: Path) -> None:
    file = coco(folder)
    assert convert([file], folder / "test", split="test")[0] == {"test": IMAGES}
    assert convert([file], folder / "divided", dev=1)[0] == {"train": 3, "dev": 1}
    assert (folder / "divided" / "dev_ids.txt").read_text() == "391\n" * 5  # drawn at random, and always the same
    refused: list[tuple[list[Path], dict[str, Any], str]] = [
        ([file], {"split": "../beside"}, "--split is '../beside'"),
        ([file], {"dev": 4}, "--dev is 4, but there are 4 images"),
        ([karpathy(folder)], {"split": "test"}, "The files hold the splits train, dev, test"),
        ([table(folder), results(folder)], {}, "Images in two of the files"),
    ]
    for files, options, message in refused:
        with pytest.raises(ValueError, match=re.escape(message)):
            convert(files, folder / "refused", **options)
    assert not (folder / "refused").exists()

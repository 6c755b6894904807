"""Caption files as they are downloaded: read where a folder may stand, and brought into the layout."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from seps.data import DataError, Split, read_split
from seps.data.convert import convert, main
from seps.data.layout import sole_split
from tests.helpers.drawn_data import caption_of, draw, write_lines
from tests.helpers.sentences import refused

IMAGES = 4
PARTS = ("train", "restval", "val", "test")


def captions(image: int, count: int = 5) -> list[str]:
    return [caption_of(image, number % 5) for number in range(count)]


def coco(folder: Path, name: str = "captions_val2014.json", count: int = 5) -> Path:
    """COCO's JSON; captions come in another order than images."""
    images = [{"id": 391 + i, "file_name": f"COCO_{i}.png", "height": 30, "width": 40} for i in range(IMAGES)]
    rows = [
        {"image_id": 391 + i, "id": 9 * i + k, "caption": f" {text}\n"}
        for i in reversed(range(IMAGES))
        for k, text in enumerate(captions(i, count))
    ]
    (folder / name).write_text(json.dumps({"info": {}, "images": images, "annotations": rows}))
    return folder / name


def karpathy(folder: Path) -> Path:
    images = [
        {
            "filepath": "val2014",
            "filename": f"COCO_{i}.png",
            "cocoid": 391 + i,
            "split": PARTS[i],
            "sentences": [{"tokens": text.split(), "raw": text} for text in captions(i)],
        }
        for i in range(IMAGES)
    ]
    (folder / "dataset_coco.json").write_text(json.dumps({"images": images, "dataset": "coco"}))
    return folder / "dataset_coco.json"


def blip(folder: Path) -> Path:
    entries = [{"image": f"val2014/COCO_{i}.png", "caption": captions(i)} for i in range(IMAGES)]
    (folder / "list.json").write_text(json.dumps(entries))
    return folder / "list.json"


def tokens(folder: Path) -> Path:
    rows = [f"COCO_{i}.png#{k}\t{text}" for i in range(IMAGES) for k, text in enumerate(captions(i))]
    write_lines(folder / "Flickr8k.token.txt", rows)
    return folder / "Flickr8k.token.txt"


def results(folder: Path) -> Path:
    rows = [f"COCO_{i}.png| {k}| {text}" for i in range(IMAGES) for k, text in enumerate(captions(i))]
    write_lines(folder / "results.csv", ["image_name| comment_number| comment", *rows])
    return folder / "results.csv"


def table(folder: Path, split: bool = False) -> Path:
    with (folder / "pairs.csv").open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["Image", "Caption", *(["split"] if split else [])])
        rows.writerows(
            [f"COCO_{i}.png", text, *(["val"] if split else [])] for i in range(IMAGES) for text in captions(i)
        )
    return folder / "pairs.csv"


def cells(folder: Path) -> Path:
    """A table whose cells hold all captions of an image."""
    with (folder / "cells.csv").open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["raw", "split", "filename"])
        rows.writerows([json.dumps(captions(i)), PARTS[i], f"COCO_{i}.png"] for i in range(IMAGES))
    return folder / "cells.csv"


WHOLE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "COCO": (coco, "dev"),
    "list": (blip, "all"),
    "token file": (tokens, "all"),
    "results.csv": (results, "all"),
    "table": (table, "all"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose images lie deep in it."""
    (tmp_path / "pictures" / "val2014").mkdir(parents=True)
    for i in range(IMAGES):
        draw(tmp_path / "pictures" / "val2014" / f"COCO_{i}.png", i)
    return tmp_path


def content(split: Split) -> list[tuple[str, tuple[str, ...]]]:
    """The files' names with their captions, sorted: kinds give images in orders of their own."""
    k = split.captions_per_image
    return sorted(
        (file.name, split.captions[i * k : i * k + k]) for i, file in enumerate(split.image_files) if file.is_file()
    )


ALL = [(f"COCO_{i}.png", tuple(captions(i))) for i in range(IMAGES)]


@pytest.mark.parametrize("kind", WHOLE)
def test_each_kind_is_known_by_itself_and_read_where_a_folder_may_stand(folder: Path, kind: str) -> None:
    write, name = WHOLE[kind]
    file = write(folder)
    assert sole_split(file) == name
    split = read_split(file, name)
    assert content(split) == ALL
    assert split.dense is None


@pytest.mark.parametrize("kind", WHOLE)
def test_what_is_converted_reads_as_the_file_itself(folder: Path, kind: str) -> None:
    write, name = WHOLE[kind]
    file = write(folder)
    sizes, _ = convert([file], folder / "new", folder / "pictures")
    assert sizes == {name: IMAGES}
    split = read_split(folder / "new", name, images=folder / "pictures")
    itself = read_split(file, name, images=folder)
    assert (split.captions, split.image_ids, split.image_files) == (
        itself.captions,
        itself.image_ids,
        itself.image_files,
    )
    mapping = json.loads((folder / "new" / "id_mapping.json").read_text())
    assert sorted(mapping.values()) == [f"val2014/COCO_{i}.png" for i in range(IMAGES)]


@pytest.mark.parametrize("write", [karpathy, cells])
def test_splits_are_kept_and_restval_goes_to_train(folder: Path, write: Callable[[Path], Path]) -> None:
    file = write(folder)
    sizes, notes = convert([file], folder / "new")
    assert sizes == {"train": 2, "dev": 1, "test": 1}
    assert notes == [
        f"{file.name} calls {old} what is {new} here." for old, new in (("restval", "train"), ("val", "dev"))
    ]
    assert content(read_split(file, "train")) == ALL[:2]
    assert content(read_split(file, "val")) == content(read_split(file, "dev")) == ALL[2:3]
    with refused(DataError):
        read_split(file, "mllm")


def test_ids_are_cocos(folder: Path) -> None:
    assert read_split(karpathy(folder), "test").image_ids == ("394",)
    assert set(read_split(coco(folder), "dev").image_ids) == {"391", "392", "393", "394"}


def test_a_split_may_stand_in_a_table(folder: Path) -> None:
    assert content(read_split(table(folder, split=True), "dev")) == ALL


def test_lists_of_names_tell_the_splits_of_flickr8k(folder: Path) -> None:
    file = tokens(folder)
    write_lines(folder / "Flickr_8k.trainImages.txt", ["COCO_0.png", "COCO_1.png"])
    write_lines(folder / "Flickr_8k.devImages.txt", ["COCO_3.png"])
    train, dev = read_split(file, "train"), read_split(file, "dev")
    assert (content(train), content(dev)) == (ALL[:2], ALL[3:])
    assert train.notes == ("1 image of Flickr8k.token.txt in none of the lists of splits beside it: left out.",)


def test_of_more_captions_the_first_are_taken_and_all_of_a_number_of_their_own(folder: Path) -> None:
    for count, k in ((7, None), (7, 5), (1, None)):
        split = read_split(coco(folder, count=count), "dev", captions_per_image=k)
        assert split.captions_per_image == (k or count)
        assert content(split) == [(name, tuple(captions(i, k or count))) for i, (name, _) in enumerate(ALL)]
    file = coco(folder, count=5)
    entries = json.loads(file.read_text())
    entries["annotations"].append({"image_id": 391, "id": 99, "caption": "a sixth"})
    file.write_text(json.dumps(entries))
    split = read_split(file, "dev")
    assert content(split) == ALL
    assert (
        split.notes[-1] == "1 image of captions_val2014.json with more than 5 captions: the first 5 of each are taken."
    )


def test_a_folder_with_one_caption_an_image_reads_as_it_is(folder: Path) -> None:
    convert([coco(folder, count=1)], folder / "new")
    split = read_split(folder / "new", "dev", images=folder / "pictures" / "val2014")
    assert (split.captions_per_image, len(split.captions)) == (1, IMAGES)


def test_several_files_make_one_folder(folder: Path) -> None:
    train, val = coco(folder, "captions_train2017.json"), folder / "captions_val2017.json"
    entries = json.loads(train.read_text())
    for image in entries["images"]:
        image |= {"id": image["id"] + 100, "file_name": "other_" + image["file_name"]}
    for row in entries["annotations"]:
        row["image_id"] += 100
    val.write_text(json.dumps(entries))
    assert convert([train, val], folder / "new")[0] == {"train": IMAGES, "dev": IMAGES}
    with refused(DataError):  # images of both
        convert([train, coco(folder, "captions_val2014.json")], folder / "other")


def test_images_are_set_apart_at_random_and_always_the_same(folder: Path) -> None:
    file = table(folder)
    assert convert([file], folder / "a", dev=1)[0] == convert([file], folder / "b", dev=1)[0] == {"train": 3, "dev": 1}
    texts = [{name: (folder / to / name).read_text() for name in ("dev_ids.txt", "train_caps.txt")} for to in "ab"]
    assert texts[0] == texts[1]
    for wrong in (4, -1):
        with refused(ValueError):
            convert([file], folder / "c", dev=wrong)
    with refused(ValueError):
        convert([karpathy(folder)], folder / "c", split="test")
    with refused(DataError):
        read_split(file, "train")


def test_everything_wrong_is_listed_and_nothing_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = coco(folder)
    entries = json.loads(file.read_text())
    entries["annotations"][0]["caption"] = " "
    entries["annotations"][7]["image_id"] = 7
    entries["images"].append({"id": 12, "file_name": "alone.png"})
    file.write_text(json.dumps(entries))
    (folder / "pictures" / "val2014" / "COCO_1.png").unlink()
    assert main([str(file), "--to", str(folder / "new"), "--images", str(folder / "pictures")]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"error: {file}: 5 problems.",
        "Entries without a file name or a caption (2):",
        "  captions_val2014.json, annotation 1: ' '",
        "  captions_val2014.json, image 12 ('alone.png'): no caption",
        "Captions of images that the file does not list (1):",
        "  captions_val2014.json, annotation 8: image_id 7",
        "Images with fewer captions than the 5 of the others: write some, or take the image out (2):",
        "  COCO_3.png: 4",
        "  COCO_2.png: 4",
    ]
    assert not (folder / "new").exists()
    assert main([str(coco(folder)), "--to", str(folder / "new"), "--images", str(folder / "pictures")]) == 2
    assert capsys.readouterr().err.splitlines()[1:] == [
        f"Image files that are not below {folder / 'pictures'}: put them there, or take their captions out (1):",
        "  COCO_1.png",
    ]
    assert not (folder / "new").exists()


def test_a_folder_that_is_written_once_is_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(karpathy(folder)), "--to", str(folder / "new")]
    assert main(arguments) == 0
    assert f"{folder / 'new'} holds train (2 images), dev (1 images), test (1 images)." in capsys.readouterr().out
    before = {file: file.read_bytes() for file in (folder / "new").iterdir()}
    assert main(arguments) == 2
    assert "Files that are there already: choose another folder (7):" in capsys.readouterr().err
    assert before == {file: file.read_bytes() for file in (folder / "new").iterdir()}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("captions.json", '{"images": {}}'),
        ("captions.json", "[1"),
        ("captions.json", '{"images": [], "annotations": []}'),
        ("split.json", '[{"file": "a.png", "caption": "a", "split": "../x"}]'),
        ("captions.txt", "no names here\n"),
        ("captions.csv", "image;caption\na.png;\n"),
        ("captions.csv", "image,caption\na.png,\n"),
    ],
)
def test_files_of_no_kind_are_refused_with_the_kinds_that_are_known(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with refused(DataError):
        read_split(tmp_path / name, "dev")

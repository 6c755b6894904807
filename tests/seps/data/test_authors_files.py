"""The authors' text files are read whole, as they are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from seps.data import Split, dense_captions, read_split
from tests.helpers.authors import (
    AUTHORS,
    coco_names,
    flickr30k_names,
    ids_of,
    needs_authors_files,
    stand_ins,
    with_train_captions,
)

pytestmark = needs_authors_files
LINES = {"f30k": {"dev": 1014, "test": 1000}, "coco": {"dev": 1000, "testall": 5000}}


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    """A folder for many links, gone after the test."""
    yield tmp_path / "room"
    shutil.rmtree(tmp_path / "room")


@pytest.mark.parametrize("split", LINES["f30k"])
def test_flickr30k_is_read_where_it_lies(room: Path, split: str) -> None:
    names = flickr30k_names(split)
    stand_ins(room / "flickr30k-images", names)
    read = read_split(AUTHORS / "f30k", split, images=room)
    images = LINES["f30k"][split]
    assert (len(read.image_ids), len(read.captions)) == (images, 5 * images)
    assert read.image_files == tuple(room / "flickr30k-images" / name for name in names)
    if split == "dev":
        assert read.dense is None
        assert read.captions[5:10][2] == "A man sleeping in a green room on a couch ."
        return
    assert read.dense is not None
    assert len(read.dense) == 1000
    assert (read.image_ids[:2], read.image_files[0].name) == (("25", "34"), "1007129816.jpg")
    assert read.captions[0] == "The man with pierced ears is wearing glasses and an orange hat ."
    assert read.dense[0].startswith("The image features a man wearing a beer hat")
    dense = dense_captions(read, "own")
    assert dense is not None
    assert dense[:10] == [read.dense[0]] * 5 + [read.dense[1]] * 5  # once for each of its image's captions


@pytest.mark.parametrize("split", LINES["coco"])
def test_coco_is_read_with_its_folders_of_images(room: Path, split: str) -> None:
    folder = shutil.copytree(AUTHORS / "coco", room / "coco", copy_function=shutil.copyfile)
    folder.chmod(0o755)
    names = coco_names(ids_of("coco", split))
    (folder / "id_mapping.json").write_text(json.dumps(names))
    stand_ins(room / "images", names.values())
    read = read_split(folder, split, images=room / "images")
    images = LINES["coco"][split]
    assert (len(read.image_ids), len(read.captions)) == (images, 5 * images)
    assert {file.parent.name for file in read.image_files} == {"train2014", "val2014"}
    if split == "dev":
        assert read.dense is None
        return
    assert read.dense is not None
    assert len(read.dense) == 5000
    assert read.image_ids[0] == "391895"
    assert "motorcycle" in read.captions[2]
    assert "motorcycle" in read.dense[0]


def check_training_split(read: Split, images: int, files: list[Path]) -> None:
    assert (len(read.image_ids), len(read.captions), read.dense) == (images, 5 * images, None)
    assert read.image_files == tuple(files)
    for number in (0, images // 2, images - 1):
        captions = read.captions[5 * number : 5 * number + 5]
        assert all(caption.startswith(f"photo {read.image_ids[number]} ,") for caption in captions)


@pytest.mark.slow
def test_flickr30k_has_29000_training_ids_one_an_image(room: Path) -> None:
    folder, names = with_train_captions("f30k", room / "f30k"), flickr30k_names("train")
    images = stand_ins(room / "images", names)
    check_training_split(read_split(folder, "train", images=images), 29_000, [images / name for name in names])


@pytest.mark.slow
def test_coco_has_113287_training_ids_one_an_image(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, images = with_train_captions("coco", room / "coco"), room / "images"
    names = coco_names(ids_of("coco", "train"))
    (folder / "id_mapping.json").write_text(json.dumps(names))
    images.mkdir()
    files = [images / name for name in names.values()]
    present = {part: {file.name for file in files if file.parent.name == part} for part in ("train2014", "val2014")}
    monkeypatch.setattr("seps.data.lookup.files_in", lambda folder: present[folder.name])  # as many links take 20 s
    check_training_split(read_split(folder, "train", images=images), 113_287, files)

"""The authors' own text files, where they lie next to the repo, with stand-ins for the images."""

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from PIL import Image

from seps.data import dense_captions, read_split

AUTHORS = Path(__file__).parents[4] / "shared" / "data" / "authors_files"
pytestmark = pytest.mark.skipif(not AUTHORS.is_dir(), reason="shared/data/authors_files is missing")


def stand_ins(folder: Path, names: Iterable[str]) -> None:
    """Put one small picture into `folder` under each of these names, as links to one file."""
    folder.mkdir(parents=True)
    Image.new("RGB", (48, 36)).save(folder / "stand-in.jpg")
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        os.link(folder / "stand-in.jpg", folder / name)


def ids_of(dataset: str, split: str) -> list[str]:
    return list(dict.fromkeys((AUTHORS / dataset / f"{split}_ids.txt").read_text().split()))


def test_flickr30k_is_read_where_it_lies(tmp_path: Path) -> None:
    mapping = json.loads((AUTHORS / "f30k" / "id_mapping.json").read_text())
    names = [mapping[image_id] for image_id in ids_of("f30k", "test")]
    stand_ins(tmp_path / "flickr30k-images", names)
    read = read_split(AUTHORS / "f30k", "test", images=tmp_path)
    assert (len(read.image_ids), len(read.captions)) == (1000, 5000)
    assert read.image_files == tuple(tmp_path / "flickr30k-images" / name for name in names)
    assert read.captions[0] == "The man with pierced ears is wearing glasses and an orange hat ."
    assert read.dense is not None and read.dense[0].startswith("The image features a man wearing a beer hat")
    dense = dense_captions(read, "own")
    assert dense is not None and dense[:10] == [read.dense[0]] * 5 + [read.dense[1]] * 5  # once for each caption


def test_coco_is_read_with_its_folders_of_images(tmp_path: Path) -> None:
    folder = shutil.copytree(AUTHORS / "coco", tmp_path / "coco", copy_function=shutil.copyfile)
    folder.chmod(0o755)
    parts = ("train2014", "val2014", "val2014")
    names = {i: f"{parts[int(i) % 3]}/COCO_{parts[int(i) % 3]}_{int(i):012d}.jpg" for i in ids_of("coco", "dev")}
    (folder / "id_mapping.json").write_text(json.dumps(names))
    stand_ins(tmp_path / "images", names.values())
    read = read_split(folder, "dev", images=tmp_path / "images")
    assert (len(read.image_ids), len(read.captions), read.dense) == (1000, 5000, None)
    assert {file.parent.name for file in read.image_files} == {"train2014", "val2014"}

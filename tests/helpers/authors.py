"""The authors' own text files, if available next to the repo, with stand-ins for the missing images."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from PIL import Image

AUTHORS = Path(__file__).parents[3] / "shared" / "data" / "authors_files"
LINKS = 30_000  # to one file; ext4 allows 65,000

needs_authors_files = pytest.mark.skipif(
    not AUTHORS.is_dir(), reason="shared/data/authors_files, with the authors' text files, is missing"
)


def stand_ins(folder: Path, names: Iterable[str]) -> Path:
    """Put one small picture into `folder` under each of these names, as links to a few files."""
    names = list(names)
    for part in {name.rpartition("/")[0] for name in names}:
        (folder / part).mkdir(parents=True, exist_ok=True)
    source = folder
    for number, name in enumerate(names):
        if number % LINKS == 0:
            source = folder / f"stand-in-{number}.jpg"
            Image.new("RGB", (48, 36), (90, 140, 60)).save(source)
        os.link(source, f"{folder}/{name}")  # a Path each would take twice as long
    return folder


def ids_of(dataset: str, split: str) -> list[str]:
    """The image ids of a split, each once."""
    return list(dict.fromkeys((AUTHORS / dataset / f"{split}_ids.txt").read_text().split()))


def flickr30k_names(split: str) -> list[str]:
    """The file names of a split of Flickr30K."""
    mapping = json.loads((AUTHORS / "f30k" / "id_mapping.json").read_text())
    return [mapping[image_id] for image_id in ids_of("f30k", split)]


def coco_names(ids: Iterable[str]) -> dict[str, str]:
    """A file name for each id, as MS-COCO has them: every third image of train2014, the others of val2014."""
    parts = ("train2014", "val2014", "val2014")
    return {i: f"{parts[int(i) % 3]}/COCO_{parts[int(i) % 3]}_{int(i):012d}.jpg" for i in ids}


def with_train_captions(dataset: str, folder: Path) -> Path:
    """A copy of a dataset's folder with captions for its training ids, which the authors' files lack here."""
    shutil.copytree(AUTHORS / dataset, folder, copy_function=shutil.copyfile)
    folder.chmod(0o755)
    ids = ids_of(dataset, "train")
    (folder / "train_caps.txt").write_text(
        "".join(f"photo {i} , told the {j + 1} . time\n" for i in ids for j in range(5)), encoding="utf-8"
    )
    return folder

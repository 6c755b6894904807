"""A folder with a manifest: its photographs and captions are one split, named as the folder is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from seps.data import DataError, read_split
from tests.helpers.drawn_data import SHARED

CAPTIONS = [f"caption {number}" for number in range(5)]


def write_manifest(folder: Path, entries: Any, files: tuple[str, ...] = ("a.jpg", "b.jpg")) -> Path:
    (folder / "images").mkdir(parents=True)
    for name in files:
        Image.new("RGB", (8, 8)).save(folder / "images" / name)
    (folder / "manifest.json").write_text(json.dumps(entries))
    return folder


def test_a_manifest_is_a_split(tmp_path: Path) -> None:
    others = [caption.upper() for caption in CAPTIONS]
    entries = [{"id": 7, "file": "a.jpg", "captions": CAPTIONS}, {"file": "b.jpg", "captions": others}]
    split = read_split(write_manifest(tmp_path / "photos", entries), "photos")
    assert split.image_ids == ("7", "b.jpg")
    assert [file.name for file in split.image_files] == ["a.jpg", "b.jpg"]
    assert list(split.captions) == CAPTIONS + others
    assert split.dense is None
    with pytest.raises(DataError, match="photos, which has photos: 3 problems"):
        read_split(tmp_path / "photos", "dev")


@pytest.mark.parametrize(("entries", "message"), [
    ({}, "holds no list of photographs"),
    ([], "holds no list of photographs"),
    ([{"file": "a.jpg", "captions": CAPTIONS[:4]}], "entry 1: 'a.jpg' with"),
    ([{"file": "a.jpg", "captions": [*CAPTIONS[:4], " "]}], "entry 1: 'a.jpg' with"),
    ([{"captions": CAPTIONS}], "entry 1"),
    ([3], "entry 1"),
    ([{"file": "c.jpg", "captions": CAPTIONS}], r"c\.jpg \(entry 1\)"),
])  # fmt: skip
def test_what_is_wrong_with_a_manifest_is_listed(tmp_path: Path, entries: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_split(write_manifest(tmp_path / "photos", entries), "photos")


def test_the_open_photographs_are_read_whole() -> None:
    folder = SHARED.parent / "open_photos"
    if not folder.is_dir():
        pytest.skip("../shared/data/open_photos is not here")
    split = read_split(folder, "open_photos")
    assert (len(split.image_files), len(split.captions)) == (79, 395)

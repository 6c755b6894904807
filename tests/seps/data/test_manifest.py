import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from seps.data import DataError, read_split
from seps.data.layout import sole_split
from seps.data.manifest import class_caption, read_labelled

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
    assert (sole_split(tmp_path / "photos"), sole_split(tmp_path)) == ("photos", None)
    with pytest.raises(DataError, match="photos, which has photos: 3 problems"):
        read_split(tmp_path / "photos", "dev")


def test_a_manifest_needs_k_captions_of_each_photograph(tmp_path: Path) -> None:
    entries = [{"file": "a.jpg", "captions": [*CAPTIONS[:4], " "]}]
    with pytest.raises(DataError, match=r"entry 1: 'a\.jpg' with"):
        read_split(write_manifest(tmp_path / "photos", entries), "photos")
    (tmp_path / "photos" / "manifest.json").write_text("[]")
    with pytest.raises(DataError, match="holds no list of photographs"):
        read_split(tmp_path / "photos", "photos")


def test_photographs_of_one_label_share_its_number(tmp_path: Path) -> None:
    entries = [{"file": f"{i}.png", "label": label} for i, label in enumerate(("barn", "abaya", " barn "))]
    labelled = read_labelled(write_manifest(tmp_path, entries, ("0.png", "1.png", "2.png")))
    assert labelled.names == ("barn", "abaya") and labelled.labels == (0, 1, 0)
    assert [class_caption(name) for name in ("barn", "iPod")] == ["a photo of a barn", "a photo of an iPod"]
    assert [file.name for file in labelled.files if file.is_file()] == ["0.png", "1.png", "2.png"]


def test_everything_wrong_with_a_manifest_is_listed(tmp_path: Path) -> None:
    entries = [{"file": "0.png"}, {"file": "1.png", "label": "barn"}, "dog", {"file": "2.png", "label": " "}]
    with pytest.raises(DataError) as raised:
        read_labelled(write_manifest(tmp_path, entries, ()))
    parts = "4 problems", "entry 1: '0.png' with None", "entry 3: None with None", "entry 4: '2.png' with ' '"
    assert all(part in str(raised.value) for part in (*parts, f"1.png (entry 2) in {tmp_path / 'images'}"))
    (tmp_path / "manifest.json").write_text("[")
    with pytest.raises(DataError, match=r"manifest\.json cannot be read as JSON"):
        read_labelled(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(DataError, match=r"Missing \(1\):\n  manifest\.json"):
        read_labelled(tmp_path)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from seps.data.labelled import class_caption, read_labelled
from seps.data.problems import DataError


def folder(path: Path, entries: Any, *names: str) -> Path:
    (path / "images").mkdir()
    for name in names:
        (path / "images" / name).touch()
    (path / "manifest.json").write_text(json.dumps(entries))
    return path


def test_photographs_of_one_label_share_its_number(tmp_path: Path) -> None:
    entries = [{"file": f"{i}.png", "label": label} for i, label in enumerate(("barn", "abaya", " barn "))]
    labelled = read_labelled(folder(tmp_path, entries, "0.png", "1.png", "2.png"))
    assert labelled.names == ("barn", "abaya") and labelled.labels == (0, 1, 0)
    assert [file.name for file in labelled.files] == ["0.png", "1.png", "2.png"]
    assert all(file.is_file() for file in labelled.files)


def test_captions_of_names() -> None:
    assert class_caption("barn") == "a photo of a barn"
    assert class_caption("iPod") == "a photo of an iPod"
    assert class_caption("American egret") == "a photo of an American egret"


def test_everything_wrong_with_a_manifest_is_listed(tmp_path: Path) -> None:
    entries = [{"file": "0.png"}, {"file": "1.png", "label": "barn"}, "dog", {"file": "2.png", "label": " "}]
    with pytest.raises(DataError) as raised:
        read_labelled(folder(tmp_path, entries))
    message = str(raised.value)
    assert "4 problems" in message and "entry 1: '0.png' with None" in message
    assert "entry 3: None with None" in message and "entry 4: '2.png' with ' '" in message
    assert f"1.png (entry 2) in {tmp_path / 'images'}" in message


@pytest.mark.parametrize("entries", [[], {"file": "0.png", "label": "barn"}])
def test_a_manifest_that_lists_nothing_is_refused(tmp_path: Path, entries: Any) -> None:
    with pytest.raises(ValueError, match="holds no list of photographs"):
        read_labelled(folder(tmp_path, entries))

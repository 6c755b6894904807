import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from seps.data import read_entities, read_split
from seps.scenes import SIDE, decode_mask, draw, encode_mask, from_json, holds, make_scene, write_split
from seps.scenes.__main__ import main

COUNT = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenes")
    assert main(["--out", str(path), "--count", str(COUNT), "--seed", "4", "--split", "train"]) == 0
    write_split(path, "test", COUNT, 4)
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_files_are_read_as_photographs_are(folder: Path) -> None:
    for name in ("train", "test"):
        split = read_split(folder, name)
        assert len(split.image_ids) == COUNT and len(split.captions) == 5 * COUNT
        assert split.dense is not None and len(split.dense) == COUNT
        for file in split.image_files:
            with Image.open(file) as image:
                assert image.size == (SIDE, SIDE) and image.mode == "RGB"
        entities = read_entities(folder, name)
        assert [sentence.sentence for image in entities for sentence in image] == list(split.captions)
        assert all(sentence.phrases for image in entities for sentence in image)
    assert len(json.loads((folder / "id_mapping.json").read_text())) == 2 * COUNT


def test_scenes_hold_the_whole_graph_the_masks_and_the_boxes_of_what_is_seen(folder: Path) -> None:
    written = zip(lines(folder / "test_scenes.jsonl"), read_entities(folder, "test"), strict=True)
    for index, (plain, sentences) in enumerate(written):
        scene = from_json(plain)
        assert scene == make_scene(4, "test", index)
        picture = draw(scene)
        for sentence, caption in zip(sentences, plain["captions"], strict=True):
            assert sentence.sentence == caption["text"]
            for phrase, mention in zip(sentence.phrases, caption["mentions"], strict=True):
                assert phrase.phrase == mention["phrase"] and phrase.first_word == mention["first_word"]
                boxes = np.array([picture.box(i) for i in mention["objects"]])
                assert np.allclose(boxes / SIDE, phrase.boxes, atol=1e-4)
        with Image.open(folder / "images" / str(plain["image"])) as image:
            assert np.array_equal(np.asarray(image), picture.pixels)
        assert plain["unseen"] is (index % 2 == 1)
        for number, thing in enumerate(plain["objects"]):
            assert np.array_equal(decode_mask(thing["mask"]), picture.mask(number))
            box = picture.box(number)
            assert box is not None and thing["visible"] == list(box)
        for caption in (*plain["captions"], plain["dense"]):
            assert all(holds(scene, statement) for statement in caption["statements"])


def test_the_same_seed_writes_the_same_bytes_with_any_number_of_processes(folder: Path, tmp_path: Path) -> None:
    write_split(tmp_path, "train", COUNT, 4, workers=2)
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*") if path.name != "id_mapping.json")
    assert len(written) == COUNT + 5
    for path in written:
        assert (tmp_path / path).read_bytes() == (folder / path).read_bytes(), path


def test_without_a_split_all_three_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr("seps.scenes.__main__.write_split", lambda *given: calls.append(given[:-1]))
    assert main(["--out", str(tmp_path), "--count", "25", "--seed", "3"]) == 0
    assert calls == [(str(tmp_path), split, count, 3, 1) for split, count in (("train", 21), ("dev", 2), ("test", 2))]


def test_masks_survive_their_run_lengths() -> None:
    mask = np.zeros((5, 4), bool)
    mask[1:3, 2] = mask[0, 3] = True
    assert encode_mask(mask) == {"size": [5, 4], "counts": [11, 2, 2, 1, 4]}
    for example in (mask, ~mask, np.ones((3, 2), bool), np.zeros((3, 2), bool)):
        assert np.array_equal(decode_mask(encode_mask(example)), example)
    with pytest.raises(ValueError, match="The runs cover 3 pixels"):
        decode_mask({"size": [2, 2], "counts": [3]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "id_mapping.json cannot be read as JSON"),
        ('{"dev0": 3}', "id_mapping.json maps no ids to names of files"),
    ],
    ids=["deep", "numbers"],
)
def test_ids_of_other_splits_that_cannot_be_kept(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "id_mapping.json").write_text(content)
    with pytest.raises(ValueError, match=re.escape(message)):
        write_split(tmp_path, "dev", 1, seed=0)
    assert not list((tmp_path / "images").iterdir())  # refused before anything is drawn


@pytest.mark.parametrize("option", ["--count", "--workers"])
def test_what_cannot_be_written_is_told(option: str, tmp_path: Path, refusal: Callable[..., str]) -> None:
    assert "must be at least" in refusal(main, ["--out", str(tmp_path), "--split", "dev", option, "0"])

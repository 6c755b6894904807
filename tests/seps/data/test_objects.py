from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seps.data import DataError, PhraseBoxes, SentencePhrases, read_entities
from seps.data.objects import SceneObjects, image_truth, read_scenes
from seps.scenes import SIDE, decode_mask, draw, encode_mask, make_scene, write_split

SEED, COUNT = 2, 4
LEFT, TOP = (0.0, 0.0, 0.5, 1.0), (0.0, 0.0, 1.0, 0.5)


def test_areas_from_boxes_by_hand() -> None:
    dog = PhraseBoxes("a dog", 0, "animals", (LEFT,))
    sky = PhraseBoxes("a sky", 3, "scene", ((0.0, 0.0, 1.0, 1.0),))
    cat = PhraseBoxes("a cat", 0, "animals", (TOP,))
    sentences = [SentencePhrases("a dog under a sky", (dog, sky)), SentencePhrases("a cat", (cat,))]
    first, second = image_truth([*sentences, SentencePhrases("a sky", ())], (2, 4))
    assert (first.sentence, first.phrases) == ("a dog under a sky", (dog,))
    # The left half is the dog's; the cat adds only the upper right quarter; scenes count nowhere.
    assert first.areas.tolist() == [[1, 1, 0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1]]
    assert second.areas.tolist() == [[1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1]]
    (region,) = first.regions
    assert region.overlap.tolist() == region.hits.tolist() == [1, 1, 0, 0, 1, 1, 0, 0]


def test_areas_from_masks_by_hand() -> None:
    mask = np.zeros((3, 4, 4), dtype=bool)
    mask[0, :2, :2] = mask[1, 2:, 1] = mask[2, 3, 3] = True  # a 2 x 2 square, a bar of 2, a dot
    scene = SceneObjects(
        tuple(encode_mask(object_mask) for object_mask in mask),
        {("a b", 0, "a"): (0,), ("a b", 1, "b"): (0, 1), ("c", 0, "c"): (2,)},
    )
    phrases = (PhraseBoxes("a", 0, "things", (LEFT,)), PhraseBoxes("b", 1, "things", (TOP,)))
    (truth,) = image_truth([SentencePhrases("a b", phrases)], (2, 2), scene)
    assert [region.overlap.tolist() for region in truth.regions] == [[1, 0, 0, 0], [1, 0, 0.5, 0]]
    assert [region.hits.tolist() for region in truth.regions] == [[1, 0, 0, 0], [1, 0, 1, 0]]
    assert truth.areas.tolist() == [[1, 0, 0.5, 0], [0, 0, 0, 0.25], [0, 1, 0.5, 0.75]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenes")
    write_split(path, "test", COUNT, SEED)
    return path


def test_masks_of_scenes_are_the_drawn_pixels(folder: Path) -> None:
    entities = read_entities(folder, "test")
    scenes = read_scenes(folder, "test", entities)
    assert scenes is not None and len(scenes) == COUNT
    records = [json.loads(line) for line in (folder / "test_scenes.jsonl").read_text().splitlines()]
    for index, (sentences, scene, record) in enumerate(zip(entities, scenes, records, strict=True)):
        labels = draw(make_scene(SEED, "test", index)).labels

        def in_patches(numbers: list[int], labels: Any = labels) -> Any:
            return np.isin(labels, numbers).reshape(14, SIDE // 14, 14, SIDE // 14).mean(axis=(1, 3)).ravel()

        truths = image_truth(sentences, (14, 14), scene)
        for truth, caption in zip(truths, record["captions"], strict=True):
            assert truth.sentence == caption["text"]
            named = [mention["objects"] for mention in caption["mentions"]]
            for region, objects in zip(truth.regions, named, strict=True):
                np.testing.assert_allclose(region.overlap, in_patches(objects), atol=1e-12)
                middle = np.isin(labels, objects)[7 : SIDE : SIDE // 14, 7 : SIDE : SIDE // 14].ravel()
                assert region.hits[middle].all()  # the pixel before the centre; three others touch it too
            mentioned = [number for objects in named for number in objects]
            others = sorted(set(range(len(record["objects"]))) - set(mentioned))
            expected = [in_patches(mentioned), in_patches(others), in_patches([-1])]
            np.testing.assert_allclose(truth.areas, expected, atol=1e-12)


def test_photographs_have_no_scenes(folder: Path) -> None:
    assert read_scenes(folder, "dev", []) is None


def lose_mask(record: dict[str, Any]) -> None:
    del record["objects"][0]["mask"]


def shorten_mask(record: dict[str, Any]) -> None:
    record["objects"][0]["mask"]["counts"] = [3]


def enlarge_mask(record: dict[str, Any]) -> None:
    record["objects"][0]["mask"] = {"size": [10**9, 10**9], "counts": [10**18]}


def turn_mask_back(record: dict[str, Any]) -> None:
    record["objects"][0]["mask"] = {"size": [2, 2], "counts": [-1, 5]}


def shrink_mask(record: dict[str, Any]) -> None:
    mask = decode_mask(record["objects"][0]["mask"])
    record["objects"] = [{"mask": encode_mask(mask)}, {"mask": encode_mask(mask[:9])}]


def forget_mentions(record: dict[str, Any]) -> None:
    record["captions"][0]["mentions"] = []


def name_nobody(record: dict[str, Any]) -> None:
    record["captions"][0]["mentions"][0]["objects"] = [99]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lose_mask, "line 2: 'mask' is missing"),
        (shorten_mask, "line 2: The runs cover 3 pixels"),
        (enlarge_mask, "line 2: A side of the mask is 1000000000, but it must be at most 4096"),
        (turn_mask_back, "line 2: The runs cover -1 pixels, but at least 0 are needed"),
        (shrink_mask, "line 2: its masks are of several sizes"),
        (forget_mentions, r"line 2: phrase '.*' of '.*' names objects \[\]"),
        (name_nobody, r"line 2: phrase '.*' of '.*' names objects \[99\]"),
    ],
)
def test_scenes_that_do_not_fit(
    folder: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    lines = (folder / "test_scenes.jsonl").read_text().splitlines()
    record = json.loads(lines[1])
    change(record)
    lines[1] = json.dumps(record)
    (tmp_path / "test_scenes.jsonl").write_text("\n".join(lines))
    with pytest.raises(DataError, match=message):
        read_scenes(tmp_path, "test", read_entities(folder, "test"))
    lines[1] = "[" * 100_000
    (tmp_path / "test_scenes.jsonl").write_text("\n".join(lines))
    with pytest.raises(DataError, match=r"line 2 cannot be read as JSON \(it is nested more than 100 levels deep\)"):
        read_scenes(tmp_path, "test", read_entities(folder, "test"))
    (tmp_path / "test_scenes.jsonl").write_text("[]")
    with pytest.raises(DataError, match="has 1 scenes, but"):
        read_scenes(tmp_path, "test", read_entities(folder, "test"))

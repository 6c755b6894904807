import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seps.data import DataError, PhraseBoxes, SentencePhrases, read_entities
from seps.data.entities import Box
from seps.data.objects import (
    SceneObjects,
    central_patches,
    centres_inside,
    image_truth,
    mask_centres,
    mask_overlap,
    patch_overlap,
    read_scenes,
)
from seps.scenes import SIDE, decode_mask, draw, encode_mask, make_scene, write_split

SEED, COUNT = 2, 2
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
    assert read_scenes(folder, "dev", []) is None
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


def masked(mask: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    return lambda record: record["objects"][0].update(mask=mask)


def shrink_mask(record: dict[str, Any]) -> None:
    mask = decode_mask(record["objects"][0]["mask"])
    record["objects"] = [{"mask": encode_mask(mask)}, {"mask": encode_mask(mask[:9])}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record["objects"][0].pop("mask"), "line 2: 'mask' is missing"),
        (masked({"size": [10**9] * 2, "counts": [10**18]}), "A side of the mask is 1000000000, but it must be at most"),
        (masked({"size": [2, 2], "counts": [-1, 5]}), "line 2: The runs cover -1 pixels, but at least 0 are needed"),
        (shrink_mask, "line 2: its masks are of several sizes"),
        (lambda record: record["captions"][0].update(mentions=[]), r"line 2: phrase '.*' of '.*' names objects \[\]"),
    ],
)
def test_scenes_that_do_not_fit(
    folder: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    lines = (folder / "test_scenes.jsonl").read_text().splitlines()
    record = json.loads(lines[1])
    change(record)
    for content, expected in (
        ([lines[0], json.dumps(record), *lines[2:]], message),
        ([lines[0], "[]", *lines[2:]], r"line 2 holds a JSON list"),
        (["[]"], "has 1 scenes, but"),
    ):
        (tmp_path / "test_scenes.jsonl").write_text("\n".join(content))
        with pytest.raises(DataError, match=expected):
            read_scenes(tmp_path, "test", read_entities(folder, "test"))


sides = st.lists(st.floats(0, 1, width=32), min_size=2, max_size=2, unique=True).map(sorted)
boxes = st.builds(lambda across, down: (across[0], down[0], across[1], down[1]), sides, sides)


def test_overlap_by_hand() -> None:
    # Two rows, four columns: from the middle of the second column to the right edge, over the upper quarter.
    overlap = patch_overlap([(0.375, 0.0, 1.0, 0.25)], (2, 4))
    assert overlap.tolist() == [[0, 0.25, 0.5, 0.5], [0, 0, 0, 0]]
    assert patch_overlap([(0.0, 0.0, 1.0, 1.0)], (3, 7)).min() == pytest.approx(1)
    overlap = patch_overlap([(0.0, 0.0, 0.5, 0.5), (0.25, 0.25, 0.75, 0.75), (0.0, 0.0, 0.5, 0.5)], (2, 2))
    assert overlap.tolist() == [[1, 0.25], [0.25, 0.25]]  # what several boxes cover counts once


def test_centres_by_hand() -> None:
    # Centres at 1/8, 3/8, 5/8, 7/8 across and 1/4, 3/4 down; one on an edge is inside.
    assert centres_inside([(0.375, 0.0, 1.0, 0.25)], (2, 4)).tolist() == [[False, True, True, True], [False] * 4]
    two = centres_inside([(0.0, 0.7, 0.2, 1.0), (0.8, 0.0, 1.0, 0.3)], (2, 4))
    assert two.tolist() == [[False, False, False, True], [True, False, False, False]]


@given(st.lists(boxes, min_size=1, max_size=4), *[st.integers(1, 6)] * 2, *[st.integers(1, 9)] * 2)
def test_boxes_of_whole_pixels_are_their_mask(drawn: list[Box], h: int, w: int, height: int, width: int) -> None:
    mask, whole = np.zeros((height, width), dtype=bool), []
    for left, top, right, bottom in drawn:
        x0, y0 = int(left * width), int(top * height)
        x1, y1 = max(x0 + 1, int(right * width)), max(y0 + 1, int(bottom * height))
        mask[y0:y1, x0:x1] = True
        whole.append((x0 / width, y0 / height, min(1.0, x1 / width), min(1.0, y1 / height)))
    np.testing.assert_allclose(mask_overlap(mask, (h, w)), patch_overlap(whole, (h, w)), atol=1e-12)
    # Equal except for centres on a box's edge in whole numbers that are outside it after rounding.
    wider = [(x0 - 1e-9, y0 - 1e-9, x1 + 1e-9, y1 + 1e-9) for x0, y0, x1, y1 in whole]
    assert np.array_equal(mask_centres(mask, (h, w)), centres_inside(wider, (h, w)))


def test_central_patches() -> None:
    for grid, central in (((3, 5), [[1, 2]]), ((4, 4), [[1, 1], [1, 2], [2, 1], [2, 2]])):
        assert np.argwhere(central_patches(grid)).tolist() == central

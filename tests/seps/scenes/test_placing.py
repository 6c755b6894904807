import hashlib
import json
from collections import Counter
from dataclasses import asdict

import pytest

from seps.scenes import (
    KINDS,
    NAMED,
    PLACES,
    SIDE,
    SPLITS,
    Scene,
    as_json,
    dense_caption,
    from_json,
    holds,
    is_held_out,
    make_scene,
    relations,
    sparse_captions,
    split_of,
)

COUNT = 150
PINNED = {  # sha256 of the graphs and captions of 20 scenes
    "train": "4224fcd2e2916f72485d9be0d0ff650122abb4bc94faae824d7bd9c5ca56841c",
    "dev": "5825ffc8cb884d80724531ce659f72b0a56776203e8f73418643060fddad9391",
    "test": "7019fcd4ad2ca0198b61f4cff552977ccf6fdc8bce8af7af72efbbf196255444",
}


@pytest.fixture(scope="module")
def scenes() -> dict[str, list[Scene]]:
    return {split: [make_scene(5, split, index) for index in range(COUNT)] for split in SPLITS}


@pytest.mark.parametrize("split", SPLITS)
def test_scenes_and_captions_are_pinned(split: str) -> None:
    digest = hashlib.sha256()
    for index in range(20):
        scene = make_scene(2, split, index)
        captions = [asdict(caption) for caption in (*sparse_captions(scene), dense_caption(scene))]
        digest.update(json.dumps([as_json(scene), captions]).encode())
    assert digest.hexdigest() == PINNED[split]


def test_splits_share_no_scene_whatever_the_seed(scenes: dict[str, list[Scene]]) -> None:
    for split, made in scenes.items():
        assert {split_of(scene) for scene in made} == {split}
        assert {split_of(make_scene(seed, split, 3)) for seed in range(8)} == {split}


def test_held_out_combinations_are_in_test_scenes_alone(scenes: dict[str, list[Scene]]) -> None:
    held = {
        split: [any(is_held_out(thing.kind, thing.colour) for thing in s.objects) for s in scenes[split]]
        for split in SPLITS
    }
    assert not any(held["train"] + held["dev"])
    assert held["test"] == [scene.unseen for scene in scenes["test"]] == [False, True] * (COUNT // 2)


def test_the_world_is_rich(scenes: dict[str, list[Scene]]) -> None:
    everything = [scene for made in scenes.values() for scene in made]
    things = [thing for scene in everything for thing in scene.objects]
    assert {scene.background for scene in everything} == set(PLACES)
    assert {thing.kind for thing in things} == set(KINDS)
    assert {thing.size for thing in things} == {"small", "medium", "large"}
    assert {thing.colour for thing in things} == {*NAMED, None}
    assert {len(scene.objects) for scene in everything} == {1, 2, 3, 4, 5}
    common = Counter(name for scene in everything for name, _, _ in relations(scene))
    names = ("left of", "right of", "above", "below", "next to", "in front of", "behind", "on", "under")
    assert all(common[name] >= COUNT // 8 for name in names), common


def test_objects_stand_where_they_belong_and_relations_are_those_of_the_boxes(scenes: dict[str, list[Scene]]) -> None:
    for scene in (scene for made in scenes.values() for scene in made):
        assert all(holds(scene, statement) for statement in relations(scene)), scene
        for number, thing in enumerate(scene.objects):
            x0, y0, x1, y1 = thing.box
            assert 0 <= x0 < x1 <= SIDE and 0 <= y0 < y1 <= SIDE
            assert min(x1 - x0, y1 - y0) >= 14
            if thing.on is None:
                assert holds(scene, ("zone", number, thing.zone)), (scene, number)
                if thing.under is None:
                    assert scene.background in KINDS[thing.kind].places
            else:
                assert holds(scene, ("on", number, thing.on)), (scene, number)
            if thing.under is not None:
                assert holds(scene, ("under", number, thing.under)), (scene, number)


def test_a_scene_is_read_back_from_json(scenes: dict[str, list[Scene]]) -> None:
    for scene in scenes["train"][:50]:
        assert from_json(json.loads(json.dumps(as_json(scene)))) == scene
    with pytest.raises(ValueError, match="The scene lacks 'seed'"):
        from_json({"objects": []})


def test_what_cannot_be_made_is_refused() -> None:
    for seed, split, index, message in (
        (-1, "train", 0, "Seed and index are -1 and 0"),
        (0, "train", -1, "Seed and index are 0 and -1"),
        (0, "val", 0, "The split is 'val'"),
    ):
        with pytest.raises(ValueError, match=message):
            make_scene(seed, split, index)

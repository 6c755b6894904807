import re
from typing import Any

import pytest

from seps.scenes import SIDE, Object, Scene, as_json, draw, from_json, make_scene
from seps.scenes.edit import edited, moved, recolour_object, removed

OBJECTS = (
    Object("table", "brown", "medium", (40, 140, 165, 206), "ground", 2),
    Object("cup", "red", "medium", (80, 112, 123, 144), "support", 4, on=0),
    Object("dog", "black", "small", (60, 176, 105, 204), "ground", 6, under=0),
    Object("ball", "blue", "small", (180, 180, 205, 205), "ground", 8),
)
CUP_ON_TABLE = Scene(0, "test", 0, "room", (), 1, OBJECTS)


def boxes(scene: Scene) -> list[tuple[int, int, int, int]]:
    return [thing.box for thing in scene.objects]


def test_a_moved_object_takes_along_what_stands_on_it_and_nothing_else() -> None:
    scene = moved(CUP_ON_TABLE, 0, 10, -5)
    assert boxes(scene) == [(50, 135, 175, 201), (90, 107, 133, 139), *boxes(CUP_ON_TABLE)[2:]]
    assert scene.objects[1].on == 0
    alone = moved(CUP_ON_TABLE, 3, -7, 3)
    assert boxes(alone) == [*boxes(CUP_ON_TABLE)[:3], (173, 183, 198, 208)]
    assert moved(alone, 3, 7, -3) == CUP_ON_TABLE


def test_what_is_moved_away_no_longer_stands_on_or_under_it() -> None:
    cup = moved(CUP_ON_TABLE, 1, 0, -60).objects[1]
    assert (cup.on, cup.zone, cup.box) == (None, "ground", (80, 52, 123, 84))
    assert moved(CUP_ON_TABLE, 2, 110, 0).objects[2].under is None
    assert moved(CUP_ON_TABLE, 1, 4, 0).objects[1].on == 0


@pytest.mark.parametrize(("dx", "dy"), [(-999, -999), (10**9, -(10**9))])
def test_nothing_leaves_the_picture(dx: int, dy: int) -> None:
    for number in range(4):
        for x0, y0, x1, y1 in boxes(moved(CUP_ON_TABLE, number, dx, dy)):
            assert 0 <= x0 < x1 <= SIDE
            assert 0 <= y0 < y1 <= SIDE


def test_a_removed_object_is_gone_and_what_stood_on_it_comes_down() -> None:
    scene = removed(CUP_ON_TABLE, 0)
    assert [thing.kind for thing in scene.objects] == ["cup", "dog", "ball"]
    cup, dog, ball = scene.objects
    assert (cup.on, cup.zone, cup.box) == (None, "ground", (80, 174, 123, 206))
    assert (dog.under, dog.box) == (None, CUP_ON_TABLE.objects[2].box)
    assert ball == CUP_ON_TABLE.objects[3]
    assert removed(CUP_ON_TABLE, 3).objects == CUP_ON_TABLE.objects[:3]
    assert (draw(removed(Scene(0, "test", 0, "room", (), 1, OBJECTS[:1]), 0)).labels == -1).all()


def test_a_colour_changes_the_object_alone() -> None:
    scene = recolour_object(CUP_ON_TABLE, 3, "red")
    assert [thing.colour for thing in scene.objects] == ["brown", "red", "black", "red"]
    with pytest.raises(ValueError, match="A ball cannot be 'white'"):
        recolour_object(CUP_ON_TABLE, 3, "white")


def test_changes_as_the_page_writes_them() -> None:
    assert edited(CUP_ON_TABLE, {"do": "move", "object": 3, "dx": 1, "dy": 2}) == moved(CUP_ON_TABLE, 3, 1, 2)
    assert edited(CUP_ON_TABLE, {"do": "remove", "object": 1}) == removed(CUP_ON_TABLE, 1)
    assert edited(CUP_ON_TABLE, {"do": "recolour", "object": 1, "colour": "blue"}).objects[1].colour == "blue"
    assert edited(CUP_ON_TABLE, {"do": "redraw", "seed": 5}) == make_scene(5, "test", 0)
    assert from_json(as_json(removed(CUP_ON_TABLE, 0))) == removed(CUP_ON_TABLE, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "There is no change None"),
        ({"do": "remove", "object": 4}, "There is no object 4"),
        ({"do": "remove", "object": "1"}, "object is '1', but a whole number is needed"),
        ({"do": "move", "object": 0, "dx": 0.5, "dy": 0}, "dx is 0.5, but a whole number is needed"),
        ({"do": "redraw", "seed": -1}, "Seed and index are -1 and 0"),
        ({"do": "recolour", "object": 0}, "A table cannot be 'None'"),
    ],
    ids=str,
)
def test_a_change_that_cannot_be_made_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        edited(CUP_ON_TABLE, change)


def test_every_change_of_a_real_scene_can_be_drawn() -> None:
    scene = make_scene(0, "test", 171)
    for number in range(len(scene.objects)):
        for changed in (removed(scene, number), moved(scene, number, 9, -30)):
            picture = draw(changed)
            assert picture.labels.max(initial=-1) < len(changed.objects)
            for thing in changed.objects:
                assert thing.on is None or changed.objects[thing.on].kind in ("table", "bench", "chair", "sofa", "bed")

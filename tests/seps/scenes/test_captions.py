from dataclasses import replace
from typing import Any

import pytest

from seps.scenes import Caption, Object, Scene, dense_caption, holds, make_scene, sparse_captions, true_of
from seps.scenes.graph import SPLITS
from tests.helpers.examples import number_of_examples

Captioned = list[tuple[Scene, list[Caption], Caption]]
SEEDS = number_of_examples(1000)

pytestmark = pytest.mark.properties


@pytest.fixture(scope="module")
def captioned() -> Captioned:
    scenes = [make_scene(seed, SPLITS[seed % 3], seed // 3) for seed in range(SEEDS)]
    return [(scene, sparse_captions(scene), dense_caption(scene)) for scene in scenes]


def test_every_statement_of_every_caption_is_true(captioned: Captioned) -> None:
    checked = 0
    for scene, sparse, dense in captioned:
        for statement in (statement for caption in (*sparse, dense) for statement in caption.statements):
            assert holds(scene, statement), (scene, statement)
            checked += 1
    assert checked > 40 * SEEDS


def test_five_captions_name_two_things_if_there_are_and_the_dense_one_everything(captioned: Captioned) -> None:
    for scene, sparse, dense in captioned:
        assert len({caption.text.lower() for caption in sparse}) == 5
        assert all(5 <= len(caption.text.split()) <= 15 for caption in sparse)
        assert 60 <= len(dense.text.split()) <= 180
        named = {number for mention in dense.mentions for number in mention.objects}
        assert named == set(range(len(scene.objects)))
        if len({(thing.kind, thing.colour) for thing in scene.objects}) > 1:
            assert all(len(caption.mentions) >= 2 for caption in sparse)


def scene_of(*objects: Object, background: str = "room", features: tuple[str, ...] = ("rug",)) -> Scene:
    return Scene(0, "train", 0, background, features, 0, objects)


def thing(kind: str, box: tuple[int, int, int, int], colour: str | None = None, **more: Any) -> Object:
    return Object(kind, colour, more.pop("size", "medium"), box, more.pop("zone", "ground"), 0, **more)


BALL, OTHER_BALL = thing("ball", (20, 160, 56, 196), "red"), thing("ball", (70, 160, 106, 196), "red")
TABLE = thing("table", (90, 134, 215, 200), "brown")
CUP = thing("cup", (120, 106, 163, 138), "blue", zone="support", on=0)
MOUSE = thing("mouse", (130, 175, 172, 197), None, size="small", under=0)


BALLS, BALL_AND_TABLE, ON_TABLE = scene_of(BALL, OTHER_BALL), scene_of(BALL, TABLE), scene_of(TABLE, CUP)
UNDER_TABLE, ALONE = scene_of(TABLE, MOUSE), scene_of(BALL)
DOG_IN_FRONT = scene_of(BALL, thing("dog", (40, 165, 107, 213), "brown"))
KITE = scene_of(thing("kite", (20, 20, 57, 86), "red", zone="sky"), BALL, background="park", features=())


@pytest.mark.parametrize(
    ("scene", "true", "false"),
    [
        (BALLS, ("left of", 0, 1), ("left of", 1, 0)),
        (BALLS, ("right of", 1, 0), ("right of", 0, 1)),
        (BALLS, ("next to", 0, 1), ("above", 0, 1)),
        (BALLS, ("count", 2, "ball", "red", None), ("count", 1, "ball", None, None)),
        (BALLS, ("at", 0, "left"), ("at", 0, "right")),
        (BALL_AND_TABLE, ("largest", 1), ("largest", 0)),
        (ON_TABLE, ("on", 1, 0), ("on", 0, 1)),
        (UNDER_TABLE, ("under", 1, 0), ("on", 1, 0)),
        (UNDER_TABLE, ("size", 1, "small"), ("size", 0, "large")),
        (UNDER_TABLE, ("category", "animals", 1), ("category", "people", 1)),
        (ALONE, ("colour", 0, "red"), ("colour", 0, "blue")),
        (ALONE, ("called", 0, "ball"), ("called", 0, "dog")),
        (ALONE, ("zone", 0, "ground"), ("zone", 0, "wall")),
        (ALONE, ("pose", 0, "lie"), ("pose", 0, "fly")),
        (ALONE, ("background", "room"), ("background", "sea")),
        (ALONE, ("feature", "rug"), ("feature", "window")),
        (DOG_IN_FRONT, ("in front of", 1, 0), ("behind", 1, 0)),
        (KITE, ("above", 0, 1), ("below", 0, 1)),
    ],
)
def test_statements_are_measured(scene: Scene, true: tuple[object, ...], false: tuple[object, ...]) -> None:
    assert holds(scene, true) and not holds(scene, false)


def test_an_unknown_statement_is_refused() -> None:
    with pytest.raises(ValueError, match="Statement 'louder than' is not known"):
        holds(scene_of(BALL), ("louder than", 0, 1))


def test_captions_are_true_of_their_scene_under_any_numbering_and_false_once_it_changes(captioned: Captioned) -> None:
    changed = 0
    for scene, sparse, _ in captioned[:150]:
        for caption in sparse:
            assert true_of(scene, caption.statements)
            assert not true_of(replace(scene, objects=scene.objects[:0]), caption.statements)
            coloured = {statement[1] for statement in caption.statements if statement[0] == "colour"}
            if coloured:
                grey = replace(scene, objects=tuple(replace(thing, colour=None) for thing in scene.objects))
                assert not true_of(grey, caption.statements)
                changed += 1
    assert changed > 100

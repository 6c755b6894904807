from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from seps.scenes import KINDS, Caption, Object, Scene, dense_caption, holds, make_scene, sparse_captions, true_of
from seps.scenes.graph import SPLITS
from tests.helpers.examples import number_of_examples

Captioned = list[tuple[Scene, list[Caption], Caption]]
SEEDS = number_of_examples(1000)

pytestmark = pytest.mark.properties


@pytest.fixture(scope="module")
def captioned() -> Captioned:
    scenes = [make_scene(seed, SPLITS[seed % 3], seed // 3) for seed in range(SEEDS)]
    return [(scene, sparse_captions(scene), dense_caption(scene)) for scene in scenes]


def all_captions(captioned: Captioned) -> Iterator[tuple[Scene, Caption]]:
    for scene, sparse, dense in captioned:
        for caption in (*sparse, dense):
            yield scene, caption


def test_every_statement_of_every_caption_is_true(captioned: Captioned) -> None:
    checked = 0
    for scene, caption in all_captions(captioned):
        for statement in caption.statements:
            assert holds(scene, statement), (scene, caption.text, statement)
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


COLOURS = {name: name for name in ("red", "orange", "yellow", "green", "blue", "pink", "brown", "black", "white")}
COLOURS |= {"purple": "purple", "violet": "purple", "grey": "grey", "gray": "grey"}
SIZES = {"small": "small", "little": "small", "tiny": "small", "large": "large", "big": "large", "huge": "large"}
COUNTS = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def test_phrases_stand_in_their_captions_and_say_what_their_objects_are(captioned: Captioned) -> None:
    """Reads the words themselves, without the statements."""
    for scene, caption in all_captions(captioned):
        words = [word.rstrip(".,") for word in caption.text.split()]
        for mention in caption.mentions:
            phrase = mention.phrase.split()
            assert words[mention.first_word : mention.first_word + len(phrase)] == phrase
            things = [scene.objects[i] for i in mention.objects]
            lowered = [word.lower() for word in phrase]
            name = phrase_without_noun(things[0], lowered)
            for word in name:
                if word in COLOURS:
                    assert {thing.colour for thing in things} == {COLOURS[word]}, mention
                if word in SIZES:
                    assert {thing.size for thing in things} == {SIZES[word]}, mention
            count = next((COUNTS[word] for word in lowered[:2] if word in COUNTS), 1)
            assert count == len(things), mention


def phrase_without_noun(thing: Object, words: list[str]) -> list[str]:
    """Words of a phrase but its noun, for "an orange" may be fruit as well as colour."""
    nouns = {word for noun in KINDS[thing.kind].words for word in noun.lower().split()}
    return [word for word in words if word not in nouns]


def test_a_phrase_fits_no_other_object(captioned: Captioned) -> None:
    """All objects that the phrase's noun, colour and size fit are the ones that it names."""
    for scene, caption in all_captions(captioned):
        by_object: dict[int, set[str]] = {}
        for name, *rest in caption.statements:
            if name == "called":
                number, word = rest
                assert isinstance(number, int)
                by_object.setdefault(number, set()).add(str(word))
        for mention in caption.mentions:
            assert all(i in by_object for i in mention.objects)
            kinds = {(scene.objects[i].kind, scene.objects[i].colour) for i in mention.objects}
            assert len(kinds) == 1
            same = {i for i, thing in enumerate(scene.objects) if (thing.kind, thing.colour) in kinds}
            assert same == set(mention.objects)


def scene_of(*objects: Object, background: str = "room", features: tuple[str, ...] = ("rug",)) -> Scene:
    return Scene(0, "train", 0, background, features, 0, objects)


def thing(kind: str, box: tuple[int, int, int, int], colour: str | None = None, **more: Any) -> Object:
    return Object(kind, colour, more.pop("size", "medium"), box, more.pop("zone", "ground"), 0, **more)


BALL, OTHER_BALL = thing("ball", (20, 160, 56, 196), "red"), thing("ball", (70, 160, 106, 196), "red")
TABLE = thing("table", (90, 134, 215, 200), "brown")
CUP = thing("cup", (120, 106, 163, 138), "blue", zone="support", on=0)
MOUSE = thing("mouse", (130, 175, 172, 197), None, size="small", under=0)


@pytest.mark.parametrize(
    ("scene", "true", "false"),
    [
        (scene_of(BALL, OTHER_BALL), ("left of", 0, 1), ("left of", 1, 0)),
        (scene_of(BALL, OTHER_BALL), ("right of", 1, 0), ("right of", 0, 1)),
        (scene_of(BALL, OTHER_BALL), ("next to", 0, 1), ("above", 0, 1)),
        (scene_of(BALL, OTHER_BALL), ("count", 2, "ball", "red", None), ("count", 1, "ball", None, None)),
        (scene_of(BALL, OTHER_BALL), ("at", 0, "left"), ("at", 0, "right")),
        (scene_of(BALL, TABLE), ("largest", 1), ("largest", 0)),
        (scene_of(TABLE, CUP), ("on", 1, 0), ("on", 0, 1)),
        (scene_of(TABLE, MOUSE), ("under", 1, 0), ("on", 1, 0)),
        (scene_of(TABLE, MOUSE), ("size", 1, "small"), ("size", 0, "large")),
        (scene_of(TABLE, MOUSE), ("category", "animals", 1), ("category", "people", 1)),
        (scene_of(BALL), ("colour", 0, "red"), ("colour", 0, "blue")),
        (scene_of(BALL), ("called", 0, "ball"), ("called", 0, "dog")),
        (scene_of(BALL), ("zone", 0, "ground"), ("zone", 0, "wall")),
        (scene_of(BALL), ("pose", 0, "lie"), ("pose", 0, "fly")),
        (scene_of(BALL), ("background", "room"), ("background", "sea")),
        (scene_of(BALL), ("feature", "rug"), ("feature", "window")),
        (scene_of(BALL, thing("dog", (40, 165, 107, 213), "brown")), ("in front of", 1, 0), ("behind", 1, 0)),
        (
            scene_of(thing("kite", (20, 20, 57, 86), "red", zone="sky"), BALL, background="park", features=()),
            ("above", 0, 1),
            ("below", 0, 1),
        ),
    ],
)
def test_statements_are_measured(scene: Scene, true: tuple[object, ...], false: tuple[object, ...]) -> None:
    assert holds(scene, true)
    assert not holds(scene, false)


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

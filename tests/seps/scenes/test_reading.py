import pytest
from hypothesis import given
from hypothesis import strategies as st

from seps.scenes.captions.reading import count_true, count_whole_words, read_caption
from seps.scenes.captions.sentences import sparse_captions
from seps.scenes.captions.truth import about
from seps.scenes.graph import Object, Scene
from seps.scenes.placing import make_scene

DOG = Object("dog", "brown", "medium", (20, 150, 86, 198), "ground", 0)
CAR = Object("car", "red", "medium", (110, 160, 219, 202), "ground", 0)
PARK = Scene(0, "train", 0, "park", ("sun",), 0, (DOG, CAR))


@pytest.mark.properties
@given(st.integers(0, 10_000), st.sampled_from(["train", "dev", "test"]))
def test_every_caption_of_a_scene_is_read_as_it_was_meant(index: int, split: str) -> None:
    scene = make_scene(5, split, index)
    for caption in sparse_captions(scene):
        reading = read_caption(caption.text)
        assert reading.unread == ()
        assert count_whole_words(reading) == len(reading.words)
        assert len(reading.named) == len(caption.mentions)
        meant = {
            i: j
            for named, mention in zip(reading.named, caption.mentions, strict=True)
            for i, j in zip(named.objects, mention.objects, strict=True)
        }
        read = set()
        for statement in reading.statements:
            numbers = about(statement)
            read.add((statement[0], *(meant[i] for i in numbers), *statement[1 + len(numbers) :]))
        assert set(caption.statements) <= read
        assert {name for name, *_ in read - set(caption.statements)} <= {"background"}  # which a zone implies
        true, whole = count_true(scene, reading)
        assert true == whole


@pytest.mark.parametrize(
    ("begun", "whole"),
    [
        ("a big white rabbit sits on the", "a big white rabbit sits"),
        ("a snowman with a violet scarf and a snowman with a", "a snowman with a violet scarf and a snowman"),
        ("two cars stand in the park while there are", "two cars stand in the park"),
        ("the of", ""),
    ],
)
def test_a_phrase_that_was_begun_is_left_out(begun: str, whole: str) -> None:
    reading = read_caption(begun)
    assert " ".join(reading.words[: count_whole_words(reading)]) == whole


def test_phrases_know_their_words() -> None:
    reading = read_caption("Two tiny red cars stand next to a person in an orange shirt in the park")
    assert [named.word for named in reading.named] == ["car", "person"]
    assert [named.colour for named in reading.named] == ["red", "orange"]
    assert [reading.words[named.first : named.after] for named in reading.named] == [
        ("two", "tiny", "red", "cars"),
        ("a", "person", "in", "an", "orange", "shirt"),
    ]
    assert ("count", 2, "car", "red", "small") in reading.statements
    assert ("next to", 1, 2) in reading.statements
    places = dict(zip(reading.statements, reading.places, strict=True))
    assert places["background", "park"] == (13, 16)


@pytest.mark.parametrize(
    ("text", "true", "whole"),
    [
        ("a brown dog to the left of a red car in a park", 6, 6),
        ("a brown dog to the right of a red car in a park", 5, 6),
        ("a brown dog and a cat", 2, 3),
        ("two brown dogs at night", 2, 6),  # one dog and its colour
        ("a brown dog on the sand", 3, 4),  # on the ground, but of a beach
        ("a brown dog sings loudly in a park", 3, 4),
        ("", 0, 0),
    ],
)
def test_statements_are_held_against_the_scene(text: str, true: int, whole: int) -> None:
    assert count_true(PARK, read_caption(text)) == (true, whole)


def test_a_caption_of_very_many_objects_is_judged_soon() -> None:
    text = " and ".join(["a cat"] * 30 + ["a brown dog"])
    assert count_true(PARK, read_caption(text)) == (0, 32)  # the dog comes after all that could be the scene's

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seps.scenes.captions.agreement import Verdict, agreement
from seps.scenes.captions.reading import read_caption
from seps.scenes.captions.sentences import sparse_captions
from seps.scenes.placing import make_scene


def named_verdicts(asked: str, *back: str) -> dict[str, list[Verdict]]:
    """The verdicts of a caption's statements, by the statements' names."""
    reading = read_caption(asked)
    assert not reading.unread
    verdicts_of: dict[str, list[Verdict]] = {}
    verdicts = agreement(reading, [read_caption(text) for text in back])
    for statement, verdict in zip(reading.statements, verdicts, strict=True):
        verdicts_of.setdefault(statement[0], []).append(verdict)
    return verdicts_of


@pytest.mark.properties
@given(st.integers(0, 10_000))
def test_captions_of_one_scene_agree(index: int) -> None:
    scene = make_scene(5, "train", index)
    captions = [read_caption(caption.text) for caption in sparse_captions(scene)]
    for caption in captions:
        assert set(agreement(caption, [caption])) == {True}
        assert set(agreement(caption, [])) == {None}
    assume(len({thing.kind for thing in scene.objects}) == len(scene.objects))  # else one dog may be taken for another
    for caption in captions:
        assert False not in agreement(caption, captions)


@pytest.mark.parametrize(
    ("asked", "back", "name", "verdicts"),
    [
        ("a red car in the park", "a red car on the beach", "background", [False]),
        ("a red car", "a blue car", "colour", [False]),
        ("a red car", "a car", "colour", [None]),
        ("a red car", "a blue car next to a red car", "colour", [True]),
        ("a small dog", "a huge dog", "size", [False]),
        ("a dog to the left of a car", "a car to the right of a dog", "left of", [True]),
        ("a dog to the left of a car", "a dog to the right of a car", "left of", [False]),
        ("a dog next to a car", "a car beside a dog", "next to", [True]),
        ("two dogs in the park", "two dogs", "count", [True]),
        ("two dogs in the park", "a dog in the park", "count", [False]),
        ("a child", "a person", "called", [True]),
        ("a dog on the left", "a dog on the right", "at", [False]),
        ("a dog stands in the park", "a dog is waiting in the park", "pose", [None]),
    ],
)
def test_each_kind_of_statement(asked: str, back: str, name: str, verdicts: list[Verdict]) -> None:
    assert named_verdicts(asked, back)[name] == verdicts

"""What came true of a drawn caption, in words."""

from __future__ import annotations

from demo.explain.drawn import summary, told_statements
from seps.scenes.agreement import agreement
from seps.scenes.reading import read_caption


def test_each_statement_is_told_once_in_words() -> None:
    asked = read_caption("two small dogs stand left of a red car under the sun in the park")
    back = [read_caption("a small dog to the left of a blue car in the park"), read_caption("there are three dogs")]
    told = told_statements(asked, agreement(asked, back))
    assert [(one.says, one.verdict) for one in told] == [
        ("there is: dog", "true"),
        ("the dog is small", "untold"),
        ("two dogs", "untrue"),
        ("the dog: stand", "untold"),
        ("there is: car", "true"),
        ("the car is red", "untrue"),
        ("the dog is left of the car", "untold"),
        ("under the sun", "untold"),
        ("in the park", "true"),
    ]
    assert [asked.words[one.first : one.after] for one in told[3:5]] == [("stand",), ("a", "red", "car")]
    assert summary(told) == (
        "Of 9 statements of the caption, 3 came true and 2 did not; of 4 the captions of the picture tell nothing."
    )


def test_what_the_caption_says_itself_came_true() -> None:
    asked = read_caption("A small bird in the sky over a lake")
    told = told_statements(asked, agreement(asked, [asked]))
    assert {one.verdict for one in told} == {"true"}

"""What is read of a drawn caption, and what is true of a scene, in words."""

from __future__ import annotations

import re

from demo.galleries.scenes import scenes_gallery
from demo.record.table import TABLE
from demo.views.generate.statements import statement_verdicts, summary, true_statements, truth_summary
from seps.scenes.agreement import agreement
from seps.scenes.reading import read_caption


def test_each_statement_is_told_once_in_words() -> None:
    asked = read_caption("two small dogs stand left of a red car under the sun in the park")
    back = [read_caption("a small dog to the left of a blue car in the park"), read_caption("there are three dogs")]
    statements = statement_verdicts(asked, agreement(asked, back))
    assert [(statement.says, statement.verdict) for statement in statements] == [
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
    assert [asked.words[statement.first : statement.after] for statement in statements[3:5]] == [
        ("stand",),
        ("a", "red", "car"),
    ]
    assert summary(statements) == "Of your caption's 9 statements: 3 read in it, 2 read otherwise, 4 not mentioned."


def test_a_drawing_is_read_and_a_scene_alone_has_a_truth() -> None:
    of_a_drawing = [
        TABLE["statement"]["summary"],
        *TABLE["generate"].values(),
        *(TABLE["reads"][name] for name in ("title", "true", "untrue", "untold")),
    ]
    assert not [
        sentence for sentence in of_a_drawing if re.search(r"\b(un)?tru(e|th)\b", re.sub("{.*?}", "", sentence))
    ]
    assert TABLE["truth"]["untrue"] == "not true of the scene"


def test_of_a_scene_the_truth_is_told() -> None:
    known = scenes_gallery().items[0].known  # a large red helicopter and a small dolphin
    assert known is not None
    statements = true_statements(known.scene, "a blue helicopter and a small dolphin")
    assert [(statement.says, statement.verdict) for statement in statements] == [
        ("there is: helicopter", "true"),
        ("the helicopter is blue", "untrue"),
        ("there is: dolphin", "true"),
        ("the dolphin is small", "true"),
    ]
    assert truth_summary(statements) == "True of the scene, whose objects are known: 3 of this caption's 4 statements."


def test_what_the_caption_says_itself_is_read_back() -> None:
    asked = read_caption("A small bird in the sky over a lake")
    statements = statement_verdicts(asked, agreement(asked, [asked]))
    assert {statement.verdict for statement in statements} == {"true"}

"""What is read of a caption in its picture, or true of its scene, statement by statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demo.explain.table import say
from seps.scenes.agreement import INVERSE, Verdict, nouns
from seps.scenes.graph import Scene
from seps.scenes.reading import Reading, Statement, judge_statements, read_caption
from seps.scenes.truth import about
from seps.scenes.wording import NUMBERS, plural

TOLD = {True: "true", False: "untrue", None: "untold"}


@dataclass(frozen=True)
class ToldStatement:
    """A statement of the caption.

    Attributes:
        says: in words; verdict: "true", "untrue" or "untold": by captions of the picture, or of a scene by its graph.
        first, after: the words of the caption that make it, the last one excluded.
    """

    says: str
    verdict: str
    first: int
    after: int


def told_statements(asked: Reading, verdicts: Sequence[Verdict]) -> list[ToldStatement]:
    """Each statement of a caption with its verdict, in the caption's order; those that read alike ("a dog", of two) are
    one, untrue where one of them is, else untold where one of them is."""
    found: dict[str, tuple[list[Verdict], tuple[int, int]]] = {}
    for statement, place, verdict in zip(asked.statements, asked.places, verdicts, strict=True):
        found.setdefault(statement_says(asked, statement, place), ([], place))[0].append(verdict)
    return [ToldStatement(says, TOLD[joined(own)], *place) for says, (own, place) in found.items()]


def joined(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict of several."""
    return False if False in verdicts else None if None in verdicts else True


def statement_says(asked: Reading, statement: Statement, place: tuple[int, int]) -> str:
    """A statement in words, as much as can be in the caption's own."""
    name, *rest = statement
    own = [nouns(asked)[i] for i in about(statement)]
    words = " ".join(asked.words[slice(*place)])
    if name == "called":
        return say("statement.called", noun=own[0])
    if name in ("colour", "size"):
        return say("statement.is", noun=own[0], value=rest[1])
    if name == "count":
        return say("statement.count", number=NUMBERS[rest[0]], nouns=plural(rest[1]))
    if name in ("pose", "zone", "at"):
        return say("statement.does", noun=own[0], words=words)
    if name in INVERSE:
        return say("statement.relation", noun=own[0], relation=name, other=own[1])
    return words  # of the place, and of what is in it


def statement_values(told: Sequence[ToldStatement]) -> list[dict[str, str]]:
    """Statements as the page draws them."""
    return [{"says": one.says, "verdict": one.verdict} for one in told]


def summary(told: Sequence[ToldStatement]) -> str:
    """How many statements of the caption its picture's captions say too, in a sentence."""
    return say("statement.summary", total=len(told), **counts(told))


def truth_summary(told: Sequence[ToldStatement]) -> str:
    """How many statements are true of the scene, in a sentence."""
    return say("statement.of_truth", total=len(told), true=counts(told)["true"])


def counts(told: Sequence[ToldStatement]) -> dict[str, int]:
    """The number of statements of each verdict."""
    return {verdict: sum(one.verdict == verdict for one in told) for verdict in TOLD.values()}


def true_statements(scene: Scene, text: str) -> list[ToldStatement]:
    """The statements of a caption, each true or untrue of a scene, as `told_statements`."""
    reading = read_caption(text)
    return told_statements(reading, judge_statements(scene, reading))

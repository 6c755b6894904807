"""What is read of a caption in its picture, or true of its scene, statement by statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demo.record.texts.table import say
from demo.service.generating.service import Recaption
from seps.scenes.captions.agreement import INVERSE, Verdict, nouns
from seps.scenes.captions.reading import Reading, Statement, judge_statements, read_caption
from seps.scenes.captions.truth import about
from seps.scenes.captions.wording import NUMBERS, plural
from seps.scenes.graph import Scene

VERDICTS = {True: "true", False: "untrue", None: "untold"}


@dataclass(frozen=True)
class StatementVerdict:
    """A statement and its verdict; `first` to `after`, excluded, are the caption's words that make it."""

    says: str
    verdict: str
    first: int
    after: int


def statement_verdicts(asked: Reading, verdicts: Sequence[Verdict]) -> list[StatementVerdict]:
    """Return each statement of a caption with its verdict, in the caption's order; those that read alike ("a dog", of
    two) are one, untrue where one of them is, else untold where one of them is."""
    grouped: dict[str, tuple[list[Verdict], tuple[int, int]]] = {}
    for statement, place, verdict in zip(asked.statements, asked.places, verdicts, strict=True):
        grouped.setdefault(statement_says(asked, statement, place), ([], place))[0].append(verdict)
    return [StatementVerdict(says, VERDICTS[joined(joint)], *place) for says, (joint, place) in grouped.items()]


def recaption_statements(read: Recaption) -> list[StatementVerdict]:
    """Return the statements of a drawn caption, as the picture's captions say them too or not."""
    return statement_verdicts(read.asked, read.verdicts)


def joined(verdicts: Sequence[Verdict]) -> Verdict:
    """Return one verdict of several."""
    return False if False in verdicts else None if None in verdicts else True


def statement_says(asked: Reading, statement: Statement, place: tuple[int, int]) -> str:
    """Return a statement in words, as much as can be in the caption's own."""
    name, *rest = statement
    subjects = [nouns(asked)[i] for i in about(statement)]
    words = " ".join(asked.words[slice(*place)])
    if name == "called":
        return say("statement.called", noun=subjects[0])
    if name in ("colour", "size"):
        return say("statement.is", noun=subjects[0], value=rest[1])
    if name == "count":
        return say("statement.count", number=NUMBERS[rest[0]], nouns=plural(rest[1]))
    if name in ("pose", "zone", "at"):
        return say("statement.does", noun=subjects[0], words=words)
    if name in INVERSE:
        return say("statement.relation", noun=subjects[0], relation=name, other=subjects[1])
    return words  # of the place, and of what is in it


def statement_values(statements: Sequence[StatementVerdict]) -> list[dict[str, str]]:
    """Statements as the page draws them."""
    return [{"says": statement.says, "verdict": statement.verdict} for statement in statements]


def summary(statements: Sequence[StatementVerdict]) -> str:
    """Return how many statements of the caption its picture's captions say too, in a sentence."""
    return say("statement.summary", total=len(statements), **counts(statements))


def counts(statements: Sequence[StatementVerdict]) -> dict[str, int]:
    """Return the number of statements of each verdict."""
    return {verdict: sum(statement.verdict == verdict for statement in statements) for verdict in VERDICTS.values()}


def true_statements(scene: Scene, text: str) -> list[StatementVerdict]:
    """Return the statements of a caption, each true or untrue of a scene."""
    reading = read_caption(text)
    return statement_verdicts(reading, judge_statements(scene, reading))


def truth_value(scene: Scene, text: str) -> dict[str, Any]:
    """Return the statements of a caption, and how many are true of a scene, in a sentence."""
    statements = true_statements(scene, text)
    says = say("statement.of_truth", total=len(statements), true=counts(statements)["true"])
    return {"summary": says, "statements": statement_values(statements)}

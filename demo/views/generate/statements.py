"""What is read of a caption in its picture, or true of its scene, statement by statement."""

from collections.abc import Sequence
from typing import Any

from demo.record.texts.table import say
from demo.service.generating.service import Recaption
from seps.scenes.captions.agreement import INVERSE, Verdict, nouns
from seps.scenes.captions.reading import Reading, Statement, judge_statements, read_caption
from seps.scenes.captions.truth import about
from seps.scenes.captions.wording import NUMBERS, plural
from seps.scenes.graph import Scene


def statement_verdicts(asked: Reading, verdicts: Sequence[Verdict]) -> list[dict[str, str]]:
    """Return what each statement of a caption `says` and its `verdict`, "true", "untrue" or "untold", in the caption's
    order; those that read alike ("a dog", of two) are one, untrue where one of them is, else untold where one is."""
    grouped: dict[str, list[Verdict]] = {}
    for statement, place, verdict in zip(asked.statements, asked.places, verdicts, strict=True):
        grouped.setdefault(_say(asked, statement, place), []).append(verdict)
    return [
        {"says": says, "verdict": "untrue" if False in joint else "untold" if None in joint else "true"}
        for says, joint in grouped.items()
    ]


def recaption_statements(read: Recaption) -> list[dict[str, str]]:
    """Return the statements of a drawn caption, as the picture's captions say them too or not."""
    return statement_verdicts(read.asked, read.verdicts)


def _say(asked: Reading, statement: Statement, place: tuple[int, int]) -> str:
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


def summary(statements: Sequence[dict[str, str]], key: str = "summary") -> str:
    """Return how many statements of the caption its picture's captions say too, in a sentence."""
    listed = [statement["verdict"] for statement in statements]
    counts = {verdict: listed.count(verdict) for verdict in ("true", "untrue", "untold")}
    return say(f"statement.{key}", total=len(listed), **counts)


def truth_value(scene: Scene, text: str) -> dict[str, Any]:
    """Return the statements of a caption, and how many are true of a scene, in a sentence."""
    reading = read_caption(text)
    statements = statement_verdicts(reading, judge_statements(scene, reading))
    return {"summary": summary(statements, "of_truth"), "statements": statements}

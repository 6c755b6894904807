"""What of a caption came true in its picture, as captions of the picture tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from seps.scenes.kinds import KINDS
from seps.scenes.reading import MOST_NAMED, Reading, Statement
from seps.scenes.truth import about

INVERSE = {"left of": "right of", "above": "below", "in front of": "behind", "on": "under", "next to": "next to"}
INVERSE |= {back: there for there, back in INVERSE.items()}
ONE_OF = ("colour", "size", "zone")  # an object has one of each: another one contradicts it
ABOUT_ONE = (*ONE_OF, "pose", "at")
Verdict = bool | None  # None where nothing is told


def agreement(asked: Reading, told: Sequence[Reading]) -> tuple[Verdict, ...]:
    """Whether each statement of a caption came true, by what captions of its picture say.

    In each of these the objects are found that make most statements true and fewest untrue; objects may be the same
    where one noun can stand for both ("child", "girl"). A statement is untrue where the opposite is told: another
    colour, size, place or number, or the relation the other way round. What a caption does not tell is left to
    the next one.

    Args:
        asked: the caption that was drawn; told: captions of the picture, the most likely first.

    Returns:
        True, False or None (not told) for each of `asked.statements`.
    """
    verdicts: list[Verdict] = [None] * len(asked.statements)
    for reading in told:
        found = compare(asked, reading)
        verdicts = [new if old is None else old for old, new in zip(verdicts, found, strict=True)]
    return tuple(verdicts)


def compare(asked: Reading, told: Reading) -> tuple[Verdict, ...]:
    """As `agreement`, of one caption of the picture."""
    said = set(told.statements) | {
        (INVERSE[name], *reversed(rest)) for name, *rest in told.statements if name in INVERSE
    }

    def judged(same: dict[int, int]) -> tuple[Verdict, ...]:
        return tuple(verdict(statement, said, same, told) for statement in asked.statements)

    return max(map(judged, matchings(asked, told)), key=lambda found: found.count(True) - found.count(False))


def verdict(statement: Statement, said: set[Statement], same: dict[int, int], told: Reading) -> Verdict:
    """Whether a statement is said, or the opposite; `same` tells which object of the picture each of its objects is."""
    name, *rest = statement
    if name == "background":
        places = [others for kind, *others in said if kind == name]
        return None if not places else all(set(rest) & set(others) for others in places)
    if name == "feature":
        return statement in said or None
    if name == "count":
        number, word = rest[:2]
        numbers = [n for kind, *others in said if kind == name for n, noun in [others[:2]] if alike(noun, word)]
        single = any(alike(one.word, word) and len(one.objects) == 1 for one in told.named)
        return number in numbers or (False if numbers or single else None)
    objects = [same.get(i) for i in about(statement)]
    if None in objects:
        return None
    if name == "called":
        return True
    if name in ABOUT_ONE:
        values = [value for kind, *others in said if kind == name for i, value in [others] if i == objects[0]]
        if rest[1] in values:
            return True
        opposite = bool(values) if name in ONE_OF else {rest[1], *values} == {"left", "right"}
        return False if opposite else None
    if (name, *objects) in said:
        return True
    return False if name != "next to" and (name, *reversed(objects)) in said else None


def matchings(asked: Reading, told: Reading) -> Iterator[dict[int, int]]:
    """Every way in which as many objects of one caption as can be are objects of the other: of like nouns alone."""
    own, others = nouns(asked), nouns(told)
    fits = {i: [j for j in range(len(others)) if alike(own[i], others[j])] for i in range(len(own))}
    able = [i for i in fits if fits[i]][:MOST_NAMED]
    for size in range(min(len(able), len(others)), -1, -1):
        found = False
        for chosen in combinations(able, size):
            for order in permutations(range(len(others[:MOST_NAMED])), size):
                if all(j in fits[i] for i, j in zip(chosen, order, strict=True)):
                    found = True
                    yield dict(zip(chosen, order, strict=True))
        if found:
            return


def nouns(reading: Reading) -> list[str]:
    """The noun of each object of a caption, by its number."""
    return [one.word for one in reading.named for _ in one.objects]


def alike(first: str, second: str) -> bool:
    """Whether two nouns can stand for one kind: "child" and "girl"."""
    return any(first in kind.words and second in kind.words for kind in KINDS.values())

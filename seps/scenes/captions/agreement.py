"""Check which statements of a prompt are confirmed by captions that a model wrote for the drawn picture."""

from collections.abc import Sequence
from itertools import combinations, permutations, product

from seps.scenes.captions.reading import MAX_NAMED, Reading, Statement
from seps.scenes.captions.truth import about
from seps.scenes.catalogue import KINDS

INVERSE = {"left of": "right of", "above": "below", "in front of": "behind", "on": "under", "next to": "next to"}
INVERSE |= {back: there for there, back in INVERSE.items()}
SINGLE_VALUED = ("colour", "size", "zone")  # an object has one of each: another one contradicts it
ABOUT_OBJECT = (*SINGLE_VALUED, "pose", "at")
Verdict = bool | None  # None where nothing is stated


def agreement(asked: Reading, recaptions: Sequence[Reading]) -> tuple[Verdict, ...]:
    """Decide for each statement of a caption whether captions of its picture, the likeliest first, confirm it.

    For each of these captions, objects are matched so that most statements are true and fewest untrue; objects match if
    one noun can name both ("child", "girl"). A statement is untrue if its opposite is stated: another colour, size,
    place or number, or the inverse relation. It is None where no caption states it.
    """
    verdicts: list[Verdict] = [None] * len(asked.statements)
    for reading in recaptions:
        latest = compare(asked, reading)
        verdicts = [new if old is None else old for old, new in zip(verdicts, latest, strict=True)]
    return tuple(verdicts)


def compare(asked: Reading, recaption: Reading) -> tuple[Verdict, ...]:
    """Decide as `agreement`, from one caption of the picture."""
    stated = set(recaption.statements) | {
        (INVERSE[name], *reversed(rest)) for name, *rest in recaption.statements if name in INVERSE
    }

    def verdicts_of(same: dict[int, int]) -> tuple[Verdict, ...]:
        return tuple(verdict(statement, stated, same, recaption) for statement in asked.statements)

    return max(map(verdicts_of, matchings(asked, recaption)), key=lambda each: each.count(True) - each.count(False))


def verdict(statement: Statement, stated: set[Statement], same: dict[int, int], recaption: Reading) -> Verdict:
    """Return whether a statement (True) or its opposite (False) is stated; `same` maps its objects to the picture's."""
    name, *rest = statement
    if name == "background":
        places = [others for kind, *others in stated if kind == name]
        return None if not places else all(set(rest) & set(others) for others in places)
    if name == "feature":
        return statement in stated or None
    if name == "count":
        number, word = rest[:2]
        numbers = [n for kind, *others in stated if kind == name for n, noun in [others[:2]] if alike(noun, word)]
        single = any(alike(named.word, word) and len(named.objects) == 1 for named in recaption.named)
        return number in numbers or (False if numbers or single else None)
    objects = [same.get(i) for i in about(statement)]
    if None in objects:
        return None
    if name == "called":
        return True
    if name in ABOUT_OBJECT:
        values = [value for kind, *others in stated if kind == name for i, value in [others] if i == objects[0]]
        if rest[1] in values:
            return True
        opposite = bool(values) if name in SINGLE_VALUED else {rest[1], *values} == {"left", "right"}
        return False if opposite else None
    if (name, *objects) in stated:
        return True
    return False if name != "next to" and (name, *reversed(objects)) in stated else None


def matchings(asked: Reading, recaption: Reading) -> list[dict[int, int]]:
    """Return every largest matching of the objects of two captions with similar nouns."""
    others = nouns(recaption)
    fits = {i: [j for j, other in enumerate(others) if alike(noun, other)] for i, noun in enumerate(nouns(asked))}
    able = [i for i in fits if fits[i]][:MAX_NAMED]
    found: list[dict[int, int]] = []
    for size in range(len(able), -1, -1):
        for chosen, order in product(combinations(able, size), permutations(range(len(others[:MAX_NAMED])), size)):
            if all(j in fits[i] for i, j in zip(chosen, order, strict=True)):
                found.append(dict(zip(chosen, order, strict=True)))
        if found:
            break
    return found


def nouns(reading: Reading) -> list[str]:
    """Return the noun of each object of a caption, by its number."""
    return [named.word for named in reading.named for _ in named.objects]


def alike(first: str, second: str) -> bool:
    """Return whether two nouns can name one kind: "child" and "girl"."""
    return any(first in kind.words and second in kind.words for kind in KINDS.values())

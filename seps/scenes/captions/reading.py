"""Parsing of captions in the words of the scenes' captions into statements; the inverse of `sentences`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

from seps.scenes.captions import wording
from seps.scenes.captions.truth import about, holds
from seps.scenes.catalogue import KINDS
from seps.scenes.graph import Scene
from seps.scenes.palette import NAMED

JOINTS = ("and", "while", "with")  # of a sentence: they state nothing
OPENINGS = (("there", "is"), ("there", "are"))  # neither do these without what follows
MAX_NAMED = 8  # objects of a caption that may be a scene's, which has at most five; those after them are none of it
Phrase = tuple[str, ...]
Statement = tuple[Any, ...]

_SIZES = {word: name for name, words in wording.SIZE_WORDS.items() for word in words}
_COLOURS = {word: name for name in NAMED for word in wording.COLOUR_WORDS.get(name, (name,))}
_POSES = {
    form: pose
    for pose in {pose for kind in KINDS.values() for pose in kind.poses}
    for form in (wording.verb(pose, True), wording.verb(pose, False), wording.participle(pose))
}


@dataclass(frozen=True)
class Named:
    """Objects that a caption names together, by their noun, from word `first` up to `after`."""

    word: str
    colour: str | None
    size: str | None
    objects: tuple[int, ...]
    first: int
    after: int


@dataclass(frozen=True)
class Reading:
    """Parsed content of a caption: words, objects, statements for `truth.holds` with their places, and unread words."""

    words: tuple[str, ...]
    named: tuple[Named, ...]
    statements: tuple[Statement, ...]
    places: tuple[tuple[int, int], ...]
    unread: tuple[int, ...]


def read_caption(text: str) -> Reading:
    """Parse a caption, phrase by phrase, the longest match first."""
    return _Reader(tuple(re.findall(r"[a-z]+", text.lower()))).read()


def count_whole_words(reading: Reading) -> int:
    """Count the words of a caption up to the end of its last complete phrase, 0 to L."""
    count, words = len(reading.words), reading.words
    while count:
        if count - 1 in reading.unread or words[count - 1] in JOINTS:
            count -= 1
        elif words[count - 2 : count] in OPENINGS:
            count -= 2
        else:
            break
    return count


def count_true(scene: Scene, reading: Reading) -> tuple[int, int]:
    """Count a caption's true statements about a scene, for the best assignment of objects, and all of them."""
    runs = sum(1 for place in reading.unread if place - 1 not in reading.unread)
    best = max((sum(judged) for judged in _judged(scene, reading)), default=0)
    return best, len(reading.statements) + runs


def judge_statements(scene: Scene, reading: Reading) -> tuple[bool, ...]:
    """Return whether each statement is true of a scene, for the best assignment of objects."""
    return max(_judged(scene, reading), key=sum)


def _judged(scene: Scene, reading: Reading) -> Iterator[tuple[bool, ...]]:
    """Yield the truth of each statement for every largest assignment of named objects to the scene's."""
    named, objects = min(sum(len(named.objects) for named in reading.named), MAX_NAMED), len(scene.objects)
    matched = min(named, objects)
    for places, order in product(combinations(range(named), matched), permutations(range(objects), matched)):
        chosen = dict(zip(places, order, strict=True))
        yield tuple(_holds(scene, statement, chosen) for statement in reading.statements)


def _holds(scene: Scene, statement: Statement, chosen: Mapping[int, int]) -> bool:
    name, *rest = statement
    if name == "background":
        return scene.background in rest
    numbers = about(statement)
    meant = [chosen.get(i) for i in numbers]
    return None not in meant and holds(scene, (name, *meant, *rest[len(numbers) :]))


class _Reader:
    def __init__(self, words: Phrase) -> None:
        self.words = words
        self.place = 0
        self.named: list[Named] = []
        self.statements: list[Statement] = []
        self.places: list[tuple[int, int]] = []
        self.unread: list[int] = []
        self.subject: Named | None = None

    def read(self) -> Reading:
        while self.place < len(self.words):
            before = self.place
            if not (self.take_phrase() or self.take_objects() or self.take_pose()):
                if self.words[before] not in JOINTS:
                    self.unread.append(before)
                self.place = before + 1
        return Reading(self.words, tuple(self.named), tuple(self.statements), tuple(self.places), tuple(self.unread))

    def state(self, first: int, *statements: Statement) -> None:
        """Record statements made by the words from `first` on."""
        self.statements += statements
        self.places += [(first, self.place)] * len(statements)

    def match(self, phrases: dict[Phrase, Any], place: int) -> tuple[Any, int] | None:
        """Return the meaning and the length of the longest phrase at a place."""
        for length in range(min(_longest(), len(self.words) - place), 0, -1):
            entry = phrases.get(self.words[place : place + length])
            if entry is not None:
                return entry, length
        return None

    def take_phrase(self) -> bool:
        """Parse "there is", a place, a feature, a zone, a side or a relation."""
        phrase, objects = self.match(_phrases(), self.place), self.find_objects()
        if phrase is None or (objects is not None and objects.after - self.place > phrase[1]):  # "a street lamp"
            return False
        (kind, meaning), length = phrase
        first = self.place
        if kind == "relation":
            return self.take_relation(meaning, length)
        numbers = self.subject.objects if self.subject else ()
        if kind in ("zone", "side") and not numbers:
            return False
        self.place += length
        if kind in ("place", "feature"):
            self.state(first, ("background" if kind == "place" else kind, meaning))
        elif kind == "side":
            self.state(first, *(("at", i, meaning) for i in numbers))
        elif kind == "zone":
            zone, backgrounds = meaning
            self.state(first, *(("zone", i, zone) for i in numbers), ("background", *backgrounds))
        return True

    def take_relation(self, name: str, length: int) -> bool:
        """Parse a relation of the previous objects to the next ones."""
        first, subject = self.place, self.subject
        self.place += length
        if subject is None or not self.take_objects():
            self.place = first
            return False
        other, self.subject = self.named[-1], subject
        self.state(first, *((name, i, j) for i in subject.objects for j in other.objects))
        return True

    def take_pose(self) -> bool:
        """Parse a pose of the previous objects."""
        start = self.place
        if self.words[start] in ("is", "are"):
            self.place += 1
        pose = _POSES.get(self.word(self.place))
        if pose is None or self.subject is None:
            self.place = start
            return False
        self.place += 1
        self.state(start, *(("pose", i, pose) for i in self.subject.objects))
        return True

    def take_objects(self) -> bool:
        """Parse objects: a number or article, size, colour, noun, and a coloured part."""
        named = self.find_objects()
        if named is None:
            return False
        self.place, self.subject = named.after, named
        self.named.append(named)
        for i in named.objects:
            stated = (("called", i, named.word), ("colour", i, named.colour), ("size", i, named.size))
            self.state(named.first, *(statement for statement in stated if statement[2]))
        if len(named.objects) > 1:
            self.state(named.first, ("count", len(named.objects), named.word, named.colour, named.size))
        return True

    def find_objects(self) -> Named | None:
        """Return the objects that are named here, if any."""
        place = self.place
        opening = self.word(place)
        many = wording.NUMBERS.index(opening) if opening in wording.NUMBERS[2:] else 1
        if opening in ("a", "an", "one", "the") or many > 1:
            place += 1
        size = _SIZES.get(self.word(place))
        place += size is not None
        colour = _COLOURS.get(self.word(place))
        place += colour is not None
        noun = self.match(_nouns()[many > 1], place)
        if noun is None:
            return None
        word, length = noun
        place += length
        if colour is None:
            colour, place = self.find_part(word, place)
        start = sum(len(named.objects) for named in self.named)
        return Named(word, colour, size, tuple(range(start, start + many)), self.place, place)

    def find_part(self, word: str, place: int) -> tuple[str | None, int]:
        """Return the colour in "in a red shirt" after a noun with such a part, and its end."""
        for before, after in _parts(word):
            start = place + len(before)
            colour = _COLOURS.get(self.word(start))
            if colour and self.words[place:start] == before and self.words[start + 1 : start + 1 + len(after)] == after:
                return colour, start + 1 + len(after)
        return None, place

    def word(self, place: int) -> str:
        """Return a word, or "" after the last."""
        return self.words[place] if place < len(self.words) else ""


def _split(text: str) -> Phrase:
    return tuple(text.split())


@cache
def _phrases() -> dict[Phrase, tuple[str, Any]]:
    """Return all phrases other than objects, with their kind and meaning."""

    def meanings(kind: str, table: wording.Phrases) -> dict[Phrase, tuple[str, Any]]:
        return {_split(text): (kind, name) for name, texts in table.items() for text in texts}

    zones: dict[Phrase, tuple[str, list[str]]] = {}
    for place, texts in wording.ZONE_PHRASES.items():
        background, zone = place.split()
        for text in texts:
            zones.setdefault(_split(text), (zone, []))[1].append(background)
    features = meanings("feature", wording.FEATURE_PHRASES)
    return {
        **dict.fromkeys(OPENINGS, ("there", None)),
        **meanings("relation", wording.RELATION_PHRASES),
        **meanings("side", wording.SIDES),
        **{phrase: ("zone", meaning) for phrase, meaning in zones.items()},
        **meanings("place", wording.PLACE_WORDS),
        **meanings("place", wording.PLACE_PHRASES),
        **{phrase: (kind, name.split()[-1]) for phrase, (kind, name) in features.items()},
    }


@cache
def _nouns() -> tuple[dict[Phrase, str], dict[Phrase, str]]:
    """Return nouns by their words: singular, and plural."""
    words = {word for kind in KINDS.values() for word in kind.words}
    singular = {_split(word.lower()): word for word in words}
    return singular, {_split(wording.plural(word).lower()): word for word in words}


@cache
def _parts(word: str) -> list[tuple[Phrase, Phrase]]:
    """Return the words before and after the colour of a noun's part, singular and plural."""
    parts = {kind.part for kind in KINDS.values() if kind.part and word in kind.words}
    forms = [form for part in parts for form in (part, part.replace(" a {}", " an {}"), wording.plural_part(part))]
    return [(_split(before), _split(after)) for before, _, after in (form.partition("{}") for form in forms)]


@cache
def _longest() -> int:
    return max(len(phrase) for table in (_phrases(), *_nouns()) for phrase in table)

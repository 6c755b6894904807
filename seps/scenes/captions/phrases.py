"""Captions with their meaning: words, the objects that each phrase names, and verifiable statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seps.scenes.captions.wording import COLOUR_WORDS, NUMBERS, SIZE_WORDS, article, plural, plural_part
from seps.scenes.catalogue import KINDS
from seps.scenes.graph import Scene
from seps.scenes.rng import Rng

Statement = tuple[object, ...]
"""A statement: its name, then object numbers, words and counts. See `truth.holds` for the meaning of each."""


@dataclass(frozen=True)
class Mention:
    """A phrase that names objects: its words, the index of the first of them in the caption, the objects' numbers."""

    phrase: str
    first_word: int
    objects: tuple[int, ...]


@dataclass(frozen=True)
class Caption:
    """A text, its phrases that name objects, and its statements."""

    text: str
    mentions: tuple[Mention, ...]
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Group:
    """Objects of one kind and colour, which captions name together: their numbers, at least one."""

    kind: str
    colour: str | None
    size: str | None  # None where they differ
    objects: tuple[int, ...]

    @property
    def many(self) -> bool:
        """Whether there is more than one."""
        return len(self.objects) > 1


def groups(scene: Scene) -> list[Group]:
    """Group a scene's objects by kind and colour, in the order of their first objects."""
    numbers_of: dict[tuple[str, str | None], list[int]] = {}
    for number, thing in enumerate(scene.objects):
        numbers_of.setdefault((thing.kind, thing.colour), []).append(number)
    sizes = {what: {scene.objects[i].size for i in numbers} for what, numbers in numbers_of.items()}
    return [
        Group(*what, min(sizes[what]) if len(sizes[what]) == 1 else None, tuple(numbers))
        for what, numbers in numbers_of.items()
    ]


class Writer:
    """Writer of one sentence about a scene, word by word, that records mentions and statements."""

    def __init__(self, scene: Scene, rng: Rng) -> None:
        self.scene, self.rng = scene, rng
        self.words: list[str] = []
        self.named: list[tuple[int, int, tuple[int, ...]]] = []  # first word, words, objects
        self.statements: list[Statement] = []

    def say(self, text: str, *statements: Statement) -> Writer:
        """Add words and their statements. A comma or full stop is attached to the previous word."""
        for word in text.split():
            if word in (",", ".") and self.words:
                self.words[-1] += word
            else:
                self.words.append(word)
        self.statements += statements
        return self

    def name(self, group: Group, the: bool = False, full: bool = False) -> Writer:
        """Add a phrase that fits only a group's objects, with "the" or, if `full`, with colour and size."""
        word, stated_colour, stated_size = self._chosen_words(group, the, full)
        size = self.rng.choice(SIZE_WORDS[stated_size]) if stated_size else ""
        colour = self.rng.choice(COLOUR_WORDS.get(stated_colour, (stated_colour,))) if stated_colour else ""
        first = len(self.words)
        self.say(phrase_text(group, word, colour, size, the))
        self.named.append((first, len(self.words) - first, group.objects))
        for i in group.objects:
            self.statements.append(("called", i, word))
            if stated_colour:
                self.statements.append(("colour", i, stated_colour))
            if stated_size:
                self.statements.append(("size", i, stated_size))
        if group.many or the:
            self.statements.append(("count", len(group.objects), word, stated_colour, stated_size))
        return self

    def _chosen_words(self, group: Group, the: bool, full: bool) -> tuple[str, str | None, str | None]:
        """Choose the noun, and colour and size if they are named; falls back to a noun that fits only the group."""
        rng, kind = self.rng, KINDS[group.kind]
        colour = group.colour if group.colour and (full or rng.bernoulli(35 if the else 80)) else None
        size = group.size if group.size not in (None, "medium") and (full or rng.bernoulli(10 if the else 45)) else None
        drawn = kind.words[0] if the or rng.bernoulli(60) else rng.choice(kind.words)
        tried = [(drawn, colour), (drawn, group.colour), *((other, group.colour) for other in kind.words)]
        fitting = (pair for pair in tried if find_all(self.scene, *pair, size) == group.objects)
        return *next(fitting, tried[-1]), size


def find_all(scene: Scene, word: str, colour: str | None, size: str | None) -> tuple[int, ...]:
    """Return the numbers of all objects that a noun, a colour and a size fit; None fits any."""
    return tuple(
        i
        for i, thing in enumerate(scene.objects)
        if word in KINDS[thing.kind].words and colour in (None, thing.colour) and size in (None, thing.size)
    )


def caption(writers: Sequence[Writer], capital: bool = True) -> Caption:
    """Join the sentences of several writers to one caption."""
    words: list[str] = []
    mentions: list[Mention] = []
    for writer in writers:
        sentence = list(writer.words)
        if capital:
            sentence[0] = sentence[0][0].upper() + sentence[0][1:]
        for first, count, objects in writer.named:
            phrase = " ".join(sentence[first : first + count]).rstrip(",.")
            mentions.append(Mention(phrase, len(words) + first, objects))
        words += sentence
    statements = dict.fromkeys(statement for writer in writers for statement in writer.statements)
    return Caption(" ".join(words), tuple(mentions), tuple(statements))


def phrase_text(group: Group, word: str, colour: str, size: str, the: bool) -> str:
    """Format a group's phrase, "the two small red cars", of words for noun, colour and size, "" to leave them out."""
    part = KINDS[group.kind].part  # "in a {} shirt": the coloured part, if not the whole
    noun = plural(word) if group.many else word
    text = f"{size} {noun}" if part else f"{size} {colour} {noun}"
    if colour and part:
        text += " " + (plural_part(part) if group.many else part).format(colour)
    text = text.strip()
    count = NUMBERS[len(group.objects)] if group.many else ""
    opening = f"the {count}" if the else count or article(text)
    if part and colour and not group.many:
        text = text.replace(" a orange", " an orange")
    return f"{opening} {text}"

"""Annotation of a drawn picture: its graph, the names of its objects, and the objects that its captions name."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from seps.scenes import KINDS, NAMED, SIZES, Mention, Scene, draw
from seps.scenes.captions.wording import COLOUR_WORDS, NUMBERS, SIZE_WORDS, plural

COLOURS = {word: name for name in NAMED for word in COLOUR_WORDS.get(name, (name,))}
SIZE_NAMES = {word: name for name in SIZES for word in SIZE_WORDS.get(name, (name,))}
OPENINGS = ("a", "an", "the", "some", *NUMBERS)
PUNCTUATION = ".,;:!?\"'()"
LONGEST_NOUN = 3  # words, as "hot air balloon"


@dataclass(frozen=True)
class SceneAnnotation:
    """Annotation of a drawn picture: its graph, and for each of its captions the phrases that name objects."""

    scene: Scene
    mentions: tuple[tuple[str, tuple[Mention, ...]], ...] = ()


@lru_cache(maxsize=64)
def labels(scene: Scene) -> NDArray[np.int16]:
    """Return the number of the visible object in each pixel, (224, 224), -1 for none; read-only."""
    numbers = draw(scene).labels
    numbers.flags.writeable = False
    return numbers


def described(kind: str, colour: str | None, many: bool = False) -> str:
    """Name a kind with its colour: "red car", "girl in a pink dress", "red cars"."""
    noun, part = (plural(kind) if many else kind), KINDS[kind].part
    if colour is None:
        return noun
    return f"{noun} {part.format(colour)}".replace(" a orange", " an orange") if part else f"{colour} {noun}"


def object_name(scene: Scene, number: int) -> str:
    """Name an object by its colour and kind: "red car"."""
    thing = scene.objects[number]
    return described(thing.kind, thing.colour)


def objects_name(scene: Scene, numbers: tuple[int, ...]) -> str:
    """Name objects in a phrase: "the red car", "the 2 sheep", "the girl in a pink dress and the tree"."""
    alike = Counter((scene.objects[number].kind, scene.objects[number].colour) for number in numbers)
    return " and ".join(
        f"the {described(kind, colour)}" if count == 1 else f"the {count} {described(kind, colour, many=True)}"
        for (kind, colour), count in alike.items()
    )


def title_of(scene: Scene) -> str:
    """Summarize a scene after its number: "17: red car, dog and 2 more"."""
    names = list(dict.fromkeys(object_name(scene, number) for number in range(len(scene.objects))))
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{scene.index}: {', '.join(names[:2])}{more}" if names else f"{scene.index}: no object"


def phrases_of(known: SceneAnnotation, caption: str) -> tuple[Mention, ...]:
    """Return the phrases of a caption that name objects of a scene: stored ones, else found by nouns, colours and
    sizes."""
    mentions = dict(known.mentions).get(caption)
    return matched(known.scene, caption) if mentions is None else mentions


def matched(scene: Scene, caption: str) -> tuple[Mention, ...]:
    """Return the phrases of any caption with a noun, and optional colour and size, that fit objects of a scene."""
    written = caption.split()
    words = [word.strip(PUNCTUATION).lower() for word in written]
    nouns = {form for thing in scene.objects for form in forms(thing.kind)}
    mentions, free, at = [], 0, 0
    while at < len(words):
        length = next((n for n in range(LONGEST_NOUN + 1, 0, -1) if tuple(words[at : at + n]) in nouns), 0)
        if not length:
            at += 1
            continue
        first = at  # of its colours, sizes, numbers and article
        while first > free and words[first - 1] in (*COLOURS, *SIZE_NAMES, *OPENINGS):
            first -= 1
        end = ending(scene, words, at, at + length)
        noun, adjectives = tuple(words[at : at + length]), words[first:at] + words[at + length : end]
        colour, size = (
            next((names[word] for word in adjectives if word in names), None) for names in (COLOURS, SIZE_NAMES)
        )
        objects = tuple(
            number
            for number, thing in enumerate(scene.objects)
            if noun in forms(thing.kind) and colour in (None, thing.colour) and size in (None, thing.size)
        )
        if objects:
            mentions.append(Mention(" ".join(written[first:end]).strip(PUNCTUATION), first, objects))
        at = free = end
    return tuple(mentions)


def ending(scene: Scene, words: Sequence[str], noun: int, after: int) -> int:
    """Return the end of a noun's phrase, including "in a pink dress" for kinds with such a part."""
    for thing in scene.objects:
        part = (KINDS[thing.kind].part or "").split()
        if not part or tuple(words[noun:after]) not in forms(thing.kind):
            continue
        for shape in (part, [word for word in part if word != "a"]):
            there = words[after : after + len(shape)]
            if len(there) == len(shape) and all(map(alike, there, shape)):
                return after + len(shape)
    return after


def alike(word: str, pattern: str) -> bool:
    """Return whether a word matches `pattern` in a part's phrase: any colour for "{}", "an" for "a", a plural."""
    return word in COLOURS if pattern == "{}" else word in (pattern, plural(pattern)) or (word, pattern) == ("an", "a")


def forms(kind: str) -> set[tuple[str, ...]]:
    """Return the nouns of a kind, singular and plural, split into words."""
    return {tuple(form.lower().split()) for noun in KINDS[kind].words for form in (noun, plural(noun))}

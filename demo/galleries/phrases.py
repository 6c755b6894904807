"""Matching of a caption's phrases to the objects of a scene."""

from __future__ import annotations

from collections.abc import Sequence

from demo.galleries.annotation import SceneAnnotation
from seps.scenes import KINDS, NAMED, SIZES, Mention, Object, Scene
from seps.scenes.wording import COLOUR_WORDS, NUMBERS, SIZE_WORDS, plural

COLOURS = {word: name for name in NAMED for word in COLOUR_WORDS.get(name, (name,))}
SIZE_NAMES = {word: name for name in SIZES for word in SIZE_WORDS.get(name, (name,))}
OPENINGS = ("a", "an", "the", "some", *NUMBERS)
PUNCTUATION = ".,;:!?\"'()"
LONGEST_NOUN = 3  # words, as "hot air balloon"


def phrases_of(known: SceneAnnotation, caption: str) -> tuple[Mention, ...]:
    """Return the phrases of a caption that name objects of a scene.

    For the scene's own captions they are stored; in other captions they are found by nouns with their colours and
    sizes: a phrase that fits no object names none.
    """
    mentions = known.get_caption_phrases(caption)
    return matched(known.scene, caption) if mentions is None else mentions


def matched(scene: Scene, caption: str) -> tuple[Mention, ...]:
    """Return the phrases of any caption with a noun, and optional colour and size, that fit objects of a scene."""
    written = caption.split()
    words = [word.strip(PUNCTUATION).lower() for word in written]
    nouns = {
        tuple(form.lower().split())
        for thing in scene.objects
        for noun in KINDS[thing.kind].words
        for form in (noun, plural(noun))
    }
    mentions, free, at = [], 0, 0
    while at < len(words):
        length = next((n for n in range(LONGEST_NOUN + 1, 0, -1) if tuple(words[at : at + n]) in nouns), 0)
        if not length:
            at += 1
            continue
        first = opening(words, at, free)
        end = ending(scene, words, at, at + length)
        colour, size = adjectives(words[first:at] + words[at + length : end])
        noun = tuple(words[at : at + length])
        objects = tuple(i for i, thing in enumerate(scene.objects) if fits(thing, noun, colour, size))
        if objects:
            mentions.append(Mention(" ".join(written[first:end]).strip(PUNCTUATION), first, objects))
        at = free = end
    return tuple(mentions)


def opening(words: Sequence[str], noun: int, free: int) -> int:
    """Return the first word of a noun's phrase: its colours, sizes, numbers and article, no earlier than `free`."""
    first = noun
    while first > free and words[first - 1] in (*COLOURS, *SIZE_NAMES, *OPENINGS):
        first -= 1
    return first


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


def adjectives(words: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the colour and the size in the words, if any."""
    colours = [COLOURS[word] for word in words if word in COLOURS]
    sizes = [SIZE_NAMES[word] for word in words if word in SIZE_NAMES]
    return (colours[0] if colours else None, sizes[0] if sizes else None)


def fits(thing: Object, noun: tuple[str, ...], colour: str | None, size: str | None) -> bool:
    """Return whether a noun, colour and size fit an object; None matches any."""
    return noun in forms(thing.kind) and colour in (None, thing.colour) and size in (None, thing.size)

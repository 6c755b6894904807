"""Words of captions, from words.json: names of backgrounds, their zones and features, relations, verbs, plurals."""

import json
from pathlib import Path
from typing import Any

_WORDS: dict[str, Any] = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
Phrases = dict[str, list[str]]

NUMBERS = ("zero", "one", "two", "three", "four", "five")
PLACE_WORDS: Phrases = _WORDS["place_words"]
PLACE_PHRASES: Phrases = _WORDS["place_phrases"]  # where everything of a scene is
ZONE_PHRASES: Phrases = _WORDS["zone_phrases"]  # by "PLACE ZONE"
FEATURE_PHRASES: Phrases = _WORDS["feature_phrases"]  # by "FEATURE", or "PLACE FEATURE" where a place has its own
RELATION_PHRASES: Phrases = _WORDS["relation_phrases"]
SIDES: Phrases = _WORDS["sides"]
SIZE_WORDS: Phrases = _WORDS["sizes"]
COLOUR_WORDS: Phrases = _WORDS["colours"]
BACKGROUND_SENTENCES: Phrases = _WORDS["background_sentences"]
FEATURE_SENTENCES: dict[str, str] = _WORDS["feature_sentences"]
_VERBS: Phrases = _WORDS["verbs"]  # third person, participle
_PLURALS: dict[str, str] = _WORDS["plurals"]


def plural(noun: str) -> str:
    """Return the plural of a noun."""
    head, of, rest = noun.partition(" of ")
    if of:
        return plural(head) + of + rest
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith(("s", "sh", "ch", "x")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def verb(pose: str, many: bool) -> str:
    """Return the present tense of a verb: "sits", or "sit" for many."""
    return pose if many else _VERBS[pose][0] if pose in _VERBS else pose + "s"


def participle(pose: str) -> str:
    """Return a pose's participle, such as "sitting"."""
    return _VERBS[pose][1] if pose in _VERBS else pose.removesuffix("e") + "ing"


def article(word: str) -> str:
    """Return "a" or "an" for a word."""
    return "an" if word[0].lower() in "aeio" or word.startswith("umb") else "a"


def plural_part(part: str) -> str:
    """Return the plural of a coloured part: "in {} shirts" for "in a {} shirt"."""
    *rest, last = part.replace(" a ", " ").split()
    return " ".join((*rest, last if last.endswith("s") else plural(last)))

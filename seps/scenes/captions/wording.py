"""Words of captions, from words.json: names of backgrounds, their zones and features, relations, verbs, plurals."""

import json
from pathlib import Path
from typing import Any

_WORDS: dict[str, Any] = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
Phrases = dict[str, list[str]]

NUMBERS = ("zero", "one", "two", "three", "four", "five")
PLACE_WORDS: Phrases = _WORDS["place_words"]
PLACE_PHRASES: Phrases = _WORDS["place_phrases"]  # where everything of a scene is
ZONE_PHRASES = {tuple(place.split()): phrases for place, phrases in _WORDS["zone_phrases"].items()}  # (place, zone)
SKY_PHRASES: Phrases = _WORDS["sky_phrases"]
ANY_SKY = ["in the sky", "in the air"]
FEATURE_PHRASES: Phrases = _WORDS["feature_phrases"]
BEACH_CLOUDS = ["under pink clouds", "below pink clouds"]
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
    if " of " in noun:
        head, rest = noun.split(" of ")
        return f"{plural(head)} of {rest}"
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
    if pose in _VERBS:
        return _VERBS[pose][1]
    return (pose[:-1] if pose.endswith("e") else pose) + "ing"


def article(word: str) -> str:
    """Return "a" or "an" for a word."""
    return "an" if word[0].lower() in "aeio" or word.startswith("umb") else "a"


def zone_phrases(background: str, zone: str) -> list[str]:
    """Return phrases for a zone of a background as a place; empty for "support"."""
    if zone == "sky":
        return SKY_PHRASES.get(background, ANY_SKY)
    return ZONE_PHRASES.get((background, zone), [])

"""Word lists: verbs, plurals, numbers, and names of backgrounds and their features."""

from __future__ import annotations

NUMBERS = ("zero", "one", "two", "three", "four", "five")

_VERBS = {  # third person, participle
    "lie": ("lies", "lying"),
    "sit": ("sits", "sitting"),
    "swim": ("swims", "swimming"),
    "fly": ("flies", "flying"),
    "wave": ("waves", "waving"),
    "float": ("floats", "floating"),
    "hover": ("hovers", "hovering"),
    "rise": ("rises", "rising"),
}
_PLURALS = {
    "man": "men",
    "gentleman": "gentlemen",
    "woman": "women",
    "person": "people",
    "child": "children",
    "snowman": "snowmen",
    "sheep": "sheep",
    "fish": "fish",
    "mouse": "mice",
    "cactus": "cacti",
}

PLACE_WORDS = {
    "park": ("a park", "a green park", "the park"),
    "beach": ("a beach at sunset", "a sunny evening beach", "the beach at sunset"),
    "street": ("a street", "a city street", "the street"),
    "snow": ("a snowy field", "a snowy landscape", "a winter landscape"),
    "night": ("a starry night", "a night landscape", "a night scene"),
    "room": ("a room", "the room", "a living room"),
    "sea": ("the sea", "the blue sea", "the open sea"),
    "desert": ("a desert", "the desert", "a sandy desert"),
}
PLACE_PHRASES = {  # where everything of a scene is
    "park": ("in a park", "in the park", "in a green park"),
    "beach": ("at the beach", "at sunset", "at the seaside at sunset", "on a beach in the evening"),
    "street": ("in a street", "in the city", "in a city street", "in front of tall houses"),
    "snow": ("in winter", "in a snowy landscape", "on a winter day"),
    "night": ("at night", "in the dark", "under the stars", "on a starry night"),
    "room": ("in a room", "indoors", "in a living room", "inside a room"),
    "sea": ("at sea", "out at sea", "on the open sea"),
    "desert": ("in a desert", "in the desert", "in a sandy desert"),
}
ZONE_PHRASES = {
    ("park", "ground"): ("on the grass", "on the green grass", "on the lawn"),
    ("beach", "ground"): ("on the sand", "on the beach", "on the sandy beach"),
    ("street", "ground"): ("on the road", "on the street"),
    ("snow", "ground"): ("in the snow", "on the snow", "on the white snow"),
    ("night", "ground"): ("on a dark hill", "on the dark grass", "on the hill"),
    ("room", "ground"): ("on the floor", "on the wooden floor"),
    ("desert", "ground"): ("on the sand", "in the sand", "on the desert sand"),
    ("beach", "water"): ("in the sea", "in the water"),
    ("sea", "water"): ("in the sea", "in the water", "in the blue water"),
    ("room", "wall"): ("on the wall",),
}
SKY_PHRASES = {
    "beach": ("in the sky", "in the evening sky", "in the air"),
    "night": ("in the night sky", "in the dark sky", "in the starry sky"),
}
ANY_SKY = ("in the sky", "in the air")
FEATURE_PHRASES = {
    "sun": ("under the sun", "in the sunshine"),
    "clouds": ("under white clouds", "under a cloudy sky", "below some clouds"),
    "hills": ("with hills behind", "in front of green hills"),
    "path": ("with a winding path", "with a path"),
    "shells": ("with shells in the sand", "with sea shells"),
    "island": ("with an island far away", "with a distant island"),
    "crossing": ("with a zebra crossing", "with a crosswalk"),
    "awnings": ("with shop awnings", "with striped awnings behind"),
    "snowflakes": ("while snow is falling", "in falling snow"),
    "mountains": ("in front of mountains", "with snowy mountains behind"),
    "moon": ("in the moonlight", "under a full moon"),
    "village": ("with village lights behind", "with lights far away"),
    "fog": ("in light fog", "with fog over the grass"),
    "window": ("with a window", "with a large window"),
    "rug": ("with a round rug", "with a rug"),
    "wallpaper": ("with striped wallpaper", "with stripes on the wall"),
    "pyramids": ("in front of pyramids", "with two pyramids behind"),
    "rocks": ("with brown rocks", "with two rocks"),
}
BEACH_CLOUDS = ("under pink clouds", "below pink clouds")
RELATION_PHRASES = {
    "left of": ("to the left of", "left of", "on the left of"),
    "right of": ("to the right of", "right of", "on the right of"),
    "above": ("above", "over"),
    "below": ("below", "beneath"),
    "next to": ("next to", "beside", "near", "close to", "by"),
    "in front of": ("in front of", "partly in front of"),
    "behind": ("behind", "partly behind"),
    "on": ("on", "on top of"),
    "under": ("under", "underneath"),
}
SIDES = {
    "left": ("on the left", "on the left side", "at the left"),
    "right": ("on the right", "on the right side", "at the right"),
    "middle": ("in the middle", "in the centre"),
}
SIZE_WORDS = {"small": ("small", "little", "tiny"), "large": ("large", "big", "huge")}
COLOUR_WORDS = {"grey": ("grey", "gray"), "purple": ("purple", "violet")}


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


def zone_phrases(background: str, zone: str) -> tuple[str, ...]:
    """Return phrases for a zone of a background as a place; empty for "support"."""
    if zone == "sky":
        return SKY_PHRASES.get(background, ANY_SKY)
    return ZONE_PHRASES.get((background, zone), ())

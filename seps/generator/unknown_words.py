"""Words of a caption that a generator does not know, with the nearest words in spelling that it knows."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

from seps.encoders.tokenizer import Tokenizer

UNKNOWN = "[UNK]"
NEAREST, MIN_ALIKE = 3, 0.5  # words named for an unknown one, and how alike they are at least, of 1
NAMED = 5  # unknown words that a note names


class UnknownWord(NamedTuple):
    """A word that is read as [UNK], and known words of a similar spelling, the nearest first; none if all differ."""

    word: str
    nearest: tuple[str, ...]


def unknown_words(tokenizer: Tokenizer, text: str) -> list[UnknownWord]:
    """Return the words of a caption that its tokenizer reads as [UNK], each once, in the order of the caption."""
    unknown = []
    for word in dict.fromkeys(word.strip(".,;:!?\"'()[]") or word for word in text.split()):
        pieces = [piece for part in tokenizer.words(word) for piece in part]
        if UNKNOWN in tokenizer.labels(pieces):
            unknown.append(word)
    if not unknown:
        return []
    known = sorted(label for label in tokenizer.labels(tokenizer.ordinary_ids) if label.isalpha() and len(label) > 2)
    return [UnknownWord(word, tuple(get_close_matches(word.lower(), known, NEAREST, MIN_ALIKE))) for word in unknown]


def describe_unknown_words(words: Sequence[UnknownWord]) -> str:
    """Return a note on unknown words and the nearest known ones; "" without any."""
    if not words:
        return ""
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    names = ", ".join(word for word, _ in words[:NAMED]) + more
    note = f"The generator does not know these words and draws without them ([UNK]): {names}."
    return f"{note} {describe_nearest(words)}".strip()


def describe_nearest(words: Sequence[UnknownWord]) -> str:
    """Return a sentence on the known words nearest to unknown ones; "" without unknown words."""
    near = "; ".join(f"{word}: {', '.join(nearest)}" for word, nearest in words[:NAMED] if nearest)
    return f"The nearest words that it knows: {near}." if near else ""

"""Words of a caption: joined word pieces, without [CLS] and [SEP]."""

from collections.abc import Sequence
from dataclasses import dataclass

CONTINUES = "##"  # prefix of a piece that continues a word
# Function words, which cannot name anything visible by themselves.
CLOSED = """
    a about above across after against all along also although am among an and another any anything are around as at
    away be because been before behind being below beneath beside besides between beyond both but by can could did do
    does doing down during each either else every everything few for from had has have having he her hers herself him
    himself his how i if in inside into is it its itself just like many may me might more most much must my myself near
    neither next no nobody none nor not nothing of off on once one onto or other others our out outside over own past
    per s several shall she should since so some someone something such t than that the their theirs them themselves
    then there these they this those though through throughout till to together too toward towards under underneath
    until up upon us very via was we were what when where whether which while who whom whose why will with within
    without would yet you your
"""
FUNCTION_WORDS = frozenset(CLOSED.split())


@dataclass(frozen=True)
class CaptionWord:
    """A word, and the positions of its pieces among the caption's tokens, [CLS] being 0."""

    text: str
    pieces: tuple[int, ...]


def caption_words(labels: Sequence[str]) -> tuple[CaptionWord, ...]:
    """Join the labels (L,) of a caption's tokens into words, without special tokens."""
    words: list[CaptionWord] = []
    for position, label in enumerate(labels):
        if len(label) > 2 and label.startswith("[") and label.endswith("]"):  # "[CLS]", "[UNK]" and the like
            continue
        if label.startswith(CONTINUES) and len(label) > len(CONTINUES) and words:
            before = words[-1]
            if before.pieces[-1] == position - 1:
                words[-1] = CaptionWord(before.text + label[len(CONTINUES) :], (*before.pieces, position))
                continue
        words.append(CaptionWord(label, (position,)))
    return tuple(words)


def is_content(word: str) -> bool:
    """Return whether a word can name something visible: letters, and not a function word."""
    return any(letter.isalpha() for letter in word) and not word.startswith("#") and word.lower() not in FUNCTION_WORDS

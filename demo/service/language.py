"""Heuristic that detects captions in a language the model does not know, from their word pieces.

Vocabularies contain whole English words, so few words of an English caption are split, but many of another language.
Captions with whole words in both, such as "une femme en robe rouge", are detected by the absence of short English
words. Because the heuristic can be wrong, it only gives a hint.
"""

from __future__ import annotations

from seps.encoders.tokenizer import Tokenizer

UNKNOWN = "[UNK]"
STARTS = "Ġ▁"  # marks of word starts in tokenizers other than BERT's
MIN_FRACTION = 0.25  # of the words in pieces, from which on a caption of at least ENOUGH words gets a hint
SHORT_FRACTION = 0.5  # and above which a shorter one does
ENOUGH = 4
NAMED = 5  # words that a hint names
SHORT_WORDS = """
    a an the this that these some two three of in on at with without and or to is are was be being it its as by from for
    into over under near behind through up down out off while his her their he she they who which there one no not next
    very all many other both each
"""
COMMON = frozenset(SHORT_WORDS.split())


def hint(tokenizer: Tokenizer, caption: str) -> str:
    """Return a hint with possibly unknown words if a caption does not look English, else ""."""
    words = [word for word in caption.split() if any(character.isalnum() for character in word)]
    if not words:
        return ""
    broken = [word for word in words if is_broken(tokenizer, word)]
    fraction = len(broken) / len(words)
    if fraction >= MIN_FRACTION if len(words) >= ENOUGH else fraction > SHORT_FRACTION:
        return f"The model has learnt English captions; it may not know: {listed(broken)}."
    if len(set(words)) >= ENOUGH and COMMON.isdisjoint(
        label.strip(STARTS).lower() for label in labels(tokenizer, caption)
    ):
        return "The model has learnt English captions, and this does not look like one."
    return ""


def unknown_words(tokenizer: Tokenizer, caption: str) -> list[str]:
    """Return the words of a caption, split at spaces, that the vocabulary does not contain even in pieces."""
    return [word for word in caption.split() if UNKNOWN in labels(tokenizer, word)]


def is_broken(tokenizer: Tokenizer, word: str) -> bool:
    """Return whether a word is split into pieces, as "Hund" into "hu" and "##nd", or unknown."""
    return any(label.startswith("##") or label == UNKNOWN for label in labels(tokenizer, word))


def labels(tokenizer: Tokenizer, text: str) -> list[str]:
    """Return the labels of a text's word pieces."""
    return tokenizer.labels([piece for word in tokenizer.words(text) for piece in word])


def listed(words: list[str]) -> str:
    """Join the first distinct words, without punctuation around them."""
    once = list(dict.fromkeys(map(bare, words)))
    more = f" and {len(once) - NAMED} more" if len(once) > NAMED else ""
    return ", ".join(once[:NAMED]) + more


def bare(word: str) -> str:
    """Strip the punctuation around a word."""
    return word.strip(".,;:!?\"'()[]") or word

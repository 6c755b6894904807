"""Does a caption look like one that the model has learnt to read? A cheap rule over its word pieces.

Models learn from English captions, and their vocabularies hold whole English words: of an English caption few words
fall into pieces, of another language's many. What is whole in both, as "une femme en robe rouge", gives itself away
by the lack of any short English word. The rule can be wrong, so that it makes a hint and never refuses.
"""

from __future__ import annotations

from seps.encoders.tokenizer import Tokenizer

UNKNOWN = "[UNK]"
STARTS = "Ġ▁"  # what other tokenizers than BERT's mark the start of a word with
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
    """Say which words the model may not know where a caption does not look English, else nothing."""
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
    """Return the words of a caption, split at spaces, that the vocabulary has not even in pieces."""
    return [word for word in caption.split() if UNKNOWN in labels(tokenizer, word)]


def is_broken(tokenizer: Tokenizer, word: str) -> bool:
    """Return whether a word between spaces falls into pieces, as "Hund" into "hu" and "##nd", or is unknown."""
    return any(label.startswith("##") or label == UNKNOWN for label in labels(tokenizer, word))


def labels(tokenizer: Tokenizer, text: str) -> list[str]:
    """Return the labels of a text's word pieces."""
    return tokenizer.labels([piece for word in tokenizer.words(text) for piece in word])


def listed(words: list[str]) -> str:
    """Return the first words, each once, without the punctuation around them."""
    once = list(dict.fromkeys(map(bare, words)))
    more = f" and {len(once) - NAMED} more" if len(once) > NAMED else ""
    return ", ".join(once[:NAMED]) + more


def bare(word: str) -> str:
    """Return a word without the punctuation around it."""
    return word.strip(".,;:!?\"'()[]") or word

"""Words without a match in a picture, and the sentences about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from demo.record.table import listed, say
from seps import Explanation
from seps.explanation.caption_words import CaptionWord
from seps.models.unmatched_words import UnmatchedRule, best_cosine, unmatched_words


def unmatched(record: Explanation, rule: UnmatchedRule | None) -> list[CaptionWord]:
    """Return the words of a record's caption that found nothing; none where no rule was measured."""
    return [] if rule is None else unmatched_words(record, rule)


def unmatched_value(record: Explanation, rule: UnmatchedRule | None) -> dict[str, Any] | None:
    """Return the words without a match, as the viewer marks them; None if all match.

    Returns:
        "pieces": positions of their pieces; "says": a sentence that is the legend of their dashes too; "plain": the
        same where no word is dashed; "words": a line for each piece, by its position.
    """
    words = unmatched(record, rule)
    if not words or rule is None:
        return None
    return {
        "pieces": [piece for word in words for piece in word.pieces],
        "says": unmatched_sentence(words),
        "plain": unmatched_sentence(words, "plain"),
        "words": {
            str(piece): say(
                "found.word",
                word=word.text,
                cosine=best_cosine(record, word),
                threshold=rule.threshold,
                kind=kind_of(rule),
            )
            for word in words
            for piece in word.pieces
        },
    }


def unmatched_sentence(words: Sequence[CaptionWord], key: str = "here") -> str:
    """Return the sentence under a picture about its words without a match; at least one."""
    return say(f"found.{key}", words=quoted([word.text for word in words]))


def describe_missed(record: Explanation, rule: UnmatchedRule | None) -> str:
    """Return the sentence on a ranking with words unmatched in its best picture, given by the record; else
    empty."""
    words = unmatched(record, rule)
    if not words or rule is None:
        return ""
    return say("found.best", words=quoted([word.text for word in words]))


def kind_of(rule: UnmatchedRule) -> str:
    """Return the name of the words that can be detected as unmatched."""
    return say("found.content" if rule.words is None else "found.nouns")


def quoted(words: Sequence[str]) -> str:
    """Words in quotation marks, each once, with commas and an "or"."""
    marked = [f"“{word}”" for word in dict.fromkeys(words)]
    return marked[0] if len(marked) == 1 else f"{listed(marked[:-1])}{say('reading.or')}{marked[-1]}"

"""Detection of words that match nothing, with a threshold from the model's folder (see
`seps.evaluation.unmatched_words`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from seps.checks import is_number, read_json_file, shown
from seps.explanation.caption_words import CaptionWord, caption_words, is_content
from seps.explanation.record import Explanation

FILE_NAME = "found-words.json"  # the name in published folders


@dataclass(frozen=True)
class UnmatchedRule:
    """Rule for words that match nothing.

    Attributes:
        threshold: in [-1, 1]; a word with a lower best cosine matches nothing.
        words: the only words that can be reported, in lower case; None for all content words.
    """

    threshold: float
    words: frozenset[str] | None = None

    def applies_to(self, word: str) -> bool:
        """Return whether this word can be reported as matching nothing."""
        return is_content(word) and (self.words is None or word.lower() in self.words)


def read_rule(folder: Path | None) -> UnmatchedRule | None:
    """Read the rule of a model; None if it was not measured or is not reliable.

    Args:
        folder: `SEPSModel.folder`; None for a model that was not loaded.

    Raises:
        ValueError: the file cannot be read or has no valid threshold.
    """
    file = None if folder is None else folder / FILE_NAME
    if file is None or not file.is_file():
        return None
    values = read_json_file(file)
    if not isinstance(values, dict):
        values = {}
    if values.get("threshold", 0) is None:
        return None  # no threshold is reliable enough
    threshold, words = values.get("threshold"), values.get("words")
    if not is_number(threshold) or not -1 <= threshold <= 1:
        raise ValueError(
            f"{file} has no threshold from -1 to 1: measure it with seps.evaluate --measure unmatched_words."
        )
    if words is None:
        return UnmatchedRule(float(threshold))
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(
            f"{file} has {shown(words)} as words, but a list of words or null is needed: measure it with "
            "seps.evaluate --measure unmatched_words."
        )
    return UnmatchedRule(float(threshold), frozenset(words))


def best_cosine(record: Explanation, word: CaptionWord) -> float:
    """Return the best cosine in [-1, 1] of a word's pieces with any of the image's tokens."""
    return float(np.max(record.sparse_alignment.cosines[:, list(word.pieces)]))


def unmatched_words(record: Explanation, rule: UnmatchedRule) -> list[CaptionWord]:
    """Find the words of a record's caption that match nothing according to a rule."""
    words = caption_words(record.sparse_alignment.words)
    return [word for word in words if rule.applies_to(word.text) and best_cosine(record, word) < rule.threshold]

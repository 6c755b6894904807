"""Which words match nothing: the threshold beside a model's weights, see `seps.evaluation.unmatched_words`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from seps.checks import is_number, read_json_file, shown
from seps.explanation.caption_words import CaptionWord, caption_words, is_content
from seps.explanation.record import Explanation

FILE_NAME = "found-words.json"  # as folders that are published have it


@dataclass(frozen=True)
class UnmatchedRule:
    """When a word matches nothing.

    Attributes:
        threshold: the cosine, in [-1, 1], below which its best cosine lies.
        words: the only words that can be reported so, in lower case; None for all content words.
    """

    threshold: float
    words: frozenset[str] | None = None

    def holds_for(self, word: str) -> bool:
        """Tell whether this word can be reported to match nothing."""
        return is_content(word) and (self.words is None or word.lower() in self.words)


def read_rule(folder: Path | None) -> UnmatchedRule | None:
    """Read when a word matches nothing; None where that was not measured for this model, or is not reliable.

    Args:
        folder: the model's, as `SEPSModel.folder`; None for one that was not loaded.

    Raises:
        ValueError: the file beside the model cannot be read, or holds no such number.
    """
    file = None if folder is None else folder / FILE_NAME
    if file is None or not file.is_file():
        return None
    values = read_json_file(file)
    if not isinstance(values, dict):
        values = {}
    if values.get("threshold", 0) is None:
        return None  # no threshold is right often enough
    threshold, words = values.get("threshold"), values.get("words")
    if not is_number(threshold) or not -1 <= threshold <= 1:
        raise ValueError(f"{file} has no threshold from -1 to 1: measure it with seps.evaluation.unmatched_words.")
    if words is None:
        return UnmatchedRule(float(threshold))
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(
            f"{file} has {shown(words)} as words, but a list of words or null is needed: measure it with "
            "seps.evaluation.unmatched_words."
        )
    return UnmatchedRule(float(threshold), frozenset(words))


def best_cosine(record: Explanation, word: CaptionWord) -> float:
    """Return a word's best cosine with any of the image's tokens, in [-1, 1]: that of the best of its pieces."""
    return float(np.max(record.sparse_alignment.cosines[:, list(word.pieces)]))


def unmatched_words(record: Explanation, rule: UnmatchedRule) -> list[CaptionWord]:
    """Find the words of a record's caption that match nothing: those that a rule holds for, and whose best cosine with
    any of the image's tokens lies below its threshold."""
    words = caption_words(record.sparse_alignment.words)
    return [word for word in words if rule.holds_for(word.text) and best_cosine(record, word) < rule.threshold]

"""Which words found nothing: the threshold that lies beside a model's weights, see `seps.evaluation.found_words`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from seps.checks import read_json_file
from seps.method.caption_words import CaptionWord, caption_words, is_content
from seps.method.explanation import Explanation

FILE_NAME = "found-words.json"


def read_threshold(folder: Path | None) -> float | None:
    """Read the cosine below which a word found nothing, in [-1, 1]; None where none was measured for this model.

    Args:
        folder: the model's; None for one of the model hub.

    Raises:
        ValueError: the file beside the model cannot be read, or holds no such number.
    """
    file = None if folder is None else folder / FILE_NAME
    if file is None or not file.is_file():
        return None
    values = read_json_file(file)
    threshold = values.get("threshold") if isinstance(values, dict) else None
    if not isinstance(threshold, int | float) or not -1 <= threshold <= 1:
        raise ValueError(f"{file} has no threshold from -1 to 1: measure it with seps.evaluation.found_words.")
    return float(threshold)


def best_cosine(record: Explanation, word: CaptionWord) -> float:
    """A word's best cosine with any of the image's tokens, in [-1, 1]: that of the best of its pieces."""
    return float(np.max(record.sparse_alignment.cosines[:, list(word.pieces)]))


def unfound_words(record: Explanation, threshold: float) -> list[CaptionWord]:
    """Find the content words of a record's caption whose best cosine with any of the image's tokens lies below a
    threshold, as `read_threshold` gives it."""
    words = caption_words(record.sparse_alignment.words)
    return [word for word in words if is_content(word.text) and best_cosine(record, word) < threshold]

"""A printed explanation is a dozen lines that name its numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from seps.explanation.record import MAX_WORDS, WIDTH
from seps.numbers import written
from tests.helpers.records import CASES, random_record


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_printed_record_is_a_summary(case: tuple[str, bool, tuple[int, int]]) -> None:
    record = random_record(*case)
    lines = str(record).splitlines()
    assert 6 <= len(lines) <= 18
    assert max(map(len, lines)) <= WIDTH
    text = " ".join(" ".join(lines).split())
    rows, columns = record.grid
    assert f"S(I, T) = {record.similarity:.4f} ({record.variant} variant, {rows} x {columns} patches" in text
    for name, value in record.terms.items():
        assert f"{value:.4f} {name}" in text
    for branch in (record.sparse, record.dense):
        if branch is not None:
            assert f"{branch.name} branch: keeps {branch.kept.sum()} of {branch.kept.size} patches" in text
    alignment = record.sparse_alignment
    for word, token, entry in zip(alignment.words, alignment.best_token, alignment.matrix.max(axis=0), strict=True):
        assert f"{word}: {alignment.tokens[token]} ({written(entry, '.2f')})" in text
    assert "sparse_alignment" in lines[-1]
    assert "array(" in repr(record)  # all of it


def test_a_long_caption_is_cut_in_the_summary() -> None:
    record = random_record()
    count = MAX_WORDS + 3
    matrix = np.zeros((len(record.sparse_alignment.tokens), count))
    words, best = tuple(f"word{i}" for i in range(count)), np.zeros(count, dtype=int)
    long = replace(record.sparse_alignment, words=words, best_token=best, matrix=matrix)
    text = str(replace(record, sparse_alignment=long))
    assert f"word{MAX_WORDS - 1}:" in text
    assert f"word{MAX_WORDS}:" not in text
    assert "and 3 more" in text

"""Words that found nothing: content words below the threshold, with their sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from demo.record.unmatched import describe_missed, quoted, unmatched, unmatched_value
from seps import Explanation
from seps.models.unmatched_words import UnmatchedRule
from tests.helpers.records import random_record


def record_with(cosines: list[float]) -> Explanation:
    """A record of "[CLS] a dog ##s $ [SEP]" with these best cosines."""
    record = random_record()
    alignment = record.sparse_alignment
    values = np.minimum(np.full(alignment.cosines.shape, -1.0), 0) + 0.0
    values[1] = cosines
    return replace(record, sparse_alignment=replace(alignment, cosines=values))


def test_content_words_below_the_threshold_found_nothing() -> None:
    low = record_with([0.1, 0.1, 0.2, 0.25, 0.1, 0.1])
    assert [word.text for word in unmatched(low, UnmatchedRule(0.3))] == ["dogs"]  # not "a", "$", [CLS] and [SEP]
    assert unmatched(low, UnmatchedRule(0.25)) == []  # its best piece reaches it
    assert unmatched(low, UnmatchedRule(0.3, frozenset({"cat"}))) == []  # the rule covers only another word
    assert unmatched(low, UnmatchedRule(0.3, frozenset({"cat"}))) == []  # the rule covers only another word
    assert unmatched(low, None) == [] and unmatched_value(low, None) is None
    assert unmatched_value(record_with([0.1, 0.1, 0.2, 0.4, 0.1, 0.1]), UnmatchedRule(0.3)) is None


@pytest.mark.parametrize(
    ("words", "text"), [(["a"], "“a”"), (["a", "b", "a"], "“a” or “b”"), (["a", "b", "c"], "“a”, “b” or “c”")]
)
def test_words_are_listed_once(words: list[str], text: str) -> None:
    assert quoted(words) == text


def test_they_are_told_with_their_cosines() -> None:
    low = record_with([0.1, 0.1, 0.2, 0.25, 0.1, 0.1])
    value = unmatched_value(low, UnmatchedRule(0.3))
    assert value is not None
    assert value["pieces"] == [2, 3]
    assert value["says"] == "Probably not in this picture: “dogs” (dashed)."
    assert value["words"]["3"] == (
        "“dogs” is probably not in this picture: its best cosine, 0.25, lies below 0.30, where nearly all content "
        "words were missing."
    )
    missed = describe_missed(low, UnmatchedRule(0.3))
    assert missed == "Probably not in the best picture: “dogs”."
    assert value["plain"] == "Probably not in this picture: “dogs”."
    assert describe_missed(low, UnmatchedRule(0.2)) == describe_missed(low, None) == ""

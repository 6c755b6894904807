"""Masks as text and lists of patches: round trip, and errors for invalid ones."""

from __future__ import annotations

import re

import numpy as np
import pytest

from demo.service.masks import changed_mask, mask_text, overlap_of, read_mask, read_patches


@pytest.mark.parametrize("count", [1, 8, 9, 100, 196])
def test_a_mask_leads_back_from_its_text(count: int) -> None:
    draw = np.random.default_rng(count)
    for _ in range(20):
        mask = draw.random(count) < draw.random()
        mask[draw.integers(count)] = True
        text = mask_text(mask)
        read = read_mask(text, count)
        assert read is not None and np.array_equal(read, mask)
        assert len(text) <= np.ceil(np.ceil(count / 8) * 4 / 3) and not set(text) & set("+/=")
    assert read_mask("", count) is None
    with pytest.raises(ValueError, match="keeps no patch"):
        read_mask(mask_text(np.zeros(count, dtype=bool)), count)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A", "The mask 'A' does not have 20 patches"),
        ("!", "The mask '!' does not have 20 patches"),
        ("AAAAA", "The mask 'AAAAA' does not have 20 patches"),
        ("_" * 34, "The mask '__________________________________' does not have 20 patches"),
        ("ä", "The mask 'ä' does not have 20 patches"),
        pytest.param("A" * 5000, "AAAA' does not have 20 patches", id="long"),
        ("=", "The mask '=' does not have 20 patches"),
        ("////", "The mask '////' does not have 20 patches"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_mask(text, 20)


def test_lists_of_patches_count_from_one() -> None:
    assert np.flatnonzero(read_patches("1,2, 5-9", 12, "keep")).tolist() == [0, 1, 4, 5, 6, 7, 8]
    assert read_patches("all", 4, "keep").all() and not read_patches("", 4, "keep").any()
    for text, message in (
        ("0", "keep has 0, but there are patches 1 to 12"),
        ("9-13", "keep has 9-13, but there are patches 1 to 12"),
        ("5-4", "keep has 5-4, but there are patches 1 to 12"),
        ("x", "keep has 'x', but numbers of patches are needed, such as 1,2"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            read_patches(text, 12, "keep")


def test_patches_are_dropped_and_then_kept() -> None:
    kept = np.array([1, 1, 0, 0], dtype=bool)
    assert changed_mask(kept, "", "") is None
    assert changed_mask(kept, "4", "1").astype(int).tolist() == [0, 1, 0, 1]  # type: ignore[union-attr]
    assert changed_mask(kept, "3", "all").astype(int).tolist() == [0, 0, 1, 0]  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="The mask keeps no patch"):
        changed_mask(kept, "", "all")


def test_overlap_is_intersection_over_union() -> None:
    first, other = np.array([1, 1, 0, 0], dtype=bool), np.array([0, 1, 1, 0], dtype=bool)
    assert (
        overlap_of(first, other) == 1 / 3
        and overlap_of(first, first) == 1
        and overlap_of(first & other & False, ~first & first)
    )

"""The overlap of masks, in a sentence: the share of patches kept by all among patches kept by any."""

from __future__ import annotations

import numpy as np

from demo.record.mask_overlap import describe_overlap, pack_other_masks
from demo.service.masks import read_mask

LEFT = np.array([1, 1, 1, 0, 0, 0], dtype=bool)
RIGHT = np.array([0, 0, 1, 1, 0, 0], dtype=bool)


def test_two_masks_share_what_both_keep_of_what_either_keeps() -> None:
    assert describe_overlap([LEFT, RIGHT]) == (
        "These masks share 25% of their patches: both keep 1 of the 4 that either keeps."
    )
    assert describe_overlap([LEFT, LEFT]).startswith("These masks share 100%")
    assert describe_overlap([LEFT, ~LEFT]).startswith("These masks share 0%")


def test_more_masks_are_told_two_by_two_as_well() -> None:
    assert describe_overlap([LEFT, RIGHT, ~RIGHT]) == (
        "These 3 masks share 0% of their patches: all keep 0 of the 6 that any keeps. Two by two they share 0% to 40%."
    )


def test_other_captions_come_with_their_masks() -> None:
    (row,) = pack_other_masks(LEFT, ["a “red” hat"], [RIGHT])
    assert row["caption"] == "a “red” hat"
    assert (read_mask(row["mask"], 6) == RIGHT).all()  # type: ignore[union-attr]
    assert row["says"].startswith("These masks share 25% of their patches")
    assert row["says"].endswith("This is the mask for “a “red” hat”: press it again to return.")

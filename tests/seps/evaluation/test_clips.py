"""Captions through scenes that move."""

from __future__ import annotations

import numpy as np

from seps.evaluation.clips import patches_of


def test_patches_are_those_that_a_mask_covers() -> None:
    mask = np.zeros((8, 8), dtype=bool)
    mask[0:4, 0:4] = True
    mask[4, 4:6] = True  # an eighth of a patch
    assert patches_of(mask, (2, 2)).tolist() == [True, False, False, False]
    mask[0:4, 0:4] = False
    assert patches_of(mask, (2, 2)).tolist() == [False, False, False, True]

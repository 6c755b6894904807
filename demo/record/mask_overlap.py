"""Overlap of decision masks, as a sentence, and the masks for other captions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from demo.record.texts.table import say
from demo.service.masks import mask_text, overlap_of

Booleans = NDArray[np.bool_]


def describe_overlap(masks: Sequence[Booleans]) -> str:
    """Describe the overlap of masks (N,): of the patches that any keeps, the share that all keep.

    For more than two, add the smallest and largest pairwise overlap.
    """
    common, kept = np.logical_and.reduce(masks), np.logical_or.reduce(masks)
    numbers = {"count": len(masks), "common": int(common.sum()), "kept": int(kept.sum())}
    percent = 100 * numbers["common"] / max(numbers["kept"], 1)
    if len(masks) == 2:
        return say("shared.two", share=percent, **numbers)
    pairs = [100 * overlap_of(mask, other) for mask, other in combinations(masks, 2)]
    return say("shared.more", share=percent, **numbers, least=min(pairs), most=max(pairs))


def pack_other_masks(shown: Booleans, captions: Sequence[str], masks: Sequence[Booleans]) -> list[dict[str, str]]:
    """Return each other caption, its mask as text, and a sentence on its overlap with the `shown` one, (N,)."""
    return [
        {
            "caption": caption,
            "mask": mask_text(mask),
            "says": say("shared.other", caption=caption, sentence=describe_overlap([shown, mask])),
        }
        for caption, mask in zip(captions, masks, strict=True)
    ]

"""Grouping of near duplicates: photographs with almost equal pooled vectors."""

from __future__ import annotations

from collections.abc import Sequence

from demo.galleries.index import IndexedGallery

NEAR = (
    0.93  # the cosine of pooled vectors from which photographs count as nearly the same: copies saved again or cropped
)
LOOKED_AT = 5  # times as many of a ranking are compared as groups are wanted


def group_near_photographs(indexed: IndexedGallery, order: Sequence[int], count: int) -> list[list[int]]:
    """Group a ranking's first photographs: each joins the best earlier one that it nearly duplicates.

    Args:
        order: positions, the best first; count: maximum number of groups.

    Returns:
        Positions by group; groups and their members in the ranking's order.
    """
    looked_at = list(order[: LOOKED_AT * count])
    if not looked_at:
        return []
    vectors = indexed.pooled(looked_at).cpu()  # (K, C)
    cosines = vectors @ vectors.T
    groups = list[list[int]]()  # of places in looked_at
    for place in range(len(looked_at)):
        near = next((group for group in groups if cosines[group[0], place] >= NEAR), None)
        if near is not None:
            near.append(place)
        elif len(groups) < count:
            groups.append([place])
    return [[looked_at[place] for place in group] for group in groups]

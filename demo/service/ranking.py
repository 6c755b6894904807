"""Rankings: selection of photographs, and results for a caption or a photograph."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demo.galleries.indexes.index import IndexedGallery
from demo.service.captions import Reading
from demo.service.explaining import EncodedCaption

RECALL_AT = (1, 5, 10)

NEAR = (
    0.93  # the cosine of pooled vectors from which photographs count as nearly the same: copies saved again or cropped
)
LOOKED_AT = 5  # times as many of a ranking are compared as groups are wanted


@dataclass(frozen=True)
class Candidates:
    """Selection of a gallery's photographs for a ranking."""

    also: tuple[int, ...] = ()  # positions that are scored even outside the shortlist of a large gallery
    name: str = ""  # required part of names, ignoring case
    exhaustive: bool = False  # score all of a large gallery


ANY_PHOTO = Candidates()


@dataclass(frozen=True)
class ImageRanking:
    """A gallery's photographs for one caption, the best first."""

    order: list[int]  # positions of the scored photographs
    scores: list[float]  # S(I, T) of each
    reading: Reading
    dense_reading: Reading | None
    seconds: float  # encoding what was not encoded yet, scoring and sorting
    total: int  # searched photographs
    encoded: EncodedCaption

    @property
    def exhaustive(self) -> bool:
        """Whether all searched photographs have scores."""
        return len(self.order) == self.total

    def others(self, index: int) -> NDArray[np.float64]:
        """(K,), S(I, T) of all photographs except the one at `index`."""
        return np.array([score for at, score in zip(self.order, self.scores, strict=True) if at != index])


@dataclass(frozen=True)
class CaptionRanking:
    """Captions for one photograph, the best first."""

    captions: list[str]
    scores: list[float]  # S(I, T) of each
    correct: list[bool | None]  # written for this photograph; None if unknown (a typed one)
    seconds: float  # encoding typed captions, scoring and sorting

    @property
    def has_truth(self) -> bool:
        """Whether any caption was written for this photograph."""
        return any(self.correct)

    def hits(self) -> dict[int, bool]:
        """For K of 1, 5, 10: whether one of the K best captions was written for this photograph (recall at K)."""
        return {k: any(self.correct[:k]) for k in RECALL_AT}


def group_near_photographs(indexed: IndexedGallery, order: Sequence[int], count: int) -> list[list[int]]:
    """Group the first photographs of a ranking in at most `count` groups in its order: each joins the best earlier one
    that it nearly duplicates."""
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

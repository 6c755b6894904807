"""A ranking: which photographs are ranked, and what comes of it for a caption or for a photograph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demo.service.captions import Reading
from demo.service.encoded import EncodedCaption

RECALL_AT = (1, 5, 10)


@dataclass(frozen=True)
class Candidates:
    """Which of a gallery's photographs a caption ranks.

    Attributes:
        also: positions that are scored even where a shortlist of a large gallery lacks them.
        name: what names must hold, letters large or small; "" takes all.
        exhaustive: whether all of a large gallery are scored, instead of a shortlist.
    """

    also: tuple[int, ...] = ()
    name: str = ""
    exhaustive: bool = False


ANY_PHOTO = Candidates()


@dataclass(frozen=True)
class ImageRanking:
    """A gallery's photographs for one caption, the best first.

    Attributes:
        order: positions in the gallery of those that were scored; scores: S(I, T) of each, in the same order.
        reading, dense_reading: the caption and the dense caption as read.
        seconds: encoding the caption, scoring and sorting; of the dense caption alone where the caption was encoded
            for another ranking.
        total: how many were searched; more than were scored where a shortlist was made of a large gallery.
        encoded: the captions as they were encoded, with which photographs are explained.
    """

    order: list[int]
    scores: list[float]
    reading: Reading
    dense_reading: Reading | None
    seconds: float
    total: int
    encoded: EncodedCaption

    @property
    def exhaustive(self) -> bool:
        """Whether all that were searched have scores."""
        return len(self.order) == self.total

    def others(self, index: int) -> NDArray[np.float64]:
        """(K,), S(I, T) of all photographs but the one at `index`."""
        return np.array([score for at, score in zip(self.order, self.scores, strict=True) if at != index])


@dataclass(frozen=True)
class CaptionRanking:
    """Captions for one photograph, the best first.

    Attributes:
        captions: texts; scores: S(I, T) of each.
        correct: for each, whether it was written for this photograph; None where nobody knows (a typed one).
        seconds: encoding typed captions, scoring and sorting.
    """

    captions: list[str]
    scores: list[float]
    correct: list[bool | None]
    seconds: float

    @property
    def has_truth(self) -> bool:
        """Whether any caption was written for this photograph."""
        return any(self.correct)

    def hits(self) -> dict[int, bool]:
        """For K of 1, 5, 10: whether one of the K best captions was written for this photograph (recall at K)."""
        return {k: any(self.correct[:k]) for k in RECALL_AT}

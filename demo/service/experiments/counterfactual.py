"""Effect of a forced decision on S(I, T), its terms, and the photograph's rank."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from demo.galleries.indexes.index import IndexedGallery
from demo.service.masks import Mask, overlap_of
from demo.service.ranking import Candidates, ImageRanking
from demo.service.retrieval import RetrievalService
from seps import Explanation


@dataclass(frozen=True)
class Decided:
    """A photograph under a decision, and its rank among `total` photographs; both are 0 without a ranking."""

    record: Explanation
    rank: int = 0
    total: int = 0


@dataclass(frozen=True)
class Game:
    """The same budget of patches, chosen by hand (None if empty) and by the model's highest scores."""

    budget: int
    by_hand: Decided | None
    by_model: Decided

    @property
    def overlap(self) -> float:
        """The overlap (IoU) of both sets, in [0, 1]; 0 if nothing is painted."""
        if self.by_hand is None:
            return 0.0
        return overlap_of(self.by_hand.record.sparse.kept, self.by_model.record.sparse.kept)


class Attempts:
    """Forced decisions on one photograph and one caption, next to the model's; `others`: (K,), S(I, T) of the other
    photographs; `explain` explains the pair under a decision (N,)."""

    def __init__(self, decided: Decided, others: NDArray[np.float64], explain: Callable[[Mask], Explanation]) -> None:
        self.decided, self._others, self._explain = decided, others, explain

    def attempt(self, mask: Mask | None) -> Decided:
        """Return the photograph under a decision (N,); None, or a mask equal to the model's, gives the model's."""
        if mask is None or np.array_equal(mask, self.decided.record.sparse.kept):
            return self.decided
        record = self._explain(mask)
        if not self.decided.total:
            return Decided(record)
        return Decided(record, 1 + int((self._others > record.similarity).sum()), self.decided.total)


class Forcing(Attempts):
    """Forced decisions on one photograph of a gallery and one caption, with a dense one or None, both as read."""

    def __init__(
        self, service: RetrievalService, indexed: IndexedGallery, index: int, caption: str, dense: str | None = None
    ) -> None:
        self.ranking: ImageRanking = service.get_cached_ranking(indexed, caption, dense, Candidates((index,)))
        order, encoded = self.ranking.order, self.ranking.encoded
        decided = Decided(service.explain_encoded(indexed, index, encoded), order.index(index) + 1, len(order))
        explain = partial(service.explain_encoded, indexed, index, encoded)
        super().__init__(decided, self.ranking.others(index), explain)

    def game(self, budget: int, mask: Mask | None) -> Game:
        """Compare a budget of 1 to N patches chosen by hand and by the model; ValueError for another budget, or more
        patches."""
        rank = self.decided.record.sparse.rank  # (N,)
        if not 1 <= budget <= rank.size:
            raise ValueError(f"budget is {budget}, but it must be from 1 to {rank.size} patches.")
        if mask is not None and mask.sum() > budget:
            raise ValueError(f"{mask.sum()} patches are kept, but the budget is {budget}: drop some, or raise it.")
        by_hand = None if mask is None else self.attempt(mask)
        return Game(budget, by_hand, self.attempt(np.asarray(rank < budget)))

"""Two stages over a gallery on disk: pooled vectors make a shortlist, and S(I, T) is computed exactly on that.

Scores are the engine's own, of the embeddings that the table keeps. What is not on the shortlist has no score: a result
says how many have one, and `exhaustive` gives one to all.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from seps.checks import check_whole
from seps.progress import Progress, with_progress
from seps.search.engine import ScoringEngine, check_single
from seps.search.features import check_fits, read_images
from seps.search.index import CaptionIndex
from seps.search.pooling import pooled_captions
from seps.search.store import GalleryStore

SHORTLIST = 200
ROWS = 128  # that are read and scored at a time


@dataclass(frozen=True)
class StoredRanking:
    """Photographs of a table for one caption, the best first; equal scores in the table's order.

    Attributes:
        rows: (K,) int64, row ids; scores: (K,), S(I, T).
        total: photographs that were searched; K of them were scored exactly.
    """

    rows: Tensor
    scores: Tensor
    total: int

    def __len__(self) -> int:
        return len(self.rows)


def rank_stored(
    engine: ScoringEngine,
    store: GalleryStore,
    caption: CaptionIndex,
    shortlist: int = SHORTLIST,
    exhaustive: bool = False,
    name: str = "",
    progress: Progress = False,
) -> StoredRanking:
    """Rank the photographs of a table for one caption.

    Args:
        engine: of the model that encoded the table.
        caption: an index of exactly one caption.
        shortlist: number of images scored exactly, at least 1: the nearest by pooled vectors.
        exhaustive: score all, however many; takes as long as reading the whole table.
        name: what paths must hold, letters large or small; "" takes all.
        progress: as in `ScoringEngine`, of the rows read.

    Raises:
        ValueError: more or fewer captions than one; shortlist that is no whole number from 1; embeddings that do not
            fit the engine's model.
        StoreError: as `GalleryStore`.
    """
    check_single("caption", len(caption))
    check_fits(engine, store)
    shortlist = check_whole("shortlist", shortlist)
    total = store.count(name)
    if exhaustive or total <= shortlist:
        rows = store.rows(name)
    else:
        rows = sorted(store.nearest(pooled_captions(caption)[0], shortlist, name))
    scores = [
        engine.score(read_images(engine, store, rows[part], caption.dense is not None), caption)[:, 0]
        for part in with_progress(parts(len(rows)), "Scoring", progress)
    ]
    values = torch.cat(scores) if scores else torch.empty(0)
    order = values.argsort(descending=True, stable=True)
    return StoredRanking(torch.tensor(rows, dtype=torch.int64)[order], values[order], total)


def parts(count: int) -> list[slice]:
    """Slices of at most ROWS that cover a count."""
    return [slice(start, start + ROWS) for start in range(0, count, ROWS)]

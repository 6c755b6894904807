"""Two stages over a gallery on disk: pooled vectors make a shortlist, and S(I, T) is computed exactly on that."""

from dataclasses import dataclass

import torch
from torch import Tensor

from seps.common.checks import check_whole
from seps.common.progress import Progress, with_progress
from seps.search.engine import ScoringEngine, check_single
from seps.search.features import check_fits, read_images
from seps.search.index import CaptionIndex
from seps.search.parallel import split
from seps.search.pooling import pooled_captions
from seps.search.store import GalleryStore

SHORTLIST = 200
ROWS = 64  # that are read and scored at a time: memory for more is fresh for every part, which costs a quarter


@dataclass(frozen=True)
class StoredRanking:
    """Row ids (K,) of photographs with scores (K,), the best first, and how many photographs were searched."""

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
        shortlist: number of images scored exactly, at least 1: the nearest by pooled vectors.
        exhaustive: score all, however many; takes as long as reading the whole table.
        name: what paths must hold, letters large or small; "" takes all.
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
        for part in with_progress(list(split(len(rows), ROWS)), "Scoring", progress)
    ]
    values = torch.cat(scores) if scores else torch.empty(0)
    order = values.argsort(descending=True, stable=True)
    return StoredRanking(torch.tensor(rows, dtype=torch.int64)[order], values[order], total)

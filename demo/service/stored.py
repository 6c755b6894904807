"""A table of photographs on disk or on object storage, ranked in two stages."""

from __future__ import annotations

import time
from dataclasses import dataclass

from demo.service.captions import Reading, read_caption
from demo.service.retrieval import RetrievalService
from seps.models.encoder_key import encoder_key
from seps.progress import Progress
from seps.search.stages import SHORTLIST, rank_stored
from seps.search.store import GalleryStore


@dataclass(frozen=True)
class StoredResult:
    """Photographs of a table for one caption, the best first.

    Attributes:
        paths: of those that were scored exactly; scores: S(I, T) of each.
        total: how many were searched.
        reading, dense_reading: the caption and the dense caption as read.
        seconds: encoding the caption, searching, scoring and sorting.
    """

    paths: list[str]
    scores: list[float]
    total: int
    reading: Reading
    dense_reading: Reading | None
    seconds: float

    def sentence(self) -> str:
        """How many were scored exactly, and how."""
        if len(self.paths) == self.total:
            return f"All {self.total} photographs were scored exactly, in {1000 * self.seconds:.0f} ms."
        return (
            f"{len(self.paths)} of {self.total} photographs, those whose mean patch fits the mean word best, were "
            f"scored exactly, in {1000 * self.seconds:.0f} ms; --all scores every one."
        )


def open_table(service: RetrievalService, uri: str) -> GalleryStore:
    """Open a table of the service's model; ValueError where there is none, or it is another model's."""
    return GalleryStore.read(uri, encoder_key(service.model))


def rank_table(
    service: RetrievalService,
    store: GalleryStore,
    caption: str,
    dense: str | None = None,
    shortlist: int = SHORTLIST,
    exhaustive: bool = False,
    name: str = "",
    progress: Progress = False,
) -> StoredResult:
    """Rank a table's photographs for a caption, with a dense caption beside it where one is given.

    Args:
        shortlist, exhaustive, name, progress: as for `seps.search.stages.rank_stored`.

    Raises:
        ValueError: a caption that cannot be read, or a table that cannot be.
    """
    started = time.perf_counter()
    reading = service.read(caption)
    has_dense = bool((dense or "").strip())
    dense_reading = read_caption(service.model, dense, dense=True) if has_dense else None
    encoded = service.encode([reading.text], None if dense_reading is None else [dense_reading.text])
    ranking = rank_stored(service.engine, store, encoded, shortlist, exhaustive, name, progress)
    paths = store.paths(ranking.rows.tolist())
    seconds = time.perf_counter() - started
    return StoredResult(paths, ranking.scores.tolist(), ranking.total, reading, dense_reading, seconds)

"""Export of rankings as CSV."""

from __future__ import annotations

from collections.abc import Sequence

from demo.drawing.formats import TYPES, Download, file_name
from demo.galleries.indexes.index import IndexedGallery
from demo.service.models.stored import StoredResult
from demo.service.ranking import ANY_PHOTO, Candidates, ImageRanking
from demo.service.retrieval import RetrievalService
from seps.common.numbers import rounded
from seps.common.spreadsheet import csv_content
from seps.common.spreadsheet import harmless as harmless


def ranking_file(columns: Sequence[str], rows: Sequence[Sequence[object]], model: str, title: str) -> Download:
    """Return a ranking as a CSV file for spreadsheets."""
    return Download(file_name(model, title, "ranking", "csv"), csv_content(columns, rows), TYPES["csv"])


def images_csv(
    service: RetrievalService,
    indexed: IndexedGallery,
    caption: str,
    dense: str | None,
    by_hand: tuple[int, float] | None = None,
    candidates: Candidates = ANY_PHOTO,
) -> Download:
    """Export the ranking of a gallery for a caption, see `ranking_csv`; `candidates` as for `rank_images`."""
    rank = service.get_cached_ranking if candidates.exhaustive else service.rank_images
    return ranking_csv(indexed, rank(indexed, caption, dense, candidates), service.name, by_hand)


def ranking_csv(
    indexed: IndexedGallery, ranking: ImageRanking, model: str, by_hand: tuple[int, float] | None = None
) -> Download:
    """Export the ranking of a gallery; for a large one, only the scored photographs.

    `by_hand`, a photograph under a forced decision and its S(I, T), adds a column with the kind of each decision.
    """
    items, pairs = indexed.gallery.items, list(zip(ranking.order, ranking.scores, strict=True))
    if by_hand is not None:
        others = [pair for pair in pairs if pair[0] != by_hand[0]]
        pairs = sorted([by_hand, *others], key=lambda pair: -pair[1])
    columns: tuple[str, ...] = ("rank", "photo", "title", "score", "caption")
    rows = [
        [rank, items[index].key, items[index].title, rounded(score, 6), ranking.reading.text]
        for rank, (index, score) in enumerate(pairs, start=1)
    ]
    if by_hand is not None:
        columns = (*columns, "decision")
        for row, (index, _) in zip(rows, pairs, strict=True):
            row.append("by hand" if index == by_hand[0] else "the model's")
    return ranking_file(columns, rows, model, indexed.gallery.name)


def export_stored_csv(result: StoredResult, model: str, title: str) -> Download:
    """Export the exactly scored photographs of a table."""
    rows = [
        [rank, path, rounded(score, 6), result.reading.text]
        for rank, (path, score) in enumerate(zip(result.paths, result.scores, strict=True), start=1)
    ]
    return ranking_file(("rank", "photo", "score", "caption"), rows, model, title)


def captions_csv(
    service: RetrievalService, indexed: IndexedGallery, index: int, pool: str | None, typed: str
) -> Download:
    """Export the ranking of captions for a photograph."""
    ranking = service.rank_captions(indexed, index, pool, typed)
    truth = {True: "yes", False: "no", None: ""}
    rows = [
        [rank, caption, rounded(score, 6), truth[correct]]
        for rank, (caption, score, correct) in enumerate(
            zip(ranking.captions, ranking.scores, ranking.correct, strict=True), start=1
        )
    ]
    title = indexed.gallery.items[index].title
    return ranking_file(("rank", "caption", "score", "written for this photo"), rows, service.name, title)

"""Export of rankings as CSV."""

from collections.abc import Sequence

from demo.drawing.formats import Download, file_name
from demo.galleries.indexes.index import IndexedGallery
from demo.service.ranking import ImageRanking
from seps.common.numbers import rounded
from seps.common.spreadsheet import csv_content


def ranking_file(columns: Sequence[str], rows: Sequence[Sequence[object]], model: str, title: str) -> Download:
    """Return a ranking as a CSV file for spreadsheets."""
    return Download(file_name(model, title, "ranking", "csv"), csv_content(columns, rows))


def ranking_csv(
    indexed: IndexedGallery, ranking: ImageRanking, model: str, by_hand: tuple[int, float] | None = None
) -> Download:
    """Export the ranking of a gallery; for a large one, only the scored photographs. `by_hand`, a photograph under a
    forced decision and its S(I, T), adds a column with the kind of each decision."""
    items, pairs = indexed.gallery.items, list(zip(ranking.order, ranking.scores, strict=True))
    if by_hand is not None:
        others = [pair for pair in pairs if pair[0] != by_hand[0]]
        pairs = sorted([by_hand, *others], key=lambda pair: -pair[1])
    columns = ("rank", "photo", "title", "score", "caption", *(() if by_hand is None else ("decision",)))
    rows = [
        [rank, items[index].key, items[index].title, rounded(score, 6), ranking.reading.text]
        + ([] if by_hand is None else ["by hand" if index == by_hand[0] else "the model's"])
        for rank, (index, score) in enumerate(pairs, start=1)
    ]
    return ranking_file(columns, rows, model, indexed.gallery.name)

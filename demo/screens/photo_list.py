"""The list of ranked photographs."""

from __future__ import annotations

from typing import Any

from demo.galleries.index import IndexedGallery
from demo.record.photo import with_new_key
from demo.record.table import say
from demo.screens.parts import RANKED
from demo.service.retrieval import ImageRanking


def ranking_value(
    indexed: IndexedGallery, alone: ImageRanking, with_dense: ImageRanking | None, selected: int
) -> dict[str, Any]:
    """What the list of photographs is drawn from."""
    seconds = alone.seconds + (with_dense.seconds if with_dense else 0.0)
    total = len(alone.order)
    key = "list.ranked_best" if total > RANKED else "list.ranked"
    lists = [("Caption alone" if with_dense else "", alone)] + (
        [("With dense caption", with_dense)] if with_dense else []
    )
    return with_new_key(
        {
            "note": say(key, total=total, noun=indexed.gallery.noun, milliseconds=1000 * seconds, count=RANKED),
            "selected": selected,
            "lists": [{"title": title, "items": _items(indexed, ranking)} for title, ranking in lists if ranking],
        }
    )


def _items(indexed: IndexedGallery, ranking: ImageRanking) -> list[dict[str, Any]]:
    pairs = list(zip(ranking.order, ranking.scores, strict=True))[:RANKED]
    return [
        {
            "index": index,
            "rank": rank,
            "title": indexed.gallery.items[index].title,
            "thumb": indexed.thumbnail(index),
            "score": score,
        }
        for rank, (index, score) in enumerate(pairs, start=1)
    ]
